/**
 * Many requests on a connection each, either all at one moment or at a steady rate that does not wait for answers,
 * as visitors do not. Reports the status and the time of every answer.
 */
import { setTimeout } from 'node:timers/promises';
import { answerParent } from '../answer-parent.ts';
import { RawConnection } from '../raw-connection.ts';

export interface BurstOrder {
  readonly port: number;
  /** One request each. */
  readonly paths: readonly string[];
  /** Requests that begin in a second; absent: all at once. */
  readonly perSecond?: number;
}

export interface BurstResult {
  readonly answers: readonly { readonly status: number; readonly milliseconds: number }[];
  readonly seconds: number;
}

const TICK_MS = 5;

answerParent(async ({ port, paths, perSecond }: BurstOrder): Promise<BurstResult> => {
  // No HTTP client: it would take more of the machine than the answers do.
  const all: RawConnection[] = [];
  const free: RawConnection[] = [];
  const open = async () => {
    const connection = await RawConnection.open(port);
    all.push(connection);
    return connection;
  };
  const ask = async (path: string) => {
    const began = performance.now();
    const connection = free.pop() ?? (await open());
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    const { status } = await connection.send(Buffer.from(request));
    free.push(connection);
    return { status, milliseconds: performance.now() - began };
  };
  const began = performance.now();
  const asked: Promise<BurstResult['answers'][number]>[] = [];
  while (asked.length < paths.length) {
    const due =
      perSecond === undefined ? paths.length : Math.ceil(((performance.now() - began) / 1000) * perSecond);
    for (const path of paths.slice(asked.length, due)) asked.push(ask(path));
    if (asked.length < paths.length) await setTimeout(TICK_MS);
  }
  const answers = await Promise.all(asked);
  for (const connection of all) connection.close();
  return { answers, seconds: (performance.now() - began) / 1000 };
});
