import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { kilobytes } from '../delivery/listings.ts';
import { startH2load, startWrk, type Turn } from '../http-load.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { freePort, type Service } from '../service.ts';
import type { AnswersPorts, ReadyAnswer, ReadyAnswers } from './answers-server.ts';
import { listingPath, secured, startCached } from './cached-service.ts';
import { startNginx } from './nginx.ts';

/** Node writes these itself. */
const OF_NODE = new Set(['date', 'connection', 'keep-alive']);
const PLAIN = { 'Accept-Encoding': 'identity' };

/** The rate of an answer from memory, with the whole pipeline on, compared with Node and nginx. */
export const cachedListing: Measure = {
  name: 'cached-listing',
  about:
    'a cached listing of 8–10 kB, 32 connections: requests/s ÷ bare node:http, ÷ nginx; its 304; compressed; over TLS and HTTP/2',
  async run({ datasets, rounds, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const tlsPort = await freePort();
    const folder = await datasets.copy(dataset, 'cached-open');
    const open = await startCached(folder, { TLS_PORT: `${tlsPort}` });
    const closed = await startCached(await datasets.copy(dataset, 'cached-closed'));
    const path = await listingPath(open);
    const key = await secured(closed, dataset);
    const whole = await cachedAnswer(open.port, path, PLAIN);
    const match = { ...PLAIN, 'If-None-Match': etagOf(whole) };
    const unchanged = await cachedAnswer(open.port, path, match);
    const gzip = await cachedAnswer(open.port, path, { 'Accept-Encoding': 'gzip' });
    const brotli = await cachedAnswer(open.port, path, { 'Accept-Encoding': 'br' });
    const bare = startChild<ReadyAnswers, AnswersPorts>('gateway/answers-server.ts');
    const pem = (name: string) => readFile(join(folder.folder, 'tls', name), 'utf8');
    const ports = await bare.ask({
      answers: [whole, unchanged, gzip, brotli],
      key: await pem('key.pem'),
      cert: await pem('certificate.pem'),
    });
    const nginx = await startNginx(join(await datasets.folder('nginx')), open.port);
    const wrk = await startWrk(requests(2));
    const h2load = await startH2load(requests(30_000));
    const ours = `http://127.0.0.1:${open.port}${path}`;
    const bareAt = (at: number) => `http://127.0.0.1:${ports.http}/${at}`;
    const oursTls = `https://127.0.0.1:${tlsPort}${path}`;
    const found = await takeTurns(rounds, {
      open: wrk(open.pid, { url: ours, headers: PLAIN, answer: whole }),
      bare: wrk(bare.pid, { url: bareAt(0), headers: PLAIN, answer: whole }),
      secure: wrk(closed.pid, {
        url: `http://127.0.0.1:${closed.port}${path}`,
        headers: { ...PLAIN, ...key },
        answer: whole,
      }),
      nginx: wrk(bare.pid, { url: `http://127.0.0.1:${nginx.port}${path}`, headers: PLAIN, answer: whole }),
      unchanged: wrk(open.pid, { url: ours, headers: match, answer: unchanged }),
      bareUnchanged: wrk(bare.pid, { url: bareAt(1), headers: match, answer: unchanged }),
      gzip: wrk(open.pid, { url: ours, headers: { 'Accept-Encoding': 'gzip' }, answer: gzip }),
      bareGzip: wrk(bare.pid, { url: bareAt(2), headers: { 'Accept-Encoding': 'gzip' }, answer: gzip }),
      brotli: wrk(open.pid, { url: ours, headers: { 'Accept-Encoding': 'br' }, answer: brotli }),
      bareBrotli: wrk(bare.pid, { url: bareAt(3), headers: { 'Accept-Encoding': 'br' }, answer: brotli }),
      tls: wrk(open.pid, { url: oursTls, headers: PLAIN, answer: whole }),
      bareTls: wrk(bare.pid, { url: `https://127.0.0.1:${ports.https}/0`, headers: PLAIN, answer: whole }),
      http2: h2load(open.pid, { url: oursTls, headers: PLAIN }),
      bareHttp2: h2load(bare.pid, { url: `https://127.0.0.1:${ports.http2}/0`, headers: PLAIN }),
    });
    const figure = (
      name: string,
      above: readonly Turn[],
      below: readonly Turn[],
      { body }: ReadyAnswer,
      atLeast: number,
    ): Figure => {
      const rates = (turns: readonly Turn[]) => turns.map(({ perSecond }) => perSecond);
      const cpu = (turns: readonly Turn[]) => (1000 * median(turns.map((one) => one.cpu))).toFixed(1);
      const ofPeer = below === found.nginx ? '' : `; CPU ${cpu(above)} against ${cpu(below)} µs`;
      return {
        name,
        ...compared(rates(above), rates(below)),
        unit: '×',
        target: { atLeast },
        detail: `${median(rates(above)).toFixed(0)}/s ÷ ${median(rates(below)).toFixed(0)}/s of ${kilobytes(body.length)}${ofPeer}`,
      };
    };
    return [
      figure('÷ bare node:http', found.open, found.bare, whole, 0.9),
      figure('secure access on, ÷ bare node:http', found.secure, found.bare, whole, 0.85),
      figure('÷ nginx proxy_cache, one worker each', found.open, found.nginx, whole, 0.65),
      figure('304 ÷ bare 304', found.unchanged, found.bareUnchanged, unchanged, 0.88),
      figure('gzip ÷ bare node:http', found.gzip, found.bareGzip, gzip, 0.9),
      figure('brotli ÷ bare node:http', found.brotli, found.bareBrotli, brotli, 0.9),
      figure('TLS 1.3 ÷ bare node:https', found.tls, found.bareTls, whole, 0.9),
      figure('HTTP/2, 32 streams ÷ bare node:http2', found.http2, found.bareHttp2, whole, 0.9),
    ];
  },

  async compare({ datasets, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const open = await startCached(await datasets.copy(dataset, 'cached-open'));
    const closed = await startCached(await datasets.copy(dataset, 'cached-closed'));
    const path = await listingPath(open);
    const key = await secured(closed, dataset);
    const whole = await cachedAnswer(open.port, path, PLAIN);
    const wrk = await startWrk(requests(2));
    const turn = ({ pid, port }: Service, headers: Readonly<Record<string, string>>) =>
      wrk(pid, { url: `http://127.0.0.1:${port}${path}`, headers: { ...PLAIN, ...headers } });
    return {
      'a cached listing': turn(open, {}),
      'secure access on': turn(closed, key),
      'its 304': turn(open, { 'If-None-Match': etagOf(whole) }),
    };
  },
};

/** What the cache sends, byte for byte, for the bare server to send the same. */
async function cachedAnswer(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<ReadyAnswer> {
  for (let turn = 0; turn < 50; turn += 1) {
    const answer = await read(port, path, headers);
    const encoding = answer.encoding ?? 'identity';
    const isWanted = answer.status === 304 || encoding === headers['Accept-Encoding'];
    if (answer.isHit && isWanted) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`The listing is not cached for ${JSON.stringify(headers)}.`);
}

function read(port: number, path: string, headers: Readonly<Record<string, string>>) {
  return new Promise<ReadyAnswer & { readonly isHit: boolean; readonly encoding: string | undefined }>(
    (resolve, reject) => {
      // Links of the answer, and so its tag, depend on the host.
      get({ host: '127.0.0.1', port, path, headers }, (answer) => {
        const { rawHeaders, headers: named, statusCode = 0 } = answer;
        const kept = rawHeaders.flatMap((name, at) =>
          at % 2 === 0 && !OF_NODE.has(name.toLowerCase()) ? [name, rawHeaders[at + 1]!] : [],
        );
        buffer(answer).then(
          (body) =>
            resolve({
              status: statusCode,
              headers: kept,
              body: new Uint8Array(body),
              isHit: named['cache-status'] === 'headwater; hit',
              encoding: named['content-encoding'],
            }),
          reject,
        );
      }).once('error', reject);
    },
  );
}

function etagOf({ headers }: ReadyAnswer): string {
  return headers[headers.indexOf('etag') + 1]!;
}
