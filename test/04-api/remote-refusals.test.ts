import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { bodyHash, sign } from '../../core/remote/protocol/signature.ts';
import { toHeader } from '../../core/remote/protocol/wire.ts';
import {
  connectTo,
  coreRequest,
  INTERNAL_TOKEN,
  type ServedFakeCore,
  serveFakeCore,
} from '../support/gateway/remote-core.ts';
import { hasAllTests, longTest } from '../support/long-form.ts';
import { leastTimeOf } from '../support/measure/least-of.ts';

type Headers = Record<string, string>;
interface Answer {
  readonly status: number;
  readonly outcome: string | undefined;
  readonly text: string;
}

describe('a core refuses', () => {
  let core: ServedFakeCore;
  let id: string;
  const caller = randomUUID();
  let number = 0;
  const head = toHeader({ ...coreRequest(), hasBody: false });

  before(async () => {
    core = await serveFakeCore();
    const hello = await send('GET', '/hello', { 'headwater-nonce': randomUUID() });
    id = (JSON.parse(hello.text) as { core: string }).core;
  });
  after(() => core.close());
  afterEach(() => {
    expect(core.fake.requests).to.have.length(0);
    expect(core.fake.counts).to.have.length(0);
    expect(core.fake.usedKeys).to.have.length(0);
    expect(core.log).to.deep.equal([]);
  });

  function send(method: string, path: string, headers: Headers = {}, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { method, path, host: '127.0.0.1', port: core.port, headers, agent: false };
      const outgoing = request(options, (answer) => {
        let text = '';
        answer.on('data', (piece) => (text += String(piece)));
        answer.on('end', () => {
          const outcome = answer.headers['headwater-outcome'] as string | undefined;
          resolve({ status: answer.statusCode ?? 0, outcome, text });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** Headers of a call that is signed as a gateway does. */
  function signed(path: string, value = head, more: Partial<Parameters<typeof sign>[1]> = {}): Headers {
    number += 1;
    const call = { core: id, path, head: value, caller, number, time: Date.now(), ...more };
    return {
      'headwater-protocol': '1',
      'headwater-head': value,
      'headwater-signature': sign(INTERNAL_TOKEN, call),
    };
  }

  function expectRefused(answer: Answer, status: number, message: RegExp): void {
    expect(answer).to.include({ status, outcome: 'refused' });
    const { message: sentence } = JSON.parse(answer.text) as { message: string };
    expect(sentence)
      .to.match(message)
      .and.to.match(/^[A-Z].*\.$/);
    expect(answer.text).to.not.include(INTERNAL_TOKEN);
  }

  it('a call that was received before, with its body or another', async () => {
    const body = JSON.stringify({ hash: 'none' });
    const headers = signed('/calls/key', bodyHash(Buffer.from(body)));
    expect(await send('POST', '/calls/key', headers, body)).to.include({ status: 200, outcome: 'answer' });
    expectRefused(await send('POST', '/calls/key', headers, body), 401, /received before/);
    expectRefused(await send('POST', '/calls/key', headers, '{}'), 401, /received before/);
  });

  const signature = (change: (parts: string[]) => void): Headers => {
    const headers = signed('/requests');
    const parts = headers['headwater-signature']!.split('.');
    change(parts);
    return { ...headers, 'headwater-signature': parts.join('.') };
  };
  const forged: readonly [string, () => Headers, number, RegExp][] = [
    ['no head', () => ({ 'headwater-protocol': '1' }), 400, /needs 'headwater-head'/],
    [
      'a head but no signature',
      () => ({ 'headwater-protocol': '1', 'headwater-head': head }),
      401,
      /not signed/,
    ],
    [
      'the signature of another head',
      () => ({ ...signed('/requests'), 'headwater-head': head.replace('GET', 'PUT') }),
      401,
      /not signed/,
    ],
    ['the signature of another path', () => signed('/calls/key'), 401, /not signed/],
    ['another number', () => signature((parts) => (parts[2] = '999999')), 401, /not signed/],
    ['another time', () => signature((parts) => (parts[3] = `${Date.now() + 1}`)), 401, /not signed/],
    ['another MAC', () => signature((parts) => (parts[4] = 'A'.repeat(43))), 401, /not signed/],
    ['a signature that is none', () => signature((parts) => parts.pop()), 401, /not signed/],
    [
      'the signature for another core',
      () => signed('/requests', head, { core: randomUUID() }),
      421,
      /another core/,
    ],
    ['an old signature', () => signed('/requests', head, { time: Date.now() - 61_000 }), 401, /clocks/],
    [
      'a signature of the future',
      () => signed('/requests', head, { time: Date.now() + 61_000 }),
      401,
      /clocks/,
    ],
    ['no version', () => ({}), 426, /speaks no version .* update the older/],
    [
      'another version',
      () => ({ ...signed('/requests'), 'headwater-protocol': '7' }),
      426,
      /speaks version 7 /,
    ],
    ['a version that is none', () => ({ 'headwater-protocol': '<b>' }), 426, /speaks no version/],
    ['a head that is too long', () => signed('/requests', 'x'.repeat(262_145)), 400, /at most 262144 bytes/],
  ];
  for (const [name, headers, status, message] of forged)
    it(`a call with ${name}`, async () => {
      expectRefused(await send('POST', '/requests', headers()), status, message);
    });

  it('headers that exceed all bounds, without an answer of core', async () => {
    // Node 24 and 26 close the connection before the rest of the head is sent.
    const refusal = await send('POST', '/requests', { 'headwater-head': 'x'.repeat(600_000) }).then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    expect(refusal).to.be.oneOf([431, 'ECONNRESET', 'EPIPE']);
    expect((await send('POST', '/requests')).status, 'core goes on').to.equal(426);
  });

  const good = JSON.parse(head) as Record<string, unknown>;
  const heads: readonly unknown[] = [
    'no JSON',
    '[]',
    'null',
    '"text"',
    '{}',
    ...Object.keys(good).map((name) => ({ ...good, [name]: undefined })),
    ...Object.keys(good).map((name) => ({ ...good, [name]: 7 })),
    { ...good, surface: 'docs' },
    { ...good, method: 'GET\r\nX: 1' },
    { ...good, path: 'items' },
    { ...good, headers: { accept: ['a'] } },
    { ...good, bases: { self: 'a' } },
    { ...good, principal: { kind: 'root' } },
    { ...good, principal: { kind: 'key', key: 'k', keyKind: 'all', user: null } },
    { ...good, principal: { kind: 'key', key: 'k', keyKind: 'management' } },
    { ...good, known: { tags: 'all', sequence: 1 } },
    { ...good, known: { tags: ['a'], sequence: 'b' } },
    { ...good, client: {} },
    { ...good, traceparent: 1 },
    { ...good, isPlain: 'yes' },
  ];
  it(`signed heads that are no request, ${heads.length} of them`, async () => {
    for (const value of heads) {
      const text = typeof value === 'string' ? value : toHeader(value);
      expectRefused(await send('POST', '/requests', signed('/requests', text)), 400, /head of the call/);
    }
  });

  const inputs: readonly [name: string, body: string][] = [
    ['project', ''],
    ['project', '{'],
    ['project', '{}'],
    ['project', '{"id":1}'],
    ['project', JSON.stringify({ id: 'x'.repeat(201) })],
    ['key', '[]'],
    ['admin-token', '{"hash":null}'],
    ['keys-used', '{"keys":"all"}'],
    ['keys-used', '{"keys":[1]}'],
    ['usage', '{"source":"s","number":-1,"counts":[]}'],
    [
      'usage',
      '{"source":"s","number":1,"counts":[{"project":"p","surface":"console","day":"2026-11-20","calls":1}]}',
    ],
    [
      'usage',
      '{"source":"s","number":1,"counts":[{"project":"p","surface":"delivery","day":"today","calls":1}]}',
    ],
    [
      'usage',
      '{"source":"s","number":1,"counts":[{"project":"p","surface":"delivery","day":"2026-11-20","calls":-1}]}',
    ],
    ['quotas', 'null'],
    ['feed-confirmed', '{"gateway":"g"}'],
    ['health', '{}'],
  ];
  for (const [name, body] of inputs)
    it(`the input ${body.slice(0, 60) || 'nothing'} of ${name}`, async () => {
      const path = `/calls/${name}`;
      const headers = signed(path, bodyHash(Buffer.from(body)));
      expectRefused(await send('POST', path, headers, body), 400, /no input of the call/);
    });

  it('a body that is not the signed one, and one that is too long', async () => {
    const headers = signed('/calls/key', bodyHash(Buffer.from('{"hash":"a"}')));
    expectRefused(
      await send('POST', '/calls/key', headers, '{"hash":"b"}'),
      401,
      /not the one that was signed/,
    );
    const long = 'x'.repeat(4_194_305);
    const signedLong = signed('/calls/key', bodyHash(Buffer.from(long)));
    expectRefused(await send('POST', '/calls/key', signedLong, long), 413, /at most 4194304 bytes/);
  });

  longTest('a body that is too long and does not end, and answers others afterwards', async () => {
    const headers = Object.entries(signed('/calls/key', bodyHash(Buffer.from('x'))));
    const socket = connect(core.port, '127.0.0.1').resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    // The core may reset the connection.
    socket.on('error', () => {});
    const lines = ['POST /calls/key HTTP/1.1', 'host: core', 'content-length: 5000000'];
    socket.write([...lines, ...headers.map(([name, value]) => `${name}: ${value}`), '\r\n'].join('\r\n'));
    socket.write('x'.repeat(4_500_000));
    await closed;
    // By then the core has ended the connections of such requests.
    await pause(2500);
    expect(await send('GET', '/health/live')).to.include({ status: 200 });
  });

  for (const name of ['nothing', 'constructor', '__proto__', 'toString'])
    it(`the unknown call ${name}`, async () => {
      const headers = signed(`/calls/${name}`, bodyHash(Buffer.alloc(0)));
      expectRefused(await send('POST', `/calls/${name}`, headers), 404, /no such call/);
    });

  it('a position of the feed that is none', async () => {
    for (const text of ['{}', '{"gateway":"g","after":1}', '{"gateway":"g","after":{"sequence":1}}', 'x'])
      expectRefused(await send('POST', '/feed', signed('/feed', text)), 400, /head of the call/);
  });

  it('hellos without a nonce, or with a bad one', async () => {
    for (const nonce of ['', 'short', 'x'.repeat(65), 'with spaces and more'])
      expect((await send('GET', '/hello', { 'headwater-nonce': nonce })).status).to.equal(400);
  });

  it('paths and methods that it does not have', async () => {
    expect((await send('GET', '/requests')).status).to.be.oneOf([404, 405]);
    expect((await send('GET', '/')).status).to.equal(404);
    expect((await send('POST', '/hello')).status).to.be.oneOf([404, 405]);
  });

  it('a URL that is none', async () => {
    expect((await send('GET', 'http://[')).status).to.equal(400);
  });

  for (const path of hasAllTests ? ['/requests', '/health/live', '/none'] : ['/requests'])
    it(`to wait longer than two seconds for a body that ${path} does not read`, async () => {
      const took = await leastTimeOf(3000, async () => {
        const socket = connect(core.port, '127.0.0.1').resume();
        socket.write(`POST ${path} HTTP/1.1\r\nhost: core\r\ncontent-length: 1000000\r\n\r\nx`);
        await once(socket, 'close', { signal: AbortSignal.timeout(15_000) });
      });
      expect(took).to.be.below(3000);
    });

  it('no probe: health and metrics need no signature', async () => {
    expect(await send('GET', '/health/live')).to.include({ status: 200, text: '{"status":"ok"}' });
    expect(await send('GET', '/health/ready')).to.include({ status: 200, text: '{"status":"ok"}' });
    expect(await send('GET', '/metrics')).to.include({ status: 200, text: 'up 1\n' });
  });
});

describe('a gateway refuses', () => {
  it('a core with another token, and says so without showing one', async () => {
    const core = await serveFakeCore();
    const token = 'another-secret-0123456789-0123456789';
    const error = await connectTo([core.address], { token }).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).to.have.property(
      'message',
      `The core ${core.address} has another internalToken than this gateway.`,
    );
    await core.close();
  });

  it('a server that is no core', async () => {
    const { createServer } = await import('node:http');
    const other = createServer((_, res) => res.end('<html>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const error = await connectTo([`127.0.0.1:${port}`]).then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error).to.have.property('message', `127.0.0.1:${port} is no core: it answers hello with 200.`);
    other.closeAllConnections();
    other.close();
  });
});

describe('versions of the internal protocol', () => {
  const pairs: readonly [gateway: number[], core: number[], common: number | undefined][] = [
    [[1], [1], 1],
    [[2, 1], [1], 1],
    [[1], [2, 1], 1],
    [[3, 2], [2, 1], 2],
    [[2, 1], [3, 2], 2],
    [[3, 2], [1], undefined],
    [[1], [3, 2], undefined],
  ];
  for (const [gateway, core, common] of pairs)
    it(`${gateway.join(' and ')} of a gateway, ${core.join(' and ')} of a core: ${common === undefined ? 'one clear sentence' : `both speak ${common}`}`, async () => {
      const served = await serveFakeCore({ protocols: core });
      const connecting = connectTo([served.address], { protocols: gateway });
      if (common === undefined) {
        const error = await connecting.catch((reason: Error) => reason);
        expect(error).to.have.property(
          'message',
          `The core ${served.address} speaks version ${core.join(' and ')} of the internal protocol, this gateway ${gateway.join(' and ')}: update the older of the two.`,
        );
      } else {
        const remote = await connecting;
        expect((await remote.handle(coreRequest())).status).to.equal(200);
        await remote.close();
      }
      await served.close();
    });

  it('of one core of several: the others are used, and health says why this one is not', async () => {
    const [old, current] = [await serveFakeCore({ protocols: [7] }), await serveFakeCore()];
    const remote = await connectTo([old.address, current.address]);
    expect((await remote.handle(coreRequest())).status).to.equal(200);
    const { ok, parts } = await remote.health();
    expect(ok).to.equal(true);
    expect(parts[`core ${old.address}`]).to.deep.include({ ok: false });
    expect(parts[`core ${old.address}`]!.detail).to.match(
      /speaks version 7 .* update the older of the two\.$/,
    );
    await remote.close();
    await old.close();
    await current.close();
  });
});
