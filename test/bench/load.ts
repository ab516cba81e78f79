/**
 * Sends requests over kept connections and times them. It writes ready bytes to sockets and reads no more of an
 * answer than its length, because a full HTTP client costs as much CPU as the server it is to measure.
 */
import { answerParent } from './answer-parent.ts';
import type { LoadOrder, LoadResult } from './load-client.ts';
import { RawConnection } from './raw-connection.ts';

/** Over all orders, so that a second round is as new as the first. */
let number = 0;

const PLACE = /\{n(?:%(\d+))?(?:\+(\d+))?\}/g;

/** Bytes to send for each request; made once where all are alike. */
function requestsOf({ port, path, method = 'GET', headers = {}, body }: LoadOrder): () => Buffer {
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = (address: string, content = '') =>
    Buffer.from(
      [
        `${method} ${address} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept-Encoding: identity\r\n`,
        `Connection: keep-alive\r\n${more.join('')}`,
        body === undefined ? '\r\n' : `Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`,
      ].join(''),
    );
  if (!path.includes('{n') && body === undefined) {
    const same = bytes(path);
    return () => same;
  }
  return () => {
    const count = ++number;
    const fill = (text: string) =>
      text.replace(PLACE, (_, divisor, more = 0) => {
        const rest = divisor === undefined ? count : count % Number(divisor);
        return `${rest + Number(more)}`;
      });
    return bytes(fill(path), body === undefined ? undefined : fill(body));
  };
}

answerParent(async (order: LoadOrder): Promise<LoadResult> => {
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => RawConnection.open(order.port)),
  );
  const requests = requestsOf(order);
  const took: number[] = [];
  let left = order.requests;
  let bytes = 0;
  const started = performance.now();
  try {
    await Promise.all(
      connections.map(async (connection) => {
        while (left-- > 0) {
          const sent = performance.now();
          const { status, bytes: length } = await connection.send(requests());
          if (status !== 200) throw new Error(`Not a 200: ${status}`);
          bytes = length;
          took.push(performance.now() - sent);
        }
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  const seconds = (performance.now() - started) / 1000;
  took.sort((one, other) => one - other);
  const at = (share: number) =>
    took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), perSecond: took.length / seconds, bytes };
});
