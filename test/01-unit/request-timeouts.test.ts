import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { limitRequestTimes } from '../../core/http/request-timeouts.ts';

const LIMIT_MS = 1000;
const CHECKING_MS = 100;

describe('the time that a request may take to arrive', () => {
  const server = createServer({ connectionsCheckingInterval: CHECKING_MS }, (_request, response) =>
    response.end(),
  );
  let port: number;
  before(async () => {
    limitRequestTimes(server, { headersTimeout: LIMIT_MS, requestTimeout: LIMIT_MS });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => server.close());

  async function begun(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
    // The server has read it.
    await pause(50);
    return socket;
  }

  it('is limited', async () => {
    expect(await text(await begun())).to.match(/^HTTP\/1\.1 408 /);
  });

  it('does not count what arrived while this process was stopped', async () => {
    const [complete, incomplete] = [await begun(), await begun()];
    await setImmediate();
    complete.write('Connection: close\r\n\r\n');
    // Timers come next: Node checks the times before it reads.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * LIMIT_MS);
    const answers = await Promise.all([text(complete), text(incomplete)]);
    expect(answers[0]).to.match(/^HTTP\/1\.1 200 /);
    expect(answers[1]).to.match(/^HTTP\/1\.1 408 /);
  });
});
