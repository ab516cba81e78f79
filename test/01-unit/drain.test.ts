import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { expect } from 'chai';
import { type ConnectionState, drain } from '../../gateway/listeners/drain.ts';
import { createSelfSigned } from '../../gateway/listeners/self-signed.ts';
import { until } from '../support/until.ts';

/** A connection that reports what the drain reads. */
class Connection {
  bytesRead = 0;
  bytesWritten = 0;
  writableLength = 0;
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

  for (const scheme of ['http', 'https'])
    it(`waits while a client over ${scheme} reads a response that was written at once`, async () => {
      const validity = { from: new Date(), until: new Date(Date.now() + 3_600_000) };
      const server =
        scheme === 'http' ? createServer() : createTlsServer(await createSelfSigned(['localhost'], validity));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const accepted = once(server, scheme === 'http' ? 'connection' : 'secureConnection');
      const client =
        scheme === 'http'
          ? connect(port, '127.0.0.1')
          : connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      const [socket] = (await accepted) as [Socket];
      try {
        socket.on('error', () => {});
        socket.cork();
        for (let piece = 0; piece < 30; piece++) socket.write(Buffer.alloc(1_000_000));
        socket.uncork();
        const draining = drain(
          () => [socket],
          () => 'waiting for client',
          () => now,
        );
        let read = 0;
        let most = 0;
        client
          .on('error', () => {})
          .on('data', (data: Buffer) => {
            read += data.length;
            if (read >= most) client.pause();
          });
        for (most of [4_000_000, 8_000_000, 12_000_000]) {
          client.resume();
          await until(() => read >= most);
          draining.closeStalled();
          expect(socket.destroyed).to.equal(false);
          now += 4000;
        }
        now += 6000;
        draining.closeStalled();
        expect(socket.destroyed).to.equal(true);
      } finally {
        client.destroy();
        socket.destroy();
        server.close();
      }
    });
});
