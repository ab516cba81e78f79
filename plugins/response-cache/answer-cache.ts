import { LRUCache } from 'lru-cache';
import { boundedCache } from '../../config/bounded-cache.ts';
import { type ChangeFeed, type CoreRequest, ServiceError } from '../../core/contract.ts';
import { FeedSubscription } from '../caching/feed-subscription.ts';
import { type FetchedAnswer, sharedBody, sharedHeaders } from '../caching/subrequest.ts';
import type { Clock } from '../contract.ts';
import type { HeaderWriter } from './cache-headers.ts';
import type { CacheKey } from './cache-key.ts';
import { Entry } from './entry.ts';
import { FeedTagVersions } from './feed-tag-versions.ts';

/** An answer that is not cached: for the first request that takes it; further ones fetch their own. */
export interface UncacheableAnswer {
  readonly kind: 'uncacheable';
  take(): FetchedAnswer | undefined;
}

export interface CachedAnswer {
  readonly kind: 'cached';
  readonly entry: Entry;
  /** Core answered that the cached answer still holds. */
  readonly isUnchanged: boolean;
}

export type Fetched = CachedAnswer | UncacheableAnswer;

export interface CacheLimits {
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
  readonly passSeconds: number;
  readonly onFeedGap: 'ignore' | 'stale';
}

/** What entries are made with. */
export interface EntryOptions {
  readonly clock: Clock;
  readonly headers: HeaderWriter;
  /** Settings of headers and encodings: a request that began before a reload stores nothing for those after it. */
  readonly entrySettings: string;
  /** Lower-case name. */
  readonly sequenceHeader: string;
}

/** Keys whose answers cannot be cached. */
const UNCACHEABLE_KEYS = 10_000;

/** What outlives a reload: the entries and the tag versions. */
export class AnswerCache {
  readonly versions = new FeedTagVersions();
  #entries: LRUCache<string, Entry>;
  readonly #uncacheable = boundedCache<string, number>(UNCACHEABLE_KEYS);
  readonly #subscription = new FeedSubscription();
  #limits: CacheLimits;
  #entrySettings = '';

  constructor(limits: CacheLimits) {
    this.#limits = limits;
    this.#entries = entriesOf(limits.maxBytes);
  }

  attach(feed: ChangeFeed, clock: Clock): () => void {
    return this.#subscription.attach(() => {
      this.versions.forget();
      return feed.subscribe(
        (change) => {
          const committed = clock.monotonic() - (change.age ?? 0);
          this.versions.onChange(change, committed, this.#limits.onFeedGap);
        },
        (position) => this.versions.onReset(position),
      );
    });
  }

  /**
   * From now on.
   *
   * @param entrySettings entries that were made with others are dropped
   */
  adopt(limits: CacheLimits, entrySettings: string): void {
    if (limits.maxBytes !== this.#limits.maxBytes) {
      const before = this.#entries;
      this.#entries = entriesOf(limits.maxBytes);
      this.#entries.load(before.dump());
    }
    if (this.#entrySettings !== entrySettings) this.#entries.clear();
    this.#entrySettings = entrySettings;
    this.#limits = limits;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  get entries(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** The entry has another encoding now. */
  onGrown(key: string, entry: Entry): void {
    if (this.#entries.peek(key) !== entry) return;
    // A value that is set again keeps the size it had.
    this.#entries.delete(key);
    this.#store(key, entry);
  }

  /** Whether the last answer to the key could not be cached, so that no request waits for the fetch of another. */
  isUncacheable(key: string, now: number): boolean {
    const until = this.#uncacheable.get(key);
    return until !== undefined && now < until;
  }

  /** Fetches an answer, given the cached one where that is comparable, and caches it. */
  async fetch(
    { clock, headers, entrySettings, sequenceHeader }: EntryOptions,
    { text: key, project }: CacheKey,
    fetchAnswer: (known: CoreRequest['known']) => Promise<FetchedAnswer>,
  ): Promise<Fetched> {
    const before = this.#entries.peek(key);
    const { generation } = this.versions;
    const versions = this.versions.of(project);
    const known = before?.generation === generation ? before : undefined;
    const confirmed = clock.monotonic();
    const common = { project, versions, generation, headers, confirmed };
    try {
      const answer = await fetchAnswer(known && { tags: known.tags, sequence: known.sequence });
      const { tags, sequence, status } = answer;
      if (status === 304 && known !== undefined) {
        known.sequence = Math.max(known.sequence, sequence ?? 0);
        known.checked = -1;
        known.confirmed = Math.max(known.confirmed, confirmed);
        known.foundStale = undefined;
        return { kind: 'cached', entry: known, isUnchanged: true };
      }
      const isShared = status === 200 && tags !== undefined && sequence !== undefined;
      const { maxBytes, maxEntryBytes } = this.#limits;
      const body = isShared ? sharedBody(answer, Math.min(maxBytes, maxEntryBytes)) : undefined;
      if (isShared && body !== undefined) {
        const coreHeaders = sharedHeaders(answer, [sequenceHeader]);
        return this.#add(key, new Entry({ tags, sequence, coreHeaders, body, ...common }), entrySettings);
      }
      this.#entries.delete(key);
      if (this.#limits.passSeconds > 0) {
        this.#uncacheable.set(key, clock.monotonic() + this.#limits.passSeconds * 1000);
      }
      return uncacheable(answer);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
      const { tags, sequence } = error;
      if (tags === undefined || sequence === undefined) throw error;
      const made = { tags, sequence, coreHeaders: {}, body: undefined, error, ...common };
      return this.#add(key, new Entry(made), entrySettings);
    }
  }

  #add(key: string, entry: Entry, entrySettings: string): CachedAnswer {
    const before = this.#entries.peek(key);
    const isOlder = before?.generation === entry.generation && before.sequence > entry.sequence;
    if (entrySettings === this.#entrySettings && !isOlder) {
      this.#uncacheable.delete(key);
      this.#store(key, entry);
    }
    return { kind: 'cached', entry, isUnchanged: false };
  }

  #store(key: string, entry: Entry): void {
    this.#entries.set(key, entry, { size: entry.size + 2 * key.length });
  }
}

function entriesOf(maxBytes: number): LRUCache<string, Entry> {
  return new LRUCache({ maxSize: maxBytes });
}

function uncacheable(answer: FetchedAnswer): UncacheableAnswer {
  let rest: FetchedAnswer | undefined = answer;
  return {
    kind: 'uncacheable',
    take() {
      const taken = rest;
      rest = undefined;
      return taken;
    },
  };
}
