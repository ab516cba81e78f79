/** A process that has no file descriptor left for a host, then has some again; prints how each task ended. */
import { closeSync, openSync } from 'node:fs';
import { failureOf, noiseImage, planOf, startTier } from './worker-tier.ts';

const tier = startTier();
const task = { source: await noiseImage(), plan: planOf() };
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {}
const { failure } = await failureOf(tier.run('image-transform', task));
for (const descriptor of taken) closeSync(descriptor);
const { type } = await tier.run('image-transform', task);
await tier.close();
process.stdout.write(`${failure}, then ${type}`);
