/** A response that is sent before the body of its request has arrived reaches the client. */
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { get, open, parseAnswer, readAll } from '../support/clients/raw-http.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const ITEMS = `/manage/v2/projects/${PROJECTS.open}/items`;
const ADMIN = '/admin/projects';
const MEBI = 1 << 20;
/** Less than the service discards of an unread body. */
const BODY = MEBI - 1;

interface Case {
  readonly what: string;
  readonly status: number;
  readonly path?: string;
  readonly headers?: Record<string, string>;
}

const CASES: readonly Case[] = [
  { what: 'a wrong key', status: 401, headers: { Authorization: 'Bearer wrong' } },
  { what: 'a wrong admin token', status: 401, path: ADMIN, headers: { Authorization: 'Bearer wrong' } },
  { what: 'an unknown host', status: 421, headers: { Host: 'evil.example' } },
  { what: 'plain HTTP behind a proxy', status: 403, headers: { 'X-Forwarded-For': '203.0.113.9' } },
  { what: 'a URL of no surface', status: 404, path: '/nowhere' },
  { what: 'a method that health does not have', status: 405, path: '/health/live' },
  { what: 'a path that cannot be read', status: 400, path: `${ITEMS}/%ff` },
];

/** Reads only after sending everything, as simple clients do. */
async function sendAll(socket: Socket, head: string, chunks: readonly Buffer[]): Promise<void> {
  socket.pause();
  socket.on('error', () => {});
  socket.write(head);
  for (const chunk of chunks) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => void socket.write(chunk, () => resolve()));
  }
  socket.resume();
}

describe('a response that is sent before the body has arrived', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ tls: true });
  });
  after(() => gateway.end());

  for (const { what, status, path = ITEMS, headers = {} } of CASES) {
    for (const scheme of ['http', 'https'] as const) {
      if (status === 403 && scheme === 'https') continue;
      for (const [form, length, frame] of [
        ['of a length', `Content-Length: ${BODY}`, (chunk: Buffer) => chunk],
        [
          'in chunks',
          'Transfer-Encoding: chunked',
          (chunk: Buffer) =>
            Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
        ],
      ] as const) {
        it(`to ${what} over ${scheme}, with a body ${form}, reaches a client that reads last`, async () => {
          for (let round = 0; round < 5; round += 1) {
            const socket = await open(gateway.urls[scheme] ?? '');
            const lines = Object.entries({ Host: 'localhost', ...headers }).map(
              ([name, value]) => `${name}: ${value}`,
            );
            const head = `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n${length}\r\n\r\n`;
            const chunks = Array.from({ length: 16 }, (_, at) =>
              frame(Buffer.alloc(at === 15 ? 65_535 : 65_536, 'a')),
            );
            if (form === 'in chunks') chunks.push(Buffer.from('0\r\n\r\n'));
            await sendAll(socket, head, chunks);
            const answer = parseAnswer(await readAll(socket));
            expect([answer.status, answer.headers['connection']]).to.deep.equal([status, 'close']);
          }
        });
      }
    }
  }

  for (const scheme of ['http', 'https'] as const) {
    it(`to an upload over ${scheme} closes the connection: pipelined requests are not processed`, async () => {
      gateway.core.requests.length = 0;
      for (const milliseconds of [0, 0, 0, 50]) {
        const socket = await open(gateway.urls[scheme] ?? '');
        const reading = readAll(socket);
        socket.write(
          `POST ${ITEMS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\nContent-Length: 100000\r\n\r\n`,
        );
        await pause(milliseconds);
        const behind = get(`/delivery/${PROJECTS.open}/items`, { Connection: 'keep-alive' });
        socket.write('a'.repeat(100_000) + behind + behind);
        const text = String(await reading);
        expect(text.match(/HTTP\/1.1 \d+/g)).to.deep.equal(['HTTP/1.1 401']);
      }
      expect(gateway.core.requests.length).to.equal(0);
    });
  }
});
