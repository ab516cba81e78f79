import { SESSION_COOKIE } from '../../support/console/console-browser.ts';
import type { Bench, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { listingPath, startCached } from '../gateway/cached-service.ts';
import type { ManagedService } from '../management/managed-service.ts';
import { memoryOf } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { turns } from './delivery-beside.ts';
import type { ReadersOrder } from './event-readers.ts';

const STREAMS = 1000;
const STREAMS_OF_SESSION = 10;
const MEGABYTE = 1024 * 1024;
/** Long enough for streams that would not be ended to be noticed. */
const DRAIN_SECONDS = '30';

/** What open browsers cost: memory, cached delivery, the shutdown. */
export const eventStreams: Measure = {
  name: 'event-streams',
  about: '1,000 event streams over plain HTTP: memory, cached delivery with ÷ without them, shutdown',
  async run({ datasets, rounds, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const followed = await startCached(await datasets.copy(dataset, 'console-streams'), { DRAIN_SECONDS });
    const alone = await startCached(await datasets.copy(dataset, 'console-no-streams'));
    const path = await listingPath(followed);
    await listingPath(alone);
    const cookies = await sessions(followed, STREAMS / STREAMS_OF_SESSION);
    const turn = turns(requests);
    // Memory that a first load takes is not that of streams.
    await turn(followed, path)();
    const before = memoryOf(followed.pid).anonymous;
    const readers = startChild<ReadersOrder, number>('console/event-readers.ts');
    await readers.ask({ kind: 'open', port: followed.port, cookies, streams: STREAMS });
    const after = memoryOf(followed.pid).anonymous;
    const found = await takeTurns(rounds, { followed: turn(followed, path), alone: turn(alone, path) });
    const rates = (all: readonly { readonly perSecond: number }[]) => all.map(({ perSecond }) => perSecond);
    const ended = readers.ask({ kind: 'ended' });
    const began = performance.now();
    await followed.end();
    const seconds = (performance.now() - began) / 1000;
    await ended;
    return [
      {
        name: 'memory of 1,000 streams',
        value: (after - before) / MEGABYTE,
        unit: 'MB',
        target: { atMost: 30 },
      },
      {
        name: 'cached delivery with ÷ without',
        ...compared(rates(found.followed), rates(found.alone)),
        unit: '×',
        target: { atLeast: 0.97 },
        detail: `${median(rates(found.followed)).toFixed(0)}/s ÷ ${median(rates(found.alone)).toFixed(0)}/s`,
      },
      { name: 'shutdown', value: seconds, unit: 's', target: { atMost: 2 } },
    ];
  },
  compare: { leftOut: 'earlier versions have no event streams' },
};

/** Secrets of new sessions of a person who sees the content of the project. */
export async function sessions(service: ManagedService, count: number): Promise<string[]> {
  const { id } = await service.admin('users', {
    name: 'Reader',
    email: 'reader@example.com',
    projects: [{ id: service.project, capabilities: ['manage-content'] }],
  });
  const made: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { token } = await service.admin(`users/${id}/sign-in-link`, {});
    const answer = await fetch(`http://127.0.0.1:${service.port}/console/api/session/link`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-headwater-console': '1',
        'sec-fetch-site': 'same-origin',
      },
      body: JSON.stringify({ token }),
    });
    const cookie = new RegExp(`^${SESSION_COOKIE}=([^;]+)`).exec(answer.headers.get('set-cookie') ?? '')?.[1];
    if (cookie === undefined) throw new Error(`A sign-in link was answered with ${answer.status}.`);
    made.push(cookie);
  }
  return made;
}
