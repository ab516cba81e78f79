import { expect } from 'chai';
import { planKey } from '../../core/images/plan-key.ts';
import type { Encoding, ImagePlan } from '../../workers/images/image-transform.ts';

const ENCODINGS: readonly Encoding[] = [
  { format: 'jpeg', progressive: true, quality: 85 },
  { format: 'png', palette: false },
  { format: 'webp', quality: 85 },
  { format: 'webp', lossless: true },
  { format: 'gif' },
];

const PLANS: readonly ImagePlan[] = ENCODINGS.map((encoding) => ({
  window: { left: 1, top: 2, width: 3, height: 4 },
  width: 5,
  height: 6,
  background: { red: 7, green: 8, blue: 9, alpha: 10 },
  frames: 'all',
  encoding,
}));

/** Copies of a record, each with one value changed, at any depth. */
function variations(value: object): object[] {
  return Object.entries(value).flatMap(([name, entry]) => {
    const others =
      typeof entry === 'object' && entry !== null ? [...variations(entry), null] : [`other than ${entry}`];
    return others.map((other) => ({ ...value, [name]: other }));
  });
}

function reversed(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, entry]) => [name, typeof entry === 'object' && entry !== null ? reversed(entry) : entry]),
  );
}

describe('the key of an image plan', () => {
  it('differs with every field of the plan', () => {
    const all = PLANS.flatMap((plan) => [plan, ...variations(plan)]) as ImagePlan[];
    const distinct = new Set(all.map((plan) => JSON.stringify(plan)));
    expect(new Set(all.map(planKey)).size).to.equal(distinct.size);
  });

  it('does not depend on the order in which a plan was built', () => {
    for (const plan of PLANS) expect(planKey(reversed(plan) as ImagePlan)).to.equal(planKey(plan));
  });
});
