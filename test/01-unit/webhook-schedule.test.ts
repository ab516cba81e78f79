import { expect } from 'chai';
import fc from 'fast-check';
import { delayAfter, nextAttempt } from '../../core/webhooks/dispatch/schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Times of all attempts, in minutes; `takes`: how long each answer takes, ms. */
function attempts(takes: (attempt: number) => number): number[] {
  const times: number[] = [];
  for (let at: number | undefined = 0; at !== undefined; ) {
    times.push(at / MINUTE);
    at = nextAttempt(times.length, 0, at + takes(times.length));
  }
  return times;
}

describe('the retry schedule', () => {
  it('waits 1, 2, 4, 8, 16, 32, 60, 60 … minutes', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 76].map((made) => delayAfter(made) / MINUTE);
    expect(delays).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('makes 77 attempts, the last after 71 hours and 3 minutes, when answers take no time', () => {
    const times = attempts(() => 0);
    expect(times.length).to.equal(77);
    expect(times.slice(0, 9)).to.deep.equal([0, 1, 3, 7, 15, 31, 63, 123, 183]);
    expect(times.at(-1)).to.equal(71 * 60 + 3);
  });

  it('counts delays from the end of an attempt', () => {
    const times = attempts(() => MINUTE);
    expect(times.slice(0, 5)).to.deep.equal([0, 2, 5, 10, 19]);
    expect(times.length).to.equal(76);
  });

  it('retries for three days at most, however long answers take', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: MINUTE }), { minLength: 80, maxLength: 80 }),
        (takes) => {
          const times = attempts((attempt) => takes[attempt] ?? 0);
          expect(times.at(-1)).to.be.at.most(72 * 60);
          expect(times.at(-1)).to.be.greaterThan(70 * 60);
          expect(times.length).to.be.within(76, 77);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('ends also when the clock is set back again and again', () => {
    let made = 0;
    for (let due: number | undefined = 0; due !== undefined; made++)
      due = nextAttempt(made + 1, 0, due - 2 * HOUR);
    expect(made).to.equal(77);
  });
});
