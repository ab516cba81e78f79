import { expect } from 'chai';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';
import { type AttackService, startAttackService } from './attack-service.ts';
import { hostileBodies } from './hostile-bodies.ts';
import { expectShortRuns, longestRunOf, MOST_MS, type Run } from './longest-run.ts';
import { SIZES } from './sizes.ts';

const seed = testSeed();
/** Bodies that are sent before any is measured: code that has run a few times is compiled. */
const WARM = 20;

describe('the main thread, whatever is sent', function () {
  // 40 s on two cores that do nothing else.
  this.timeout(isLongForm ? 0 : 300_000);
  let service: AttackService;
  before(async () => {
    service = await startAttackService(SIZES, { PIPELINE__OFF: 'rate-limit' });
    const [first] = hostileBodies(new Random(1), service.attacked);
    const empty = { ...first!, body: Buffer.from('{"elements":[]}') };
    for (let time = 0; time < WARM; time += 1) await longestRunOf(service, empty, 'warm');
  });
  after(() => service?.end());

  it(`runs for at most ${MOST_MS} ms of CPU without yielding`, async () => {
    const runs: Run[] = [];
    for (const sent of hostileBodies(new Random(seed), service.attacked))
      runs.push(await longestRunOf(service, sent, `${sent.name} (${sent.body.length} bytes)`));
    expectShortRuns(runs, seed);
    // A body for something missing is hardly read.
    const unread = runs.filter(({ status }) => status === undefined || status === 404);
    expect(unread.map(({ what }) => what)).to.deep.equal([]);
    expect(service.errorLines()).to.deep.equal([]);
  });
});
