import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { BENCHMARKS } from '../bench/benchmarks.ts';
import { openCheckout } from '../bench/checkout.ts';
import { rowOf, takePairs } from '../bench/compare.ts';
import { medianInterval } from '../bench/median-interval.ts';
import { ROOT } from '../bench/processes.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the interval of a median', () => {
  // Ranks for 95 % as the tables of the sign test have them.
  for (const [count, low] of [
    [6, 1],
    [8, 1],
    [9, 2],
    [11, 2],
    [12, 3],
    [15, 4],
    [17, 5],
    [20, 6],
    [25, 8],
  ] as const) {
    it(`is the values ${low} and ${count + 1 - low} of ${count}`, () => {
      const { interval, median, confidence } = medianInterval(upTo(count).toReversed());
      expect(interval).to.deep.equal([low, count + 1 - low]);
      expect(median).to.equal((count + 1) / 2);
      expect(confidence).to.be.within(0.95, 0.993);
    });
  }

  it('is refused for fewer values than can hold 95 %', () => {
    expect(() => medianInterval(upTo(5))).to.throw('needs 6 rounds');
  });

  it('holds the true median of a skewed distribution in some 96 of 100 cases', () => {
    let state = 7;
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) / 2 ** 24;
    };
    let held = 0;
    for (let run = 0; run < 4000; run++) {
      // The true median of −ln(u) is ln 2.
      const { interval } = medianInterval(upTo(15).map(() => -Math.log(1 - random())));
      if (interval[0] <= Math.LN2 && Math.LN2 <= interval[1]) held += 1;
    }
    expect(held / 4000).to.be.within(0.95, 0.98);
  });
});

describe('a compared figure', () => {
  const slower = [1.1, 1.2, 1.15, 1.1, 1.2, 1.1, 1.15, 1.1, 1.2];
  const plain = slower.map(() => 1);

  it('is above 1 when this checkout is better, for rates and for times', () => {
    const rate = rowOf('pages', 'perSecond', plain, slower);
    expect(rate).to.include({ orientation: 'after ÷ before', ratio: 1.15, isNoLoss: true });
    const time = rowOf('pages', 'p50', slower, plain);
    expect(time).to.include({ orientation: 'before ÷ after', ratio: 1.15, isNoLoss: true });
  });

  it('is a loss when the upper end of the interval is below 0.97', () => {
    const time = rowOf('pages', 'p50', plain, slower);
    expect(time.isNoLoss).to.equal(false);
    expect(time.interval[1]).to.be.closeTo(1 / 1.1, 1e-9);
    const edge = (upper: number) => {
      const after = [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, upper, 1.5];
      return rowOf('pages', 'perSecond', plain, after).isNoLoss;
    };
    expect([edge(0.97), edge(0.969)]).to.deep.equal([true, false]);
  });

  it('pairs the turns of a round, and lets each side begin every other round', async () => {
    const order: string[] = [];
    const side = (name: string, value: number) => ({
      page: async () => {
        order.push(name);
        // A machine that gets slower all the time.
        return { milliseconds: value * Math.ceil(order.length / 2) };
      },
    });
    const rows = await takePairs({ before: side('A', 2), after: side('B', 1) }, 6);
    // Two rounds do not count.
    expect(order.join('')).to.equal('ABBAABBAABBAABBA');
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({ figure: 'page', ratio: 2, unit: 'ms' });
    expect(rows[0]?.interval).to.deep.equal([2, 2]);
  });

  it('ends with the round in which its time is over, but not before there can be an interval', async () => {
    let turns = 0;
    const page = async () => {
      turns += 1;
      return { seconds: 1 };
    };
    const rows = await takePairs({ before: { page }, after: { page } }, 15, 0);
    expect(rows[0]?.rounds).to.equal(6);
    expect(turns).to.equal(2 * (2 + 6));
  });

  it('fails when a turn found nothing that a ratio can be made of', () => {
    expect(() => rowOf('pages', 'cpu', plain, [0, ...plain.slice(1)])).to.throw('too short');
  });
});

describe('a measure of the benchmarks', () => {
  for (const { name, measures } of BENCHMARKS)
    it(`of ${name} is compared, or says why not`, () => {
      for (const { name: measure, compare } of measures)
        if (typeof compare !== 'function') expect(compare.leftOut, measure).to.match(/^\w.{20,}$/);
      // Other products are the other side in `peers`.
      const isComparable = measures.some(({ compare }) => typeof compare === 'function');
      expect(isComparable).to.equal(name !== 'peers');
    });
});

describe('the other checkout of a comparison', () => {
  let folder: string;
  const write = (manifest: object) => writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const reason = (path: string) =>
    openCheckout(path).then(
      () => 'opened',
      (error: Error) => error.message,
    );

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-checkout-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is refused when it is this one, or none', async () => {
    expect(await reason(ROOT)).to.include('is this checkout');
    expect(await reason(folder)).to.include('has no package.json');
    await write({ name: 'another' });
    expect(await reason(folder)).to.include("says 'another'");
  });

  it('is refused with the output of the build when that fails', async () => {
    const bin = { headwater: 'headwater.cjs' };
    await write({ name: 'headwater', bin, scripts: { build: 'echo a wrong type >&2; exit 3' } });
    expect(await reason(folder)).to.include("Run 'npm ci' there");
    await mkdir(join(folder, 'node_modules'));
    expect(await reason(folder)).to.match(/cannot be built.*\n[\s\S]*a wrong type/);
  });

  it('is built, and runs the program that its package.json names', async () => {
    const bin = { headwater: 'elsewhere/headwater.cjs' };
    await write({ name: 'headwater', bin, scripts: { build: 'touch built' } });
    await mkdir(join(folder, 'node_modules'));
    expect(await openCheckout(folder)).to.deep.equal({
      root: folder,
      program: join(folder, 'elsewhere/headwater.cjs'),
    });
  });
});
