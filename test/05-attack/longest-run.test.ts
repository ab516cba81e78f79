import { expect } from 'chai';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { type AttackService, startAttackService } from './attack-service.ts';
import { HOSTILE_KINDS, hostileRequest } from './hostile-requests.ts';
import { expectShortRuns, longestRunOf, MOST_MS, type Run } from './longest-run.ts';
import { SIZES } from './sizes.ts';

const seed = testSeed();
const TIMES = isLongForm ? 30 : 2;

describe('the main thread during any request', function () {
  this.timeout(isLongForm ? 0 : 120_000);
  let service: AttackService;
  before(async () => {
    service = await startAttackService(SIZES, { PIPELINE__OFF: 'rate-limit' });
    const random = new Random(1);
    // Code that has run once is compiled.
    for (const kind of HOSTILE_KINDS)
      await longestRunOf(service, hostileRequest(kind, random, service.attacked), kind);
  });
  after(() => service?.end());

  it(`runs for at most ${MOST_MS} ms of CPU without yielding`, async () => {
    const random = new Random(seed);
    const runs: Run[] = [];
    for (const kind of HOSTILE_KINDS)
      for (let time = 0; time < TIMES; time += 1)
        runs.push(await longestRunOf(service, hostileRequest(kind, random, service.attacked), kind));
    expectShortRuns(runs, seed);
    expect(service.errorLines()).to.deep.equal([]);
  });
});
