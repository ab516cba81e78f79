/** Reads long streamed answers: one as fast as it comes, or several at a slow pace. */
import { connect, type Socket } from 'node:net';
import { answerParent } from './answer-parent.ts';

export type ReadOrder =
  | { readonly read: 'fast'; readonly port: number; readonly path: string }
  | {
      readonly read: 'slow';
      readonly port: number;
      readonly path: string;
      readonly readers: number;
      readonly bytesPerSecond: number;
    }
  | { readonly read: 'stop' };

/** Of `slow`: when every reader has its first bytes. Of `stop`: what they had by then. */
export interface ReadReply {
  readonly bytes: number;
  readonly seconds: number;
}

const PACE_MS = 100;
const CHUNKED_END = '0\r\n\r\n';

let slow:
  | { readonly sockets: Socket[]; readonly timers: NodeJS.Timeout[]; readonly began: number }
  | undefined;

answerParent(async (order: ReadOrder): Promise<ReadReply> => {
  const began = performance.now();
  const since = (from: number) => (performance.now() - from) / 1000;
  switch (order.read) {
    case 'fast':
      return { bytes: await readAll(order.port, order.path), seconds: since(began) };
    case 'slow': {
      slow = { sockets: [], timers: [], began };
      const { sockets, timers } = slow;
      await Promise.all(Array.from({ length: order.readers }, () => openSlow(order, sockets, timers)));
      return { bytes: 0, seconds: since(began) };
    }
    case 'stop': {
      const bytes = slow?.sockets.reduce((sum, socket) => sum + socket.bytesRead, 0) ?? 0;
      for (const timer of slow?.timers ?? []) clearInterval(timer);
      for (const socket of slow?.sockets ?? []) socket.destroy();
      return { bytes, seconds: since(slow?.began ?? began) };
    }
  }
});

function request(port: number, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n`;
}

function readAll(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let head = '';
    let tail = '';
    socket.once('connect', () => socket.write(request(port, path)));
    socket.on('data', (chunk) => {
      if (head.length < 20) head += chunk.toString('latin1', 0, 20);
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 5))).slice(-5);
    });
    socket.once('error', reject);
    socket.once('close', () => {
      const whole = head.startsWith('HTTP/1.1 200 ') && tail === CHUNKED_END;
      if (whole) resolve(socket.bytesRead);
      else reject(new Error(`The stream broke off after ${socket.bytesRead} bytes: ${head}`));
    });
  });
}

/** Takes its share every tenth of a second and stops reading in between. */
function openSlow(
  order: ReadOrder & { readonly read: 'slow' },
  sockets: Socket[],
  timers: NodeJS.Timeout[],
): Promise<void> {
  const { port, path, bytesPerSecond } = order;
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    let allowance = 0;
    socket.once('connect', () => socket.write(request(port, path)));
    socket.on('data', (chunk) => {
      allowance -= chunk.length;
      if (allowance <= 0) socket.pause();
      resolve();
    });
    socket.once('error', reject);
    const pace = () => {
      allowance = Math.min(allowance + (bytesPerSecond * PACE_MS) / 1000, bytesPerSecond);
      if (allowance > 0) socket.resume();
    };
    timers.push(setInterval(pace, PACE_MS));
  });
}
