import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { FileBody } from '../../core/storage/blobs/file-body.ts';
import { until } from '../support/until.ts';

const SIZE = 40 * 1024 * 1024;

describe('the body of a request that is a file', () => {
  const content = randomBytes(SIZE);
  let folder: string;
  let path: string;
  let server: Server;
  let receive: (body: IncomingMessage) => Promise<unknown>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-body-'));
    path = join(folder, 'file');
    await writeFile(path, content);
    server = createServer(async (incoming, answer) => {
      await receive(incoming).catch(() => {});
      answer.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  function call(agent?: Agent) {
    const { port } = server.address() as AddressInfo;
    const outgoing = request({
      port,
      method: 'PUT',
      headers: { 'content-length': SIZE },
      ...(agent && { agent }),
    });
    outgoing.on('error', () => {});
    return outgoing;
  }

  async function openFiles(): Promise<number> {
    const links = (await readdir('/proc/self/fd')).map((number) =>
      readlink(`/proc/self/fd/${number}`).catch(() => ''),
    );
    return (await Promise.all(links)).filter((target) => target === path).length;
  }

  it('is all of the file, in order', async () => {
    let received: Buffer | undefined;
    receive = async (body) => {
      received = await buffer(body);
    };
    const body = new FileBody(path);
    const [answer] = (await once(body.pipe(call()), 'response')) as [IncomingMessage];
    answer.resume();
    expect(received?.equals(content)).to.equal(true);
    expect(body.sent).to.equal(SIZE);
    await until(async () => (await openFiles()) === 0);
  });

  it('is read no faster than it is received', async () => {
    let incoming: IncomingMessage | undefined;
    receive = async (body) => {
      incoming = body;
      await pause(300);
      return buffer(body);
    };
    const body = new FileBody(path);
    const outgoing = body.pipe(call());
    await until(async () => incoming !== undefined);
    await pause(200);
    // What the system holds of a connection is a few megabytes.
    expect(body.sent).to.be.within(0, SIZE / 2);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    answer.resume();
    expect(body.sent).to.equal(SIZE);
  });

  for (const [what, end] of [
    ['the body', (body: FileBody) => body.destroy()],
    ['the request', (_: FileBody, outgoing: ReturnType<typeof request>) => outgoing.destroy()],
  ] as const)
    it(`leaves no open file where ${what} ends early`, async () => {
      let isReceiving = false;
      receive = (body) => {
        body.pause();
        isReceiving = true;
        return once(body, 'close');
      };
      const body = new FileBody(path);
      const outgoing = body.pipe(call());
      await until(async () => isReceiving);
      expect(await openFiles()).to.equal(1);
      end(body, outgoing);
      await until(async () => (await openFiles()) === 0);
      expect(body.destroyed).to.equal(true);
      outgoing.destroy();
    });

  it('leaves no open file where it ends before there is a connection', async () => {
    receive = (body) => once(body, 'close');
    const agent = new Agent({ maxSockets: 1 });
    const first = call(agent);
    first.flushHeaders();
    const body = new FileBody(path);
    const waiting = body.pipe(call(agent));
    await until(async () => (await openFiles()) === 1);
    body.destroy();
    await until(async () => (await openFiles()) === 0);
    waiting.destroy();
    first.destroy();
    agent.destroy();
  });

  it('emits the error of a file that cannot be read', async () => {
    const outgoing = call();
    const body = new FileBody(join(folder, 'none'));
    body.pipe(outgoing);
    const [error] = (await once(body, 'error')) as [NodeJS.ErrnoException];
    expect(error).to.include({ code: 'ENOENT', path: join(folder, 'none') });
    outgoing.destroy();
  });
});
