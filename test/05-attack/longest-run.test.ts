import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { Random } from '../support/random/random.ts';
import { type AttackService, startAttackService } from './attack-service.ts';
import { HOSTILE_KINDS, hostileRequest } from './hostile-requests.ts';

const long = process.env['HEADWATER_TEST_LONG'] === '1';
const seed = Number(process.env['HEADWATER_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const ITEMS = long ? 15_000 : 3000;
const TIMES = long ? 30 : 3;
/** The bound. */
const MOST_MS = 50;

describe('the main thread', function () {
  this.timeout(long ? 0 : 60_000);
  let service: AttackService;
  before(async () => {
    service = await startAttackService([ITEMS, 50]);
    const random = new Random(1);
    for (const kind of HOSTILE_KINDS) {
      const { path, headers } = hostileRequest(kind, random, service.attacked);
      await ask(`${service.url}${path}`, headers);
    }
  });
  after(() => service?.end());

  for (const kind of HOSTILE_KINDS)
    it(`runs for at most ${MOST_MS} ms of CPU without yielding: ${kind}`, async () => {
      const random = new Random(seed + HOSTILE_KINDS.indexOf(kind));
      for (let time = 0; time < TIMES; time += 1) {
        const { path, headers } = hostileRequest(kind, random, service.attacked);
        await service.longestRun();
        const { status } = await ask(`${service.url}${path}`, headers);
        const worst = await service.longestRun();
        const what = `HEADWATER_TEST_SEED=${seed}, ${status}: ${path.slice(0, 2000)}`;
        if (process.env['ATTACK_SHOW']) console.log(kind, status, worst.toFixed(1));
        expect(worst, what).to.be.at.most(MOST_MS);
      }
    });
});
