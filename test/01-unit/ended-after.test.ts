import { expect } from 'chai';
import { Cancellation } from '../../core/turns/cancellation.ts';
import { endedAfter } from '../../core/turns/ended-after.ts';

const late = () => new Error('late');
const forever = () => new Promise<never>(() => {});
const outcome = (work: Promise<unknown>) =>
  work.then(
    (value) => value,
    (error: Error) => error.message,
  );

describe('work that ends after a time', () => {
  it('is refused then, and its signal fires', async () => {
    let signal: { readonly aborted: boolean } | undefined;
    const work = endedAfter(
      20,
      undefined,
      (own) => {
        signal = own;
        return forever();
      },
      late,
    );
    expect(signal?.aborted).to.equal(false);
    expect(await outcome(work)).to.equal('late');
    expect(signal?.aborted).to.equal(true);
  });

  it('has its result or its error in time, and the signal of the caller alone ends what goes on after it', async () => {
    const caller = new Cancellation();
    let aborted = 0;
    const work = endedAfter(
      5,
      caller,
      async (own) => {
        own.addEventListener('abort', () => {
          aborted += 1;
        });
        return 'a stream';
      },
      late,
    );
    expect(await outcome(work)).to.equal('a stream');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(aborted).to.equal(0);
    caller.abort(new Error('gone'));
    expect(aborted).to.equal(1);
    expect(await outcome(endedAfter(5, undefined, () => Promise.reject(new Error('own')), late))).to.equal(
      'own',
    );
  });

  it('is ended with its caller, also by one who is gone before', async () => {
    const caller = new Cancellation();
    caller.abort(new Error('gone'));
    const seen = endedAfter(1000, caller, async ({ aborted, reason }) => [aborted, reason], late);
    expect(await seen).to.deep.equal([true, caller.reason]);
  });
});
