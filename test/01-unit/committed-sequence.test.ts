import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { ServiceError } from '../../core/errors.ts';
import { committing } from '../../core/http/committed-sequence.ts';
import type { Installation } from '../../core/transaction/installation.ts';
import type { Operations } from '../../core/transaction/operations.ts';
import { until } from '../support/until.ts';

/** Each transaction commits under the next sequence. */
function counted() {
  let sequence = 0;
  const operations = {
    async installation(
      _actor: string | null,
      work: (installation: Installation) => Promise<unknown>,
      check: () => void,
    ) {
      check();
      sequence += 1;
      return work({ tx: { sequence, logged: true } } as unknown as Installation);
    },
  } as unknown as Operations;
  return operations;
}

describe('the writes of one request', () => {
  it('have the sequence of the last of them', async () => {
    const own = committing(counted());
    expect(own.committed()).to.equal(undefined);
    await own.operations.installation(null, async () => {});
    await own.operations.installation(null, async () => {});
    expect(own.committed()).to.equal(2);
  });

  it('do not begin once the caller is gone, and are completed after the first', async () => {
    const caller = new AbortController();
    const own = committing(counted(), { signal: caller.signal });
    let done = 0;
    const write = () =>
      own.operations.installation(null, async () => {
        done += 1;
      });
    await write();
    caller.abort();
    await write();
    expect(done).to.equal(2);
    const late = committing(counted(), { signal: caller.signal });
    const refused = await late.operations
      .installation(null, async () => {
        done += 1;
      })
      .catch((error: Error) => error.message);
    expect(refused).to.equal('The request was cancelled.');
    expect([done, late.committed()]).to.deep.equal([2, undefined]);
  });

  it('are refused where their turn comes too late, and are completed after the first', async () => {
    const { installation, ...others } = counted();
    let wait = 0;
    let ended = 0;
    const operations: Operations = {
      ...others,
      async installation(actor, work, check) {
        if (wait > 0) await pause(wait);
        return installation(actor, work, check).finally(() => {
          ended += 1;
        });
      },
    };
    const own = committing(operations, {}, 1);
    let done = 0;
    const write = (to = own) =>
      to.operations.installation(null, async () => {
        done += 1;
      });
    await write();
    wait = 50;
    await write();
    expect(done).to.equal(2);
    const late = committing(operations, {}, 1);
    const error = await write(late).catch((thrown: ServiceError) => thrown);
    expect(ended, 'it is refused before its turn').to.equal(2);
    await until(() => ended === 3);
    expect(error).to.include({ errorName: 'unavailable', status: 503 });
    expect([done, late.committed()]).to.deep.equal([2, undefined]);
  });
});
