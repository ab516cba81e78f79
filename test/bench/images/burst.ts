/**
 * Many requests on a connection each, either all at one moment or at a steady rate that does not wait for answers,
 * as visitors do not. Tells of every answer its status and how long it took.
 */
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { answerParent } from '../answer-parent.ts';

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
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const ask = (path: string) =>
    new Promise<BurstResult['answers'][number]>((resolve, reject) => {
      const began = performance.now();
      get({ port, path, host: '127.0.0.1', agent }, (response) => {
        response.resume();
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, milliseconds: performance.now() - began }),
        );
      }).on('error', reject);
    });
  const began = performance.now();
  const asked: Promise<BurstResult['answers'][number]>[] = [];
  while (asked.length < paths.length) {
    const due =
      perSecond === undefined ? paths.length : Math.ceil(((performance.now() - began) / 1000) * perSecond);
    for (const path of paths.slice(asked.length, due)) asked.push(ask(path));
    if (asked.length < paths.length) await setTimeout(TICK_MS);
  }
  const answers = await Promise.all(asked);
  agent.destroy();
  return { answers, seconds: (performance.now() - began) / 1000 };
});
