import type { Random } from '../../support/random/random.ts';
import type { Requests } from './requests.ts';
import type { WrittenItem } from './writers.ts';

const PAUSE_MS = 30;

export type ReadKind = 'plain' | 'waiting' | 'sequence';
const KINDS: readonly ReadKind[] = ['plain', 'waiting', 'sequence'];

/** What a reader was shown. */
export interface Read {
  readonly kind: ReadKind;
  readonly item: WrittenItem;
  readonly via: string;
  readonly began: number;
  readonly ended: number;
  /** See `Sent`. */
  readonly busy: number;
  /** Undefined: there is no such item. */
  readonly title: string | undefined;
  readonly isFlagged: boolean;
  /** The gateway could not get an answer of core, or nginx none of a gateway. */
  readonly isWithoutCore: boolean;
  /** Publishes that were acknowledged when it began. */
  readonly acknowledged: number;
}

interface Shown {
  readonly item: { readonly elements: { readonly title: { readonly value: string } } };
}

/** Reads an item again and again. */
export async function readItem(
  item: WrittenItem,
  requests: Requests,
  random: Random,
  isOver: () => boolean,
): Promise<Read[]> {
  const reads: Read[] = [];
  while (!isOver()) {
    const kind = random.pick(KINDS);
    const acknowledged = item.publishes.length;
    const sequence = item.publishes.at(-1)?.sequence ?? 0;
    const headers = {
      ...(kind === 'waiting' && { 'x-svc-wait-for-loading-new-content': 'true' }),
      ...(kind === 'sequence' && { 'x-svc-content-sequence': `${sequence}` }),
    };
    const path = `/delivery/${item.project}/items/${item.codename}`;
    const { answer, via, began, ended, busy } = await requests.send('delivery', path, { headers });
    if (answer?.status === 200 || answer?.status === 404)
      reads.push({
        kind,
        item,
        via,
        began,
        ended,
        busy,
        title:
          answer.status === 404 ? undefined : (JSON.parse(answer.body) as Shown).item.elements.title.value,
        isFlagged: answer.headers['x-stale-content'] === '1',
        isWithoutCore:
          (answer.headers['cache-status']?.includes('stale-if-error') ?? false) ||
          answer.headers['x-proxy-cache'] === 'STALE',
        acknowledged,
      });
    await requests.pause(PAUSE_MS);
  }
  return reads;
}
