import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { z } from 'zod';
import { definePlugin, type Outcome } from '../../plugins/contract.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { until } from '../support/until.ts';

const LISTING = `/delivery/${PROJECTS.open}/items`;

/** More pieces than one call of the kernel takes (1024), of different lengths, some empty. */
function piecesOf(count: number, longest: number): Buffer[] {
  return Array.from({ length: count }, (_, at) => Buffer.alloc((at * 7919) % longest, 97 + (at % 26)));
}

for (const off of [[], ['response-cache']])
  describe(`an answer that core holds in pieces, ${off.length === 0 ? 'with' : 'without'} the response cache`, () => {
    let gateway: TestGateway;
    let pieces: Buffer[];
    let outcomes: Outcome[];
    const watch = definePlugin({
      name: 'watch',
      phase: 'observe',
      surfaces: ['delivery'],
      settings: z.strictObject({}),
      setup: () => ({ onResponse: ({ state: { outcome } }) => outcomes.push(outcome) }),
    });
    beforeEach(() => {
      outcomes = [];
    });
    before(async () => {
      gateway = await runGateway({
        tls: true,
        settings: { pipeline: { off: ['rate-limit', ...off] } },
        own: [watch],
      });
      gateway.core.answer = () => ({
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8', etag: '"one"' },
        body: pieces,
      });
    });
    after(() => gateway.end());
    afterEach('nothing went wrong inside', () => {
      expect(gateway.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    });
    let number = 0;
    const path = () => `${LISTING}?skip=${++number}`;

    async function read(headers: Record<string, string> = {}, method = 'GET') {
      const call = request(gateway.urls.http + path(), { method, headers });
      call.end();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk as Buffer);
      return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
    }

    for (const [title, count, longest] of [
      ['a few bytes', 5, 40],
      ['200 kB', 100, 4000],
      ['800 kB in 1,500 pieces', 1500, 1000],
      ['9 MB', 2200, 8000],
    ] as const) {
      it(`has all of ${title} in order, with its length`, async () => {
        pieces = piecesOf(count, longest);
        const whole = Buffer.concat(pieces);
        for (let time = 0; time < 2; time++) {
          const { status, headers, body } = await read();
          expect(status).to.equal(200);
          expect(headers['content-length']).to.equal(`${whole.length}`);
          expect(headers['transfer-encoding']).to.equal(undefined);
          expect(body.equals(whole)).to.equal(true);
        }
        const head = await read({}, 'HEAD');
        expect(head.headers['content-length']).to.equal(`${whole.length}`);
        expect(head.body.length).to.equal(0);
        const packed = await read({ 'accept-encoding': 'gzip' });
        if (packed.headers['content-encoding'] === 'gzip')
          expect(gunzipSync(packed.body).equals(whole)).to.equal(true);
        else expect(packed.body.equals(whole)).to.equal(true);
      });

      it(`has them over HTTP/2 as well: ${title}`, async () => {
        pieces = piecesOf(count, longest);
        const session = connect(gateway.urls.https!, { rejectUnauthorized: false });
        try {
          const stream = session.request({ ':path': path() });
          const [headers] = (await once(stream, 'response')) as [Record<string, string | number>];
          const chunks: Buffer[] = [];
          for await (const chunk of stream) chunks.push(chunk as Buffer);
          expect(headers[':status']).to.equal(200);
          expect(Buffer.concat(chunks).equals(Buffer.concat(pieces))).to.equal(true);
        } finally {
          session.close();
        }
      });
    }

    it('leaves the bytes of core as they are', async () => {
      pieces = piecesOf(300, 2000);
      const before = Buffer.concat(pieces);
      await Promise.all([read(), read({ 'accept-encoding': 'gzip' }), read()]);
      expect(Buffer.concat(pieces).equals(before)).to.equal(true);
    });

    it('is reported with its status and length, and further requests use the connection', async () => {
      pieces = piecesOf(300, 2000);
      const length = Buffer.concat(pieces).length;
      const { port } = new URL(gateway.urls.http);
      const socket = connectTcp(Number(port), '127.0.0.1');
      let got = 0;
      socket.on('data', (chunk: Buffer) => (got += chunk.length));
      for (let time = 1; time <= 2; time++) {
        socket.write(`GET ${path()} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
        await until(() => got > time * length);
      }
      socket.destroy();
      await until(() => outcomes.length >= 2);
      for (const { status, bytes, aborted } of outcomes)
        expect({ status, bytes, aborted }).to.deep.equal({ status: 200, bytes: length, aborted: false });
    });

    it('ends with a client that disconnects in the middle', async () => {
      pieces = piecesOf(4000, 4000);
      const { port } = new URL(gateway.urls.http);
      const socket = connectTcp(Number(port), '127.0.0.1');
      socket.write(`GET ${path()} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      await once(socket, 'data');
      socket.pause();
      await pause(50);
      socket.destroy();
      pieces = piecesOf(100, 2000);
      expect((await read()).body.length).to.equal(Buffer.concat(pieces).length);
    });
  });
