import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ImagePlan } from '../../workers/images/image-transform.ts';
import { cpuMilliseconds } from '../bench/process-usage.ts';
import { hostileFiles } from '../support/images/hostile-images.ts';
import {
  isAlive,
  noiseImage,
  pidsOf,
  planOf,
  residentBytes,
  startTier,
  type TestTier,
} from '../support/images/worker-tier.ts';
import { isLongForm } from '../support/long-form.ts';
import { withoutSlowMemory } from '../support/measure/new-memory.ts';
import { until } from '../support/until.ts';

/** CPU time of a host for one file; the clock on the wall also counts what else the machine does. */
const MOST_MILLISECONDS = 150;
/** Linux counts CPU time in ticks; the first ticks of a task may be those of the one before. */
const TICKS = 20;
const ALLOWED = MOST_MILLISECONDS + TICKS;
/** New memory that a host may need for an image. */
const IMAGE_BYTES = 64 * 2 ** 20;
const MOST_GROWTH = 64 * 2 ** 20;

const PLANS: readonly ImagePlan[] = [planOf(), planOf({ frames: 'all', encoding: { format: 'gif' } })];

describe('hostile images', () => {
  let folder: string;
  let tier: TestTier;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-hostile-'));
    tier = startTier({ idleMilliseconds: 1000 });
  });

  after(async () => {
    const pids = pidsOf(tier);
    await tier.close();
    await until(() => !pids.some(isAlive));
    await rm(folder, { recursive: true });
  });

  it('are each answered or refused quickly, crash no host, and leak no memory', async function () {
    this.timeout(isLongForm ? 0 : 60_000);
    const files = await hostileFiles(isLongForm);
    expect(files.length).to.be.at.least(isLongForm ? 400 : 60);
    const source = await noiseImage(400, 300);
    for (const plan of PLANS) await tier.run('image-transform', { source, plan });
    const [pid = 0] = pidsOf(tier);
    const before = residentBytes(pid);

    const slow: string[] = [];
    let refused = 0;
    for (const [number, { name, bytes }] of files.entries()) {
      const file = join(folder, String(number));
      await writeFile(file, bytes);
      for (const plan of PLANS) {
        const spent = cpuMilliseconds(pid);
        const answer = await tier
          .run('image-transform', { source: file, plan })
          .catch((error) => error.failure);
        const took = withoutSlowMemory(cpuMilliseconds(pid) - spent, ALLOWED, IMAGE_BYTES);
        if (took > ALLOWED) slow.push(`${name}, frames ${plan.frames}: ${took} ms`);
        if (answer === 'refused') refused += 1;
        else expect(answer, name).to.include({ width: plan.width, height: plan.height });
      }
    }
    expect(slow).to.deep.equal([]);
    expect(refused).to.be.within(files.length / 2, files.length * 2 - 20);
    expect(pidsOf(tier)).to.deep.equal([pid]);
    expect(tier.report()['images']).to.include({ crashes: 0, starts: 1 });
    await until(() => !isAlive(pid) || residentBytes(pid) - before <= MOST_GROWTH);
  });
});
