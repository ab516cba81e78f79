import { LRUCache } from 'lru-cache';
import type { Change, ChangeFeed } from '../core/contract.ts';

interface Entry<Value> {
  readonly value: Value | null;
  /** Number of changes seen when the lookup began. */
  readonly seen: number;
  /** The entry ends when a change has this tag. */
  readonly tag: string;
}

export interface FeedCacheOptions<Value> {
  readonly feed: ChangeFeed;
  /** Found values kept at a time. */
  readonly entries: number;
  /** What was not found, kept apart: made-up names must not displace what exists. */
  readonly missingEntries: number;
  readonly lookUp: (wanted: string) => Promise<Value | undefined>;
  /** Tags of interest: those that begin with one of these. All others pass by. */
  readonly prefixes: readonly string[];
  /** Tag of the changes that end a found value. */
  readonly tagOf: (value: Value) => string;
  /** The same for what was not found; `keys:*` stands for any tag that begins with `keys:`. */
  readonly tagOfMissing: (key: string) => string;
}

/** Of tags that changed; far more than there are keys made and projects changed between two restarts. */
const TAGS = 10_000;

/**
 * Remembers lookups in core for as long as the change feed says nothing about them. An entry is checked when it
 * is read, so a change costs a few map writes, and a lookup that began before a change is never believed after it.
 * Changes that concern nobody here (an editor at work) end nothing.
 */
export class FeedCache<Value extends object> {
  readonly #options: FeedCacheOptions<Value>;
  readonly #found: LRUCache<string, Entry<Value>>;
  readonly #missing: LRUCache<string, Entry<Value>>;
  readonly #lastChange = new Map<string, number>();
  readonly #flights = new Map<
    string,
    { readonly seen: number; readonly value: Promise<Value | undefined> }
  >();
  readonly #unsubscribe: () => void;
  #epoch: string | undefined;
  #changes = 0;
  /** Everything that was looked up before is out of date. */
  #floor = 0;

  constructor(options: FeedCacheOptions<Value>) {
    this.#options = options;
    this.#found = new LRUCache({ max: options.entries });
    this.#missing = new LRUCache({ max: options.missingEntries });
    this.#unsubscribe = options.feed.subscribe((change) => this.#heard(change));
  }

  /** What is remembered: the value, null when there is none, undefined when core has to be asked. */
  known(key: string): Value | null | undefined {
    const entry = this.#found.get(key) ?? this.#missing.get(key);
    return entry !== undefined && this.#fresh(entry) ? entry.value : undefined;
  }

  /** @param key what the value is kept under, when it is not what is looked up (a hash of a secret) */
  async get(wanted: string, key = wanted): Promise<Value | undefined> {
    const known = this.known(key);
    if (known !== undefined) return known ?? undefined;
    const flight = this.#flights.get(key);
    // Only a lookup that began after the last change can be shared.
    if (flight?.seen === this.#changes) return flight.value;
    const seen = this.#changes;
    const value = this.#lookUp(wanted, key, seen);
    this.#flights.set(key, { seen, value });
    try {
      return await value;
    } finally {
      if (this.#flights.get(key)?.value === value) this.#flights.delete(key);
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#found.clear();
    this.#missing.clear();
  }

  async #lookUp(wanted: string, key: string, seen: number): Promise<Value | undefined> {
    const { lookUp, tagOf, tagOfMissing } = this.#options;
    const value = await lookUp(wanted);
    if (value === undefined) {
      this.#found.delete(key);
      this.#missing.set(key, { value: null, seen, tag: tagOfMissing(key) });
    } else {
      this.#missing.delete(key);
      this.#found.set(key, { value, seen, tag: tagOf(value) });
    }
    return value;
  }

  #heard({ epoch, tags }: Change): void {
    if (epoch !== this.#epoch) {
      // Other data than before: a restored backup, or the first change there is.
      this.#epoch = epoch;
      this.#changes += 1;
      this.#floor = this.#changes;
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

  #fresh({ seen, tag }: Entry<Value>): boolean {
    return seen >= this.#floor && seen >= (this.#lastChange.get(tag) ?? 0);
  }
}
