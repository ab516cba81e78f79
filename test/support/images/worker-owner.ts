/** A process that owns a worker tier: makes an image, prints its hosts, and waits to be killed. */
import { noiseImage, pidsOf, planOf, slowPlan, startTier } from './worker-tier.ts';

const tier = startTier();
const source = await noiseImage();
await Promise.all([
  tier.run('image-transform', { source, plan: planOf() }),
  tier.run('webhook-batch', { notifications: [] }),
]);
// Busy when the end comes.
for (const number of [0, 1]) {
  tier.run('image-transform', { source, plan: slowPlan(number) }).catch(() => {});
}
process.stdout.write(`${JSON.stringify([...pidsOf(tier), ...pidsOf(tier, 'batches')])}\n`);
setInterval(() => {}, 1000);
