import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { callCores } from '../../core/remote/client/core-calls.ts';
import { type Call, type CoreConnection, NotBegun } from '../../core/remote/client/core-connection.ts';
import type { CoreList } from '../../core/remote/client/core-list.ts';
import type { Reply } from '../../core/remote/client/pending-call.ts';

const CALL = { path: '/calls/key', head: '', body: null, isRepeatable: true };
const FAILS_AFTER_MS = 60;

describe('a call that a core does not answer', () => {
  /** Milliseconds that each attempt had. */
  let times: number[];
  let list: CoreList;

  function core(name: string, outcome: () => Promise<Reply>): CoreConnection {
    const call = ({ timeout }: Call, remaining = timeout) => {
      times.push(remaining);
      return outcome();
    };
    return { name, running: 0, retries: 0, isAvailable: true, call } as unknown as CoreConnection;
  }
  const lost = async (): Promise<Reply> => {
    await pause(FAILS_AFTER_MS);
    throw new NotBegun('It was killed.');
  };

  beforeEach(() => {
    times = [];
    const connections = [core('a', lost), core('b', async () => ({ status: 200 }) as Reply)];
    list = { connections, isGreeted: true } as unknown as CoreList;
  });

  it('is repeated at another core in what remains of its time', async () => {
    expect((await callCores(list, { ...CALL, timeout: 60_000 })).status).to.equal(200);
    expect(times).to.have.length(2);
    expect(times[0]).to.be.above(59_000).and.at.most(60_000);
    // Timers may fire a millisecond early.
    expect(times[1]).to.be.below(60_000 - FAILS_AFTER_MS + 2);
  });

  it('is not repeated once its time is over', async () => {
    const error = await callCores(list, { ...CALL, timeout: FAILS_AFTER_MS / 2 }).catch((thrown) => thrown);
    expect(error).to.be.instanceOf(NotBegun);
    expect(times).to.have.length(1);
  });

  it('may take any time where it has no limit', async () => {
    expect((await callCores(list, { ...CALL, timeout: 0 })).status).to.equal(200);
    expect(times).to.deep.equal([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });
});
