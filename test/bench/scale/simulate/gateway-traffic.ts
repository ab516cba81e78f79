import type { FeedCommit } from '../../../../core/changes/change-log.ts';
import { seeded, Zipf } from './zipf.ts';

export const PROJECT = '8d1a7c5e-3f42-4b69-9c0d-6e5b1f2a7d34';
const EPOCH = '00000000-0000-4000-8000-000000000000';
const ITEMS = 20_000;
const TYPES = 20;
/** Pages of each listing that readers ask for. */
const PAGES = 50;
const LISTING_SHARE = 0.2;
/** Items that an item shows as linked ones. */
const LINKS = 2;

export interface Read {
  readonly kind: 'item' | 'listing';
  readonly key: string;
  readonly tags: readonly string[];
}

const typeOf = (item: number) => item % TYPES;

/** Draws what a reader asks for: a few items and pages very often, most of them seldom. */
export function reader(seed: number): () => Read {
  const random = seeded(seed);
  const items = new Zipf(ITEMS, random);
  const pages = new Zipf(TYPES * PAGES, random);
  return () => {
    if (random() < LISTING_SHARE) {
      const page = pages.draw();
      const type = page % TYPES;
      return { kind: 'listing', key: `listing ${page}`, tags: [`members:${type}`, ...commonTags(type)] };
    }
    const item = items.draw();
    const shown = Array.from({ length: LINKS + 1 }, (_, link) => `item:item_${(item + 7 * link) % ITEMS}`);
    return { kind: 'item', key: `item ${item}`, tags: [...shown, ...commonTags(typeOf(item))] };
  };
}

/** One commit: an item is published, any with the same probability. */
export function publisher(seed: number): (sequence: number, time: number) => FeedCommit {
  const random = seeded(seed);
  return (sequence, time) => {
    const item = Math.floor(random() * ITEMS);
    const id = `${String(item).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const tags = [`item:item_${item}`, `item:#${item}`, `members:${typeOf(item)}`, 'members:*', `id:${id}`];
    return { sequence, epoch: EPOCH, time, changes: [{ project: PROJECT, tags }] };
  };
}

function commonTags(type: number): string[] {
  return [`type:${type}`, 'languages', `project:${PROJECT}`];
}
