import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../core/contract.ts';

interface Entry<Value> {
  readonly value: Value | undefined;
  /** Number of changes seen when the lookup began. */
  readonly seen: number;
  /** Project whose changes end the entry; null = any change ends it. */
  readonly project: string | null;
}

/**
 * Remembers lookups in core for as long as the change feed says nothing about them. What was found lives
 * until its project changes; what was not found until anything changes. An entry is checked when it is
 * read, so a change costs one map write, and a lookup that began before a change is never believed after it.
 */
export class FeedCache<Value extends object> {
  readonly #entries: LRUCache<string, Entry<Value>>;
  readonly #lookUp: (key: string) => Promise<Value | undefined>;
  readonly #projectOf: (value: Value) => string;
  readonly #lastChange = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #changes = 0;
  #lastOfInstallation = 0;

  constructor(options: {
    readonly feed: ChangeFeed;
    readonly entries: number;
    readonly lookUp: (key: string) => Promise<Value | undefined>;
    readonly projectOf: (value: Value) => string;
  }) {
    this.#entries = new LRUCache({ max: options.entries });
    this.#lookUp = options.lookUp;
    this.#projectOf = options.projectOf;
    this.#unsubscribe = options.feed.subscribe((change) => {
      this.#changes += 1;
      if (change.project === null) this.#lastOfInstallation = this.#changes;
      else this.#lastChange.set(change.project, this.#changes);
    });
  }

  /** @param key what the value is kept under, when it is not what is looked up (a hash of a secret) */
  async get(wanted: string, key = wanted): Promise<Value | undefined> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && this.#fresh(entry)) return entry.value;
    const seen = this.#changes;
    const value = await this.#lookUp(wanted);
    this.#entries.set(key, { value, seen, project: value === undefined ? null : this.#projectOf(value) });
    return value;
  }

  close(): void {
    this.#unsubscribe();
    this.#entries.clear();
  }

  #fresh(entry: Entry<Value>): boolean {
    if (entry.project === null) return entry.seen === this.#changes;
    return entry.seen >= this.#lastOfInstallation && entry.seen >= (this.#lastChange.get(entry.project) ?? 0);
  }
}
