import type { Socket } from 'node:net';
import { expect } from 'chai';
import { type ConnectionState, drain } from '../../gateway/listeners/drain.ts';

/** A connection that reports what the drain reads. */
class Connection {
  bytesRead = 0;
  bytesWritten = 0;
  isCut = false;
  destroy(): void {
    this.isCut = true;
  }
}

describe('a stop', () => {
  let now: number;
  let connection: Connection;
  let doing: ConnectionState;
  let draining: { closeStalled(): void };
  beforeEach(() => {
    now = 1000;
    connection = new Connection();
    draining = drain(
      () => [connection as unknown as Socket],
      () => doing,
      () => now,
    );
  });
  /** Checks every 50 ms. @returns after how long the connection was closed; null = never */
  function cutAfter(most: number, meanwhile: () => void = () => {}): number | null {
    const began = now;
    for (; now - began <= most; now += 50) {
      draining.closeStalled();
      if (connection.isCut) return now - began;
      meanwhile();
    }
    return null;
  }

  it('waits for the first request of a new connection', () => {
    doing = 'new';
    expect(cutAfter(10_000)).to.equal(250);
  });

  it('waits for a request that is arriving as long as it arrives, then a second', () => {
    doing = 'idle';
    let bytes = 40;
    expect(
      cutAfter(10_000, () => {
        connection.bytesRead += bytes > 0 ? 1 : 0;
        bytes -= 1;
      }),
    ).to.equal(40 * 50 + 1000);
  });

  it('waits for a client that reads slowly, and not for one that does not read', () => {
    doing = 'waiting for client';
    let pauses = 0;
    expect(
      cutAfter(20_000, () => {
        pauses += 1;
        if (pauses % 80 === 0) connection.bytesWritten += 1;
      }),
    ).to.equal(null);
    expect(cutAfter(20_000)).to.be.within(1000, 5000);
  });

  it('never closes a connection whose request is being handled', () => {
    doing = 'active';
    expect(cutAfter(60_000)).to.equal(null);
  });
});
