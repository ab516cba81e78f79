import { expect } from 'chai';
import { SlowCallLog } from '../../core/slow-call-log.ts';

describe('the log of slow calls', () => {
  function logged(slow: number) {
    const lines: object[] = [];
    const log = new SlowCallLog({ warn: (fields) => lines.push(fields) }, slow);
    return {
      lines,
      note: (milliseconds: number, now: number) => log.record(milliseconds, now, () => ({ now })),
    };
  }

  it('has calls that take as long as the setting, or longer', () => {
    const { lines, note } = logged(1000);
    note(999.9, 0);
    expect(lines).to.deep.equal([]);
    note(1000, 5);
    expect(lines).to.deep.equal([{ now: 5, suppressed: 0 }]);
  });

  it('has one line a second, and counts the calls without one', () => {
    const { lines, note } = logged(1);
    for (const now of [0, 1, 999.9, 1000, 1500, 2000, 9000]) note(1, now);
    expect(lines).to.deep.equal([
      { now: 0, suppressed: 0 },
      { now: 1000, suppressed: 2 },
      { now: 2000, suppressed: 1 },
      { now: 9000, suppressed: 0 },
    ]);
  });

  it('is off with 0', () => {
    const { lines, note } = logged(0);
    note(1e9, 0);
    expect(lines).to.deep.equal([]);
  });
});
