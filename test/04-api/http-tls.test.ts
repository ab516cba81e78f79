import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { z } from 'zod';
import { StartError } from '../../config/start-error.ts';
import { loadCertificate } from '../../gateway/listeners/certificate.ts';
import { definePlugin, type PluginServices } from '../../plugins/contract.ts';
import { get, rawRequest } from '../support/clients/raw-http.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { freePort, runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const NOTHING = { certificate: null, key: null };

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(StartError);
  const { message } = error as StartError;
  expect(message)
    .to.match(/^[A-Z/].*\.$/)
    .and.to.not.include('\n');
  return message;
}

describe('HTTPS', () => {
  let gateway: TestGateway;
  let port: number;
  let ca: string;
  before(async () => {
    gateway = await runGateway({ tls: true, isFirstStart: true });
    port = Number(new URL(gateway.urls.https ?? '').port);
    ca = await readFile(join(gateway.dataDir, 'tls/certificate.pem'), 'utf8');
  });
  after(() => gateway.end());

  function shake(options: ConnectionOptions): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', ca, ...options }, () => resolve(socket));
      socket.once('error', reject);
    });
  }

  it('has a self-signed certificate for the loopback names and the hosts of the surfaces', async () => {
    for (const servername of ['localhost', 'deliver.localhost', 'manage.localhost']) {
      const socket = await shake({ servername });
      expect(socket.authorized, servername).to.equal(true);
      socket.destroy();
    }
    const byAddress = await shake({});
    expect(byAddress.authorized).to.equal(true);
    byAddress.destroy();
    expect((await stat(join(gateway.dataDir, 'tls/key.pem'))).mode & 0o777).to.equal(0o600);
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`speaks ${version}`, async () => {
      const socket = await shake({ minVersion: version, maxVersion: version });
      expect(socket.getProtocol()).to.equal(version);
      socket.destroy();
    });
  }

  it('does not speak TLS 1.1', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const error = await shake(old).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
  });

  it('serves HTTP/1.1, with https in the public base URLs', async () => {
    const answer = await rawRequest(gateway.urls.https ?? '', get(ITEMS));
    expect(answer.status).to.equal(200);
    expect(gateway.core.requests.at(-1)?.bases.self).to.equal('https://localhost/delivery');
  });

  it('serves many requests on one HTTP/2 session', async () => {
    const session = connectHttp2(`https://localhost:${port}`, { ca });
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const stream = session.request({ ':path': ITEMS });
        stream.resume();
        const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
        await once(stream, 'end');
        return headers[':status'];
      }),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    expect(gateway.core.requests.at(-1)?.bases.self).to.equal(`https://localhost:${port}/delivery`);
    session.close();
  });

  it('reads the bytes of a URL of HTTP/2 that are not encoded as UTF-8', async () => {
    const session = connectHttp2(`https://localhost:${port}`, { ca });
    const given = `${ITEMS}/é?elements.title=Zürich`;
    const stream = session.request({ ':path': Buffer.from(given).toString('latin1') });
    stream.resume();
    await once(stream, 'end');
    expect(gateway.core.requests.at(-1)).to.include({
      path: `/${PROJECTS.open}/items/%C3%A9`,
      query: 'elements.title=Z%C3%BCrich',
    });
    session.close();
  });

  const paths: [string, number][] = [
    ['/nothing', 404],
    [`/preview/${PROJECTS.open}/items`, 401],
    [`/delivery/${PROJECTS.open}/%zz`, 400],
    [`/delivery/${'x'.repeat(70_000)}`, 414],
  ];
  for (const [path, status] of paths) {
    it(`answers an error of HTTP/2 with the documented body: ${status}`, async () => {
      const session = connectHttp2(`https://localhost:${port}`, { ca, maxSendHeaderBlockLength: 200_000 });
      const stream = session.request({ ':path': path });
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      expect(headers[':status']).to.equal(status);
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      expect(body['request_id']).to.equal(headers['x-request-id']);
      session.close();
    });
  }

  for (const [path, status] of paths) {
    it(`answers an error of a HEAD request of HTTP/2 with its headers: ${status}`, async () => {
      const session = connectHttp2(`https://localhost:${port}`, { ca, maxSendHeaderBlockLength: 200_000 });
      const stream = session.request({ ':path': path, ':method': 'HEAD' }).resume();
      let headers: Record<string, unknown> = {};
      stream.once('response', (received) => {
        headers = received;
      });
      await once(stream, 'close');
      expect(headers[':status']).to.equal(status);
      expect(headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(Number(headers['content-length'])).to.be.above(50);
      session.close();
    });
  }

  it('survives plain HTTP and random bytes on its port', async () => {
    await rawRequest(`http://127.0.0.1:${port}`, get(ITEMS)).catch(() => {});
    await rawRequest(`http://127.0.0.1:${port}`, Buffer.alloc(2000, 7)).catch(() => {});
    await rawRequest(gateway.urls.https ?? '', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nrubbish').catch(() => {});
    expect((await rawRequest(gateway.urls.https ?? '', get(ITEMS))).status).to.equal(200);
  });
});

