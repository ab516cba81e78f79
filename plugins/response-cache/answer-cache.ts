import { LRUCache } from 'lru-cache';
import type { ChangeFeed, Core, CoreAnswer, CoreRequest } from '../../core/contract.ts';
import { ServiceError } from '../../core/contract.ts';
import type { Clock } from '../contract.ts';
import { isWhole } from '../send-answer.ts';
import type { HeaderWriter } from './cache-headers.ts';
import type { Question } from './cache-key.ts';
import { Entry } from './entry.ts';
import { Flights } from './flights.ts';
import { TagVersions } from './tag-versions.ts';

/** An answer that is not kept: whoever takes it first has it, the others ask for themselves. */
export interface PassingAnswer {
  readonly kind: 'passing';
  take(): CoreAnswer | undefined;
}

export interface KeptAnswer {
  readonly kind: 'kept';
  readonly entry: Entry;
  /** Core said that what we had still holds. */
  readonly isUnchanged: boolean;
}

export type Fetched = KeptAnswer | PassingAnswer;

export interface CacheLimits {
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
  readonly passSeconds: number;
  readonly onFeedGap: 'ignore' | 'stale';
}

/** Who asks, and what writes the headers of the entries. */
export interface Maker {
  readonly core: Core;
  readonly clock: Clock;
  readonly headers: HeaderWriter;
  /** What the headers are made of: a request that began before a reload leaves nothing for those after it. */
  readonly made: string;
}

/** Keys of answers that cannot be kept. */
const PASSES = 10_000;

/**
 * What outlives a reload: the entries, the tag versions, the fetches under way. Its listener at the change feed is
 * there from the first `attach` to the last `detach`; a reload attaches the new plugin before it detaches the old.
 */
export class AnswerCache {
  readonly versions = new TagVersions();
  readonly flights = new Flights<Fetched>();
  #entries: LRUCache<string, Entry>;
  readonly #passes = new LRUCache<string, number>({ max: PASSES });
  #attached = 0;
  #detach = () => {};
  #limits: CacheLimits;
  #made = '';

  constructor(limits: CacheLimits) {
    this.#limits = limits;
    this.#entries = entriesOf(limits.maxBytes);
  }

  attach(feed: ChangeFeed, clock: Clock): () => void {
    if (this.#attached === 0) {
      // Changes in between were not heard.
      this.versions.forget();
      this.#detach = feed.subscribe((change) =>
        this.versions.note(change, clock.monotonic(), this.#limits.onFeedGap),
      );
    }
    this.#attached += 1;
    let isAttached = true;
    return () => {
      if (!isAttached) return;
      isAttached = false;
      this.#attached -= 1;
      if (this.#attached === 0) this.#detach();
    };
  }

  /**
   * From now on.
   *
   * @param made what is written into entries; entries that were made otherwise are dropped
   */
  adopt(limits: CacheLimits, made: string): void {
    if (limits.maxBytes !== this.#limits.maxBytes) {
      const before = this.#entries;
      this.#entries = entriesOf(limits.maxBytes);
      this.#entries.load(before.dump());
    }
    if (this.#made !== made) this.#entries.clear();
    this.#made = made;
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
  grown(key: string, entry: Entry): void {
    if (this.#entries.peek(key) !== entry) return;
    // A value that is set again keeps the size it had.
    this.#entries.delete(key);
    this.#keep(key, entry);
  }

  /** Whether the last answer to the key could not be kept, so that nobody should wait for the next one. */
  passes(key: string, now: number): boolean {
    const until = this.#passes.get(key);
    return until !== undefined && now < until;
  }

  /** Asks core, with what is kept where that is comparable, and keeps what comes. */
  async fetch(
    { core, clock, headers, made }: Maker,
    question: Question,
    request: CoreRequest,
  ): Promise<Fetched> {
    const { key, project } = question;
    const before = this.#entries.peek(key);
    const { generation } = this.versions;
    const versions = this.versions.of(project);
    const known = before?.generation === generation ? before : undefined;
    const at = { project, versions, generation, headers };
    try {
      const answer = await core.handle(
        known === undefined ? request : { ...request, known: { tags: known.tags, sequence: known.sequence } },
      );
      const { tags, sequence, status } = answer;
      if (status === 304 && known !== undefined) {
        known.sequence = Math.max(known.sequence, sequence ?? 0);
        known.checked = -1;
        known.foundStale = undefined;
        return { kind: 'kept', entry: known, isUnchanged: true };
      }
      if (status === 200 && tags !== undefined && sequence !== undefined && this.#isSmall(answer.body)) {
        const entry = new Entry({ ...at, answer, tags, sequence });
        if (made === this.#made) this.#store(key, entry);
        return { kind: 'kept', entry, isUnchanged: false };
      }
      this.#entries.delete(key);
      if (this.#limits.passSeconds > 0) {
        this.#passes.set(key, clock.monotonic() + this.#limits.passSeconds * 1000);
      }
      return passing(answer);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
      const { tags, sequence } = error;
      if (tags === undefined || sequence === undefined) throw error;
      const entry = new Entry({ ...at, answer: { headers: {}, body: null }, tags, sequence, error });
      if (made === this.#made) this.#store(key, entry);
      return { kind: 'kept', entry, isUnchanged: false };
    }
  }

  #store(key: string, entry: Entry): void {
    const before = this.#entries.peek(key);
    if (before?.generation === entry.generation && before.sequence > entry.sequence) return;
    this.#passes.delete(key);
    this.#keep(key, entry);
  }

  #keep(key: string, entry: Entry): void {
    this.#entries.set(key, entry, { size: entry.size + 2 * key.length });
  }

  #isSmall(body: CoreAnswer['body']): boolean {
    if (!isWhole(body)) return false;
    let size = 0;
    for (const chunk of body) size += chunk.length;
    return size <= this.#limits.maxEntryBytes;
  }
}

function entriesOf(maxBytes: number): LRUCache<string, Entry> {
  return new LRUCache({ maxSize: maxBytes });
}

function passing(answer: CoreAnswer): PassingAnswer {
  let left: CoreAnswer | undefined = answer;
  return {
    kind: 'passing',
    take() {
      const taken = left;
      left = undefined;
      return taken;
    },
  };
}

/** A stream that nobody will read is told to stop. */
export function discard(answer: CoreAnswer | undefined): void {
  const body = answer?.body;
  if (body === null || body === undefined || isWhole(body)) return;
  const ignore = () => {};
  body[Symbol.asyncIterator]().return?.().then(ignore, ignore);
}
