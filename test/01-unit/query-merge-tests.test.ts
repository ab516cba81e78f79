import { expect } from 'chai';
import { mergeTests } from '../../core/delivery/merge-tests.ts';
import type { KeyTest } from '../../core/storage/page-plan.ts';
import { isLongForm } from '../support/long-form.ts';
import { Random } from '../support/random/random.ts';
import { testSeed } from '../support/random/test-seed.ts';

const ROUNDS = isLongForm ? 200_000 : 5000;
/** Beyond U+FFFF the order of bytes and the order of UTF-16 units differ. */
const KEYS = ['=', '=a', '=ab', '=b', '=\u{10000}', '=\uffee', '=a\ue000', '=a\u{1f600}', '=z'];
const BELOW = ['!', ''];

describe('tests of an attribute with one value, merged', () => {
  it('match the same values as all tests one after another', () => {
    const seed = testSeed();
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const tests = random.times(1, 6, () => randomTest(random));
      const merged = mergeTests(tests);
      const kept = KEYS.concat('!').filter((key) => merged?.every((test) => passes(key, test)) ?? false);
      const expected = KEYS.concat('!').filter((key) => tests.every((test) => passes(key, test)));
      expect(kept, `seed ${seed}, ${JSON.stringify(tests)} → ${JSON.stringify(merged)}`).to.deep.equal(
        expected,
      );
    }
  });

  it('are one list, or one range and one list of exclusions', () => {
    const none = (...keys: string[]): KeyTest => ({ kind: 'none-of', keys });
    const from = (key: string, inclusive = true): KeyTest => ({ kind: 'range', from: { key, inclusive } });
    const to = (key: string, inclusive = true): KeyTest => ({ kind: 'range', to: { key, inclusive } });
    expect(mergeTests([none('=a'), none('=b', '=a')])).to.deep.equal([none('=a', '=b')]);
    expect(mergeTests([{ kind: 'one-of', keys: ['=a', '=b'] }, none('=b'), from('=a')])).to.deep.equal([
      { kind: 'one-of', keys: ['=a'] },
    ]);
    expect(mergeTests([from('=a'), to('=z'), from('=c', false), to('=d'), none('=x')])).to.deep.equal([
      { kind: 'range', from: { key: '=c', inclusive: false }, to: { key: '=d', inclusive: true } },
      none('=x'),
    ]);
  });

  it('match nothing where they contradict each other', () => {
    const one = (...keys: string[]): KeyTest => ({ kind: 'one-of', keys });
    const range = (from: string, to: string, inclusive = true): KeyTest => ({
      kind: 'range',
      from: { key: from, inclusive: true },
      to: { key: to, inclusive },
    });
    for (const tests of [
      [one('=a'), one('=b')],
      [one('=a'), { kind: 'none-of', keys: ['=a'] } as const],
      [one('=a'), range('=b', '=c')],
      [range('=c', '=b')],
      [range('=a', '=b'), range('=c', '=d')],
      [range('=a', '=a', false)],
    ])
      expect(mergeTests(tests), JSON.stringify(tests)).to.equal(null);
  });
});

function randomTest(random: Random): KeyTest {
  const key = () => random.pick(KEYS);
  const bound = () => ({ key: key(), inclusive: random.chance(0.5) });
  switch (random.int(0, 3)) {
    case 0:
      return { kind: 'one-of', keys: random.times(1, 6, key) };
    case 1:
      return { kind: 'none-of', keys: random.times(1, 3, key) };
    case 2:
      return { kind: 'range', from: bound(), ...(random.chance(0.3) && { to: bound() }) };
    default:
      return { kind: 'range', to: { key: random.pick([...KEYS, ...BELOW]), inclusive: random.chance(0.5) } };
  }
}

/** Like the database: by bytes; a range contains values only. */
function passes(key: string, test: KeyTest): boolean {
  if (test.kind !== 'range') return test.keys.includes(key) === (test.kind === 'one-of');
  const order = (bound: string) => Buffer.compare(Buffer.from(key), Buffer.from(bound));
  const { from, to } = test;
  if (order(from?.key ?? '=') < (from && !from.inclusive ? 1 : 0)) return false;
  return !to || order(to.key) < (to.inclusive ? 1 : 0);
}