describe('the certificate', () => {
  let dataDir: string;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'headwater-tls-'));
  });
  after(() => rm(dataDir, { recursive: true, force: true }));
  const options = (now = new Date()) => ({ dataDir, names: ['localhost'], now });
  const file = async (name: string, text: string) => {
    const path = join(dataDir, name);
    await writeFile(path, text);
    return path;
  };

  it('of the first start is used again, and replaced before it expires', async () => {
    const first = await loadCertificate(NOTHING, options());
    expect(await loadCertificate(NOTHING, options())).to.deep.equal(first);
    const later = new Date();
    later.setUTCFullYear(later.getUTCFullYear() + 10);
    expect((await loadCertificate(NOTHING, options(later))).cert).to.not.equal(first.cert);
  });

  it('of the operator is used', async () => {
    const { cert, key } = await loadCertificate(NOTHING, options());
    const files = { certificate: await file('c.pem', cert), key: await file('k.pem', key) };
    expect(await loadCertificate(files, { ...options(), dataDir: '/nowhere' })).to.deep.equal({ cert, key });
  });

  it('that is missing, invalid or does not match the key stops the start with one sentence', async () => {
    const good = await loadCertificate(NOTHING, options());
    const otherDir = await mkdtemp(join(tmpdir(), 'headwater-tls-'));
    const other = await loadCertificate(NOTHING, { ...options(), dataDir: otherDir });
    await rm(otherDir, { recursive: true });
    const [cert, key, otherKey, rubbish] = await Promise.all([
      file('cert.pem', good.cert),
      file('key.pem', good.key),
      file('other.pem', other.key),
      file('rubbish.pem', 'rubbish'),
    ]);
    const load = (certificate: string, keyFile: string) =>
      refusal(loadCertificate({ certificate, key: keyFile }, options()));
    expect(await load('/nowhere/c.pem', key)).to.include(
      '/nowhere/c.pem cannot be read: there is no such file',
    );
    expect(await load(rubbish, key)).to.include('rubbish.pem holds no PEM certificate');
    expect(await load(cert, rubbish)).to.include('rubbish.pem holds no PEM private key');
    expect(await load(cert, otherKey)).to.include('is not the one of the certificate');
  });
});

describe('a listener that cannot open', () => {
  it('is never reported as ready while another port is bound already', async () => {
    const port = await freePort();
    const squatter = createServer().listen(port, '127.0.0.1');
    await once(squatter, 'listening');
    let report: PluginServices['report'] | undefined;
    const reporter = definePlugin({
      name: 'reporter',
      phase: 'edge',
      surfaces: ['docs'],
      settings: z.strictObject({}),
      setup(_, services) {
        report = services.report;
        return { handle: (_context, next) => next() };
      },
    });
    let isStarting = true;
    const starting = refusal(runGateway({ settings: { tlsPort: port }, own: [reporter] }));
    const ended = starting.finally(() => {
      isStarting = false;
    });
    const answers: boolean[] = [];
    while (isStarting) {
      if (report) answers.push((await report()).ok);
      await setImmediate();
    }
    await ended;
    expect(answers.length).to.be.greaterThan(1);
    expect(answers).to.not.include(true);
    squatter.close();
  });

  it('names the port that is taken, and leaves nothing open', async () => {
    const port = await freePort();
    const squatter = createServer().listen(port, '127.0.0.1');
    await once(squatter, 'listening');
    const message = await refusal(runGateway({ settings: { port } }));
    const taken = `The address 127.0.0.1:${port} is taken by another program; stop that or set another address`;
    expect(message).to.equal(`${taken} (HEADWATER_HOST, HEADWATER_PORT).`);
    const plain = await freePort();
    expect(await refusal(runGateway({ settings: { port: plain, tlsPort: port } }))).to.equal(
      `${taken} (HEADWATER_HOST, HEADWATER_TLS_PORT).`,
    );
    const again = createServer().listen(plain, '127.0.0.1');
    await once(again, 'listening');
    again.close();
    squatter.close();
  });

  it('writes an IPv6 address in brackets before its port', async () => {
    const squatter = createServer().listen(0, '::1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    expect(await refusal(runGateway({ settings: { host: '::1', port } }))).to.include(
      `The address [::1]:${port} is taken`,
    );
    squatter.close();
  });

  it('names an address that is not of this machine', async () => {
    expect(await refusal(runGateway({ settings: { host: '192.0.2.1' } }))).to.include('192.0.2.1');
  });

  it('names a log file that cannot be written', async () => {
    const message = await refusal(runGateway({ plugins: { 'access-log': { file: '/nowhere/access.log' } } }));
    expect(message)
      .to.include("The plugin 'access-log' does not start")
      .and.to.include('/nowhere/access.log');
  });
});
