import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { get, open, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';

const ITEMS = `/delivery/${PROJECTS.open}/items`;
const REQUEST = get(ITEMS, { Connection: 'keep-alive' });

describe('a cached answer', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ tls: true, unlimited: true });
    gateway.core.answer = () => ({ ...json({ done: true }), tags: ['a'], sequence: 1 });
    for (const url of [gateway.urls.http, gateway.urls.https ?? '']) {
      for (let call = 0; call < 3; call += 1) await rawRequest(url, get(ITEMS));
    }
    gateway.core.requests.length = 0;
  });
  after(() => gateway.end());
  afterEach('each was cached', () => expect(gateway.core.requests).to.deep.equal([]));

  for (const scheme of ['http', 'https'] as const) {
    it(`is sent before the response to a CONNECT behind it, over ${scheme}`, async () => {
      const socket = await open(gateway.urls[scheme] ?? '');
      const all = readAll(socket);
      socket.write(`${REQUEST}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);
      expect(String(await all).match(/HTTP\/1.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 405']);
    });

    it(`reaches a client that ends its side with the request, over ${scheme}`, async () => {
      for (let call = 0; call < 10; call += 1) {
        const socket = await open(gateway.urls[scheme] ?? '');
        const all = readAll(socket);
        socket.end(REQUEST);
        expect(String(await all))
          .to.include('HTTP/1.1 200')
          .and.to.include('{"done":true}');
      }
    });
  }
});

describe('an answer that is still being made', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await runGateway({ unlimited: true });
    gateway.core.answer = async () => {
      await pause(50);
      return json({ done: true });
    };
  });
  after(() => gateway.end());

  for (const [what, bytes, status] of [
    ['a CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405],
    ['bytes that are no HTTP', '\u0001\u0002\r\n\r\n', 400],
  ] as const)
    it(`is sent before the response to ${what} behind it`, async () => {
      for (const requests of [1, 2]) {
        const socket = await open(gateway.urls.http);
        const all = readAll(socket);
        socket.write(`${REQUEST.repeat(requests)}${bytes}`);
        const expected = [...Array(requests).fill(200), status].map((each) => `HTTP/1.1 ${each}`);
        expect(String(await all).match(/HTTP\/1.1 \d+/g)).to.deep.equal(expected);
      }
    });
});
