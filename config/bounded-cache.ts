import { LRUCache } from 'lru-cache';

const ONE = () => 1;

/**
 * The entries that were used last. The bound is one of a size, since for a number lru-cache allocates all entries at
 * once: 100,000 take 20 ms of CPU at every start, and memory that most installations never use.
 */
export function boundedCache<Key extends string | number, Value extends {}>(
  most: number,
): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({ maxSize: most, sizeCalculation: ONE });
}
