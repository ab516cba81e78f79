import { LRUCache } from 'lru-cache';
import type { Change, ChangeFeed } from '../../core/contract.ts';
import { FeedSubscription } from '../caching/feed-subscription.ts';
import { joined } from '../caching/pieces.ts';
import { type FetchedAnswer, sharedBody, sharedHeaders } from '../caching/subrequest.ts';

export interface CachedFile {
  readonly body: Buffer;
  readonly etag: string;
  /** Header names and values in turn, of a 200 and of a 304. */
  readonly block: readonly string[];
  readonly block304: readonly string[];
  readonly tags: readonly string[];
  /** When the fetch began by which core last confirmed it; time of the monotonic clock. */
  confirmed: number;
}

/** A fetch under way: its answer may not show what changes meanwhile. */
export interface FileFetch {
  readonly began: number;
  readonly changedTags: Set<string>;
  isVoid: boolean;
}

const HEADERS_OF_304: ReadonlySet<string> = new Set(['etag', 'cache-control', 'vary']);

/** Whole answers by cache key, until memory runs out or a change carries one of their tags. */
export class CachedFiles {
  #files: LRUCache<string, CachedFile>;
  #maxEntryBytes = 0;
  #maxBytes = 0;
  readonly #keysByTag = new Map<string, Set<string>>();
  readonly #fetches = new Set<FileFetch>();
  #epoch: string | undefined;
  readonly #subscription = new FeedSubscription();

  constructor() {
    this.#files = this.#makeCache(0);
  }

  get bytes(): number {
    return this.#files.calculatedSize;
  }

  get count(): number {
    return this.#files.size;
  }

  attach(feed: ChangeFeed): () => void {
    return this.#subscription.attach(() => {
      this.#clear();
      return feed.subscribe(
        (change) => this.#onChange(change),
        () => this.#clear(),
      );
    });
  }

  /** From now on. */
  adopt(limits: { readonly maxBytes: number; readonly maxEntryBytes: number }): void {
    this.#maxEntryBytes = limits.maxEntryBytes;
    if (limits.maxBytes === this.#maxBytes) return;
    this.#maxBytes = limits.maxBytes;
    this.#clear();
    this.#files = this.#makeCache(limits.maxBytes);
  }

  get(key: string): CachedFile | undefined {
    return this.#files.get(key);
  }

  beginFetch(now: number): FileFetch {
    const fetch = { began: now, changedTags: new Set<string>(), isVoid: false };
    this.#fetches.add(fetch);
    return fetch;
  }

  /**
   * To be called once for each `beginFetch`; caches the answer if it has tags and fits.
   *
   * @param before the cached file whose tag core was given: a 304 confirms it
   */
  endFetch(
    fetch: FileFetch,
    key: string,
    answer: FetchedAnswer | undefined,
    omittedHeaders: readonly string[],
    before?: CachedFile,
  ): CachedFile | undefined {
    this.#fetches.delete(fetch);
    if (answer?.status === 304 && before !== undefined) {
      before.confirmed = Math.max(before.confirmed, fetch.began);
      return before;
    }
    if (answer?.status !== 200 || answer.tags === undefined) return undefined;
    const { tags } = answer;
    const body = sharedBody(answer, Math.min(this.#maxEntryBytes, this.#maxBytes - 1));
    if (body === undefined) return undefined;
    if (fetch.isVoid || tags.some((tag) => fetch.changedTags.has(tag))) return undefined;
    const file = cachedFile(joined(body), sharedHeaders(answer, omittedHeaders), tags, fetch.began);
    this.#files.set(key, file, { size: body.length + 1000 + 2 * key.length });
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag) ?? new Set();
      this.#keysByTag.set(tag, keys.add(key));
    }
    return file;
  }

  #onChange({ epoch, project, tags }: Change): void {
    if (project === null || (this.#epoch !== undefined && this.#epoch !== epoch)) this.#clear();
    this.#epoch = epoch;
    for (const { changedTags } of this.#fetches) for (const tag of tags) changedTags.add(tag);
    for (const tag of tags) for (const key of this.#keysByTag.get(tag) ?? []) this.#files.delete(key);
  }

  #clear(): void {
    this.#files.clear();
    for (const fetch of this.#fetches) fetch.isVoid = true;
  }

  #makeCache(maxBytes: number): LRUCache<string, CachedFile> {
    return new LRUCache({
      maxSize: Math.max(1, maxBytes),
      dispose: ({ tags }, key, reason) => {
        if (reason === 'set') return;
        for (const tag of tags) {
          const keys = this.#keysByTag.get(tag);
          keys?.delete(key);
          if (keys?.size === 0) this.#keysByTag.delete(tag);
        }
      },
    });
  }
}

function cachedFile(
  body: Buffer,
  headers: Record<string, string>,
  tags: readonly string[],
  confirmed: number,
): CachedFile {
  const all = Object.entries(headers);
  const status = ['cache-status', 'headwater; hit'];
  return {
    body,
    etag: headers['etag'] ?? '',
    block: [...all.flat(), 'content-length', String(body.length), ...status],
    block304: [...all.filter(([name]) => HEADERS_OF_304.has(name)).flat(), ...status],
    tags,
    confirmed,
  };
}
