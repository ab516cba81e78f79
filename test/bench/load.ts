/**
 * Sends requests over kept connections and times them. It writes ready bytes to sockets and reads no more of an
 * answer than its length, because a full HTTP client costs as much CPU as the server it is to measure.
 */
import { connect, type Socket } from 'node:net';
import { answerParent } from './answer-parent.ts';
import type { LoadOrder, LoadResult } from './load-client.ts';

const HEAD_END = Buffer.from('\r\n\r\n');

/** One answer, counted to its end. */
class Answer {
  #head: Buffer = Buffer.alloc(0);
  #left = -1;
  bytes = 0;

  /** @returns true when the answer is complete */
  take(chunk: Buffer): boolean {
    if (this.#left >= 0) {
      this.#left -= chunk.length;
    } else {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return false;
      const head = this.#head.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 200 '))
        throw new Error(`Not a 200: ${this.#head.toString('utf8', 0, 600)}`);
      const length = /\r\ncontent-length: (\d+)/i.exec(head);
      if (!length) throw new Error(`An answer without content-length: ${head}`);
      this.bytes = Number(length[1]);
      this.#left = this.bytes - (this.#head.length - end - HEAD_END.length);
    }
    if (this.#left < 0) throw new Error('An answer is longer than its content-length.');
    return this.#left === 0;
  }
}

class Connection {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Connection(socket)));
    });
  }

  /** @returns bytes of the body */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      const answer = new Answer();
      const socket = this.#socket;
      const settle = (then: () => void) => {
        socket.removeAllListeners('data').removeAllListeners('error').removeAllListeners('close');
        then();
      };
      socket.on('data', (chunk) => {
        try {
          if (answer.take(chunk)) settle(() => resolve(answer.bytes));
        } catch (error) {
          settle(() => reject(error as Error));
        }
      });
      socket.once('error', (error) => settle(() => reject(error)));
      socket.once('close', () => settle(() => reject(new Error('The server closed the connection.'))));
      socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

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
    Array.from({ length: order.connections }, () => Connection.open(order.port)),
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
          bytes = await connection.send(requests());
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
