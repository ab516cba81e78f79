/**
 * The same request over and over, each answer of the same length. It checks the first bytes of an answer and counts
 * the rest: at half the cost of the load client that reads headers, so that the server is what is measured.
 */
import { connect, type Socket } from 'node:net';
import { answerParent } from '../answer-parent.ts';

export interface FastOrder {
  readonly port: number;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** 200 when absent. */
  readonly status?: number;
  readonly connections: number;
  readonly requests: number;
}

export interface FastResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
  /** CPU time of this client, in milliseconds: near the time it took, it is the client that was measured. */
  readonly clientBusy: number;
}

const LONGEST_ANSWER_MS = 10_000;

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}

/** One answer, to learn how long they are. */
function lengthOf(socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const take = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = seen.toString('latin1', 0, end);
      const body = head.startsWith('HTTP/1.1 304') ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
      if (body === undefined) reject(new Error(`An answer without content-length: ${head}`));
      const whole = end + 4 + Number(body);
      if (seen.length < whole) return;
      socket.off('data', take);
      resolve(whole);
    };
    socket.on('data', take);
    socket.once('close', () => reject(new Error(`Closed before a whole answer: ${seen.toString('latin1')}`)));
    socket.write(request);
  });
}

answerParent(async (order: FastOrder): Promise<FastResult> => {
  const { port, path, headers = {}, status = 200, connections, requests } = order;
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, Connection: 'keep-alive', ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\n${text}\r\n`);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  // The first answer may be the one that fills a cache, and say so.
  await lengthOf(sockets[0]!, request);
  const length = await lengthOf(sockets[0]!, request);
  const wanted = Buffer.from(`HTTP/1.1 ${status} `);
  const took = new Float64Array(requests);
  let sent = 0;
  let done = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  try {
    await new Promise<void>((resolve, reject) => {
      for (const socket of sockets) {
        let left = 0;
        let at = 0;
        const next = () => {
          if (sent >= requests) return;
          sent += 1;
          left = length;
          at = performance.now();
          socket.write(request);
        };
        socket.on('error', reject);
        socket.setTimeout(LONGEST_ANSWER_MS, () =>
          reject(new Error(`${path} gave no whole answer; ${left} bytes are missing.`)),
        );
        socket.on('close', () => reject(new Error('The server closed the connection.')));
        socket.on('data', (chunk) => {
          if (left === length && wanted.compare(chunk, 0, wanted.length) !== 0) {
            reject(new Error(`Not a ${status}: ${chunk.toString('latin1', 0, 600)}`));
          }
          left -= chunk.length;
          if (left > 0) return;
          if (left < 0) reject(new Error(`Not as long as the first: ${chunk.toString('latin1', 0, 600)}`));
          took[done] = performance.now() - at;
          done += 1;
          if (done === requests) resolve();
          else next();
        });
        next();
      }
    });
  } finally {
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  }
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  took.sort();
  return {
    perSecond: requests / seconds,
    p99: took[Math.floor(requests * 0.99)]!,
    clientBusy: (user + system) / 1_000_000 / seconds,
  };
});
