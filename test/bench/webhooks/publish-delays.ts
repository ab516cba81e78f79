import { setTimeout } from 'node:timers/promises';
import type { Bench, Turn } from '../benchmark.ts';
import { median } from '../rounds.ts';
import { type Receiver, startReceiver } from './parts.ts';
import { startPublishing } from './publishing-service.ts';

const PUBLISHES = 120;
const POLL_MS = 20;
const LONGEST_MS = 30_000;

/** A turn of publishes one after another: from the call of each to its receipt at the healthy receivers. */
export async function publishDelays(
  { datasets, requests }: Bench,
  name: string,
  urlsOf: (receiver: Receiver) => readonly string[],
): Promise<Turn> {
  const receiver = await startReceiver();
  const urls = urlsOf(receiver);
  const service = await startPublishing(datasets, name, urls);
  const healthy = urls.filter((url) => url.includes('/healthy/')).length;
  // The first publish needs no new version, and its notifications are not counted.
  await service.publish();
  await receive(receiver, healthy);
  return async () => {
    const began: number[] = [];
    for (let turn = 0; turn < requests(PUBLISHES); turn++) {
      await service.newVersion();
      began.push(performance.timeOrigin + performance.now());
      await service.publish();
    }
    const came = await receive(receiver, healthy * began.length);
    // Notifications of a webhook keep their order.
    const delays = [...came.values()].flatMap((times) => times.map((at, turn) => at - began[turn]!));
    return { p50: median(delays) };
  };
}

/** Waits for so many notifications; their times by path. */
export async function receive({ child }: Receiver, wanted: number): Promise<Map<string, number[]>> {
  const came = new Map<string, number[]>();
  const limit = performance.now() + LONGEST_MS;
  for (let count = 0; count < wanted; ) {
    if (performance.now() > limit) throw new Error(`${count} of ${wanted} notifications came.`);
    await setTimeout(POLL_MS);
    for (const [path, , at] of (await child.ask({ do: 'take' })).received) {
      if (!path.startsWith('/healthy/')) continue;
      came.set(path, [...(came.get(path) ?? []), at]);
      count += 1;
    }
  }
  return came;
}
