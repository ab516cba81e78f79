import { expect } from 'chai';
import { FailurePauses } from '../../core/webhooks/dispatch/failure-pauses.ts';
import { FakeClock } from '../support/webhooks/fake-clock.ts';

describe('failures of the queues of webhooks', () => {
  it('are logged once while they last, each kind, and again when they come back', () => {
    const clock = new FakeClock();
    const logged: string[] = [];
    const pauses = new FailurePauses(clock, (error) => logged.push((error as Error).message));
    const failFor = (seconds: number, message: string) => {
      for (let second = 0; second < seconds; second += 1) {
        void pauses.pause(new Error(message));
        clock.advance(1000);
      }
    };
    failFor(300, 'The disk is full.');
    expect(logged).to.deep.equal(['The disk is full.']);
    failFor(300, 'The database is away.');
    clock.advance(3_600_000);
    failFor(5, 'The database is away.');
    expect(logged.slice(1)).to.deep.equal(['The database is away.', 'The database is away.']);
    pauses.close();
  });
});
