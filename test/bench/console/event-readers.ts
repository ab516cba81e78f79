/** Holds many event streams of the console open, over plain HTTP. */
import { connect, type Socket } from 'node:net';
import { SESSION_COOKIE } from '../../support/console/console-browser.ts';
import { answerParent } from '../answer-parent.ts';

export type ReadersOrder =
  | {
      readonly kind: 'open';
      readonly port: number;
      readonly cookies: readonly string[];
      readonly streams: number;
    }
  /** Until every stream has a last event, and its connection has ended. */
  | { readonly kind: 'ended' };

const sockets: Socket[] = [];
const ended: Promise<void>[] = [];

answerParent(async (order: ReadersOrder): Promise<number> => {
  if (order.kind === 'ended') {
    await Promise.all(ended);
    return performance.now();
  }
  const { port, cookies, streams } = order;
  for (let at = 0; at < streams; at += 1) await open(port, cookies[at % cookies.length]!);
  return sockets.length;
});

function open(port: number, cookie: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    sockets.push(socket);
    let text = '';
    let wasTold = false;
    ended.push(
      new Promise((resolveEnd, rejectEnd) => {
        socket.once('close', () =>
          wasTold ? resolveEnd() : rejectEnd(new Error('A stream had no last event.')),
        );
      }),
    );
    ended.at(-1)!.catch(() => {});
    socket.once('error', reject);
    socket.on('data', (chunk) => {
      text = (text + chunk.toString('latin1')).slice(-2000);
      if (text.includes('event: ready')) resolve();
      if (text.includes('event: bye')) wasTold = true;
    });
    socket.write(
      `GET /console/api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${SESSION_COOKIE}=${cookie}\r\n\r\n`,
    );
  });
}
