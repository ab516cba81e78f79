import { setTimeout } from 'node:timers/promises';
import type { Bench } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import type { ReceiverOrder, ReceiverReply } from './receiver-server.ts';
import type { SenderOrder, SenderReply } from './sender.ts';

export interface Receiver {
  readonly child: Child<ReceiverOrder, ReceiverReply>;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** URLs at the receiver, below `kind`. */
  urls(kind: 'healthy' | 'slow' | 'failing', count: number): string[];
}

/** A receiver that keeps what comes. */
export async function startReceiver(): Promise<Receiver> {
  const child: Receiver['child'] = startChild('webhooks/receiver-server.ts');
  const { port } = await child.ask({ do: 'listen' });
  await child.ask({ do: 'keep', bodies: true });
  const url = `http://127.0.0.1:${port}`;
  return {
    child,
    url,
    urls: (kind, count) => Array.from({ length: count }, (_, place) => `${url}/${kind}/${place}`),
  };
}

export interface Parts {
  readonly receiver: Receiver['child'];
  readonly sender: Child<SenderOrder, SenderReply>;
  readonly url: string;
  readonly urls: Receiver['urls'];
  project(urls: readonly string[]): Promise<string>;
}

const PAUSE = 100;
const TIMEOUT = 30_000;

let folders = 0;

/**
 * A receiver and a sender over an empty data folder.
 * @param database URL of PostgreSQL, in place of the folder
 */
export async function startParts({ datasets }: Pick<Bench, 'datasets'>, database?: string): Promise<Parts> {
  const { child: receiver, url, urls } = await startReceiver();
  // Only what is looked at is kept: a drain of a million would fill the receiver.
  await receiver.ask({ do: 'keep', bodies: false });
  const sender: Parts['sender'] = startChild('webhooks/sender.ts');
  await sender.ask({ do: 'open', folder: await datasets.folder(`webhooks-${folders++}`), url: database });
  return {
    receiver,
    sender,
    url,
    urls,
    project: async (urls) => (await sender.ask({ do: 'project', urls })).project!,
  };
}

/** From commit to receipt at healthy receivers, ms, sorted. */
export async function delays(
  { receiver, sender }: Parts,
  order: { readonly projects: readonly string[]; readonly perSecond: number; readonly seconds: number },
  every: (names: number) => number = (names) => names,
): Promise<number[]> {
  await receiver.ask({ do: 'keep', bodies: true });
  const { committed = [] } = await sender.ask({ do: 'pace', ...order });
  const at = new Map(committed);
  const expected = every(committed.length);
  const found: number[] = [];
  for (let waited = 0; found.length < expected; waited += PAUSE) {
    if (waited > TIMEOUT) throw new Error(`${found.length} of ${expected} notifications came.`);
    await setTimeout(PAUSE);
    for (const [path, name, time] of (await receiver.ask({ do: 'take' })).received) {
      const from = at.get(name);
      if (from !== undefined && path.startsWith('/healthy/')) found.push(Math.max(0, time - from));
    }
  }
  return found.sort((one, other) => one - other);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
