import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../config/bounded-cache.ts';
import type { Change, ChangeFeed } from '../../core/contract.ts';
import type { Clock } from '../contract.ts';
import { isCoreFailure } from './core-failure.ts';
import { isFeedLost } from './feed-loss.ts';

interface Entry<Value> {
  readonly value: Value | null;
  /** Number of changes seen when the lookup began. */
  readonly seen: number;
  /** The entry ends when a change has this tag. */
  readonly tag: string;
}

interface Lookup<Value> {
  readonly seen: number;
  readonly value: Promise<Value | undefined>;
  /** Begins when this one has ended, for all that need a later one. */
  next?: Promise<Value | undefined>;
}

export interface FeedCacheOptions<Value> {
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  /** Values cached at a time. */
  readonly entries: number;
  /** Names without a value, cached apart: made-up names must not displace values. */
  readonly missingEntries: number;
  readonly lookUp: (name: string) => Promise<Value | undefined>;
  /** A cached value is used where a call of core fails while the feed is lost. */
  readonly withoutCore?: boolean;
  /** Only tags that begin with one of these count. */
  readonly prefixes: readonly string[];
  /** Tag of the changes that end a value. */
  readonly tagOf: (value: Value) => string;
  /** The same for a name without a value; `keys:*` matches any tag that begins with `keys:`. */
  readonly tagOfMissing: (name: string) => string;
}

/** Tags whose last change is stored; far more than keys and projects change between two restarts. */
const TAGS = 10_000;

/**
 * Caches lookups in core until the change feed reports a change of their tag. An entry is checked when it is read,
 * so a change costs a few map writes, and a lookup that began before a change is never used after it. Changes with
 * other tags end no entry. While the feed is lost, each lookup calls core; the answers are cached all the same,
 * because the feed delivers what it missed before it counts as complete again.
 */
export class FeedCache<Value extends object> {
  readonly #options: FeedCacheOptions<Value>;
  readonly #found: LRUCache<string, Entry<Value>>;
  readonly #missing: LRUCache<string, Entry<Value>>;
  readonly #lastChange = new Map<string, number>();
  readonly #lookups = new Map<string, Lookup<Value>>();
  readonly #unsubscribe: () => void;
  #epoch: string | undefined;
  #changes = 0;
  /** All lookups from before are outdated. */
  #floor = 0;

  constructor(options: FeedCacheOptions<Value>) {
    this.#options = options;
    this.#found = boundedCache(options.entries);
    this.#missing = boundedCache(options.missingEntries);
    this.#unsubscribe = options.feed.subscribe(
      (change) => this.#onChange(change),
      () => this.#forget(),
    );
  }

  /** The cached value, null where there is none, undefined where it has to be looked up. */
  known(name: string): Value | null | undefined {
    const entry = this.#found.get(name) ?? this.#missing.get(name);
    if (entry === undefined || !this.#fresh(entry)) return undefined;
    return this.#isLost() ? undefined : entry.value;
  }

  async get(name: string): Promise<Value | undefined> {
    const known = this.known(name);
    if (known !== undefined) return known ?? undefined;
    try {
      return await this.#join(name);
    } catch (error) {
      const entry = this.#options.withoutCore && isCoreFailure(error) ? this.#found.get(name) : undefined;
      if (entry?.value == null || !this.#fresh(entry)) throw error;
      return entry.value;
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#found.clear();
    this.#missing.clear();
  }

  /** At most one lookup of a name runs and one waits. */
  #join(name: string): Promise<Value | undefined> {
    const running = this.#lookups.get(name);
    if (running === undefined) return this.#begin(name);
    if (running.seen === this.#changes && !this.#isLost()) return running.value;
    // One that began before the last change, or while changes may be missing, cannot be shared.
    const begin = () => this.#begin(name);
    running.next ??= running.value.then(begin, begin);
    return running.next;
  }

  #begin(name: string): Promise<Value | undefined> {
    const seen = this.#changes;
    const lookup: Lookup<Value> = { seen, value: this.#lookUp(name, seen) };
    this.#lookups.set(name, lookup);
    const done = () => {
      if (this.#lookups.get(name) === lookup) this.#lookups.delete(name);
    };
    lookup.value.then(done, done);
    return lookup.value;
  }

  async #lookUp(name: string, seen: number): Promise<Value | undefined> {
    const { lookUp, tagOf, tagOfMissing } = this.#options;
    const value = await lookUp(name);
    if (value === undefined) {
      this.#found.delete(name);
      this.#missing.set(name, { value: null, seen, tag: tagOfMissing(name) });
    } else {
      this.#missing.delete(name);
      this.#found.set(name, { value, seen, tag: tagOf(value) });
    }
    return value;
  }

  #onChange({ epoch, tags }: Change): void {
    if (epoch !== this.#epoch) {
      // A restored backup, or the first change.
      this.#epoch = epoch;
      this.#forget();
    }
    for (const tag of tags) {
      const prefix = this.#options.prefixes.find((start) => tag.startsWith(start));
      if (prefix === undefined) continue;
      this.#changes += 1;
      this.#lastChange.set(tag, this.#changes);
      this.#lastChange.set(`${prefix}*`, this.#changes);
    }
    if (this.#lastChange.size <= TAGS) return;
    this.#lastChange.clear();
    this.#floor = this.#changes;
  }

  #forget(): void {
    this.#changes += 1;
    this.#floor = this.#changes;
  }

  #isLost(): boolean {
    return isFeedLost(this.#options.feed, this.#options.clock);
  }

  #fresh({ seen, tag }: Entry<Value>): boolean {
    return seen >= this.#floor && seen >= (this.#lastChange.get(tag) ?? 0);
  }
}
