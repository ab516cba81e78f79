import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { DatabaseClock } from '../../core/storage/postgres/database-clock.ts';

describe('the clock of the database', () => {
  /** The time of a database whose clock is `ahead` of a common origin. */
  const timeOf = (ahead: number) => performance.now() + ahead;
  const now = (clock: DatabaseClock) => clock.now().getTime();

  it('is never ahead of it, and as close as the quickest answer', async () => {
    const clock = new DatabaseClock();
    for (const delay of [60, 2, 60]) {
      const began = performance.now();
      const time = timeOf(1e12);
      await pause(delay);
      clock.observe(time, began);
      expect(now(clock)).to.be.at.most(timeOf(1e12));
    }
    expect(timeOf(1e12) - now(clock)).to.be.below(50);
  });

  it('follows a clock that was set', () => {
    const clock = new DatabaseClock();
    for (const ahead of [1e12, 1e12 + 3_600_000, 1e12 - 3_600_000]) {
      clock.observe(timeOf(ahead), performance.now());
      expect(now(clock)).to.be.closeTo(timeOf(ahead), 5);
    }
  });

  it('does not go back for an answer that was long under way', async () => {
    const clock = new DatabaseClock();
    clock.observe(timeOf(1e12), performance.now());
    const began = performance.now();
    const time = timeOf(1e12);
    await pause(60);
    const before = now(clock);
    clock.observe(time, began);
    expect(now(clock)).to.be.at.least(before);
  });
});
