import { LRUCache } from 'lru-cache';
import type { Change, ChangeFeed, CoreAnswer } from '../../core/contract.ts';
import { isWhole, joined, ownBytes } from '../send-answer.ts';

export interface KeptFile {
  readonly body: Buffer;
  readonly etag: string;
  /** Header names and values in turn, of a 200 and of a 304. */
  readonly block: readonly string[];
  readonly block304: readonly string[];
  readonly tags: readonly string[];
}

/** A question to core under way: what changes meanwhile may not be in its answer. */
export interface Asking {
  readonly heard: Set<string>;
  isVoid: boolean;
}

const OF_304: ReadonlySet<string> = new Set(['etag', 'cache-control', 'vary']);

/** Whole answers by question, until there is no room or a change carries one of their tags. */
export class KeptFiles {
  #files: LRUCache<string, KeptFile>;
  #maxEntryBytes = 0;
  #maxBytes = 0;
  readonly #byTag = new Map<string, Set<string>>();
  readonly #asking = new Set<Asking>();
  #epoch: string | undefined;
  #attached = 0;
  #detach = () => {};

  constructor() {
    this.#files = this.#withRoom(0);
  }

  get bytes(): number {
    return this.#files.calculatedSize;
  }

  get count(): number {
    return this.#files.size;
  }

  /** A reload attaches the new plugin before it detaches the old, so that no change is missed. */
  attach(feed: ChangeFeed): () => void {
    if (this.#attached === 0) {
      this.#clear();
      this.#detach = feed.subscribe((change) => this.#hear(change));
    }
    this.#attached += 1;
    return () => {
      this.#attached -= 1;
      if (this.#attached === 0) this.#detach();
    };
  }

  /** From now on. */
  adopt(limits: { readonly maxBytes: number; readonly maxEntryBytes: number }): void {
    this.#maxEntryBytes = limits.maxEntryBytes;
    if (limits.maxBytes === this.#maxBytes) return;
    this.#maxBytes = limits.maxBytes;
    this.#clear();
    this.#files = this.#withRoom(limits.maxBytes);
  }

  get(question: string): KeptFile | undefined {
    return this.#files.get(question);
  }

  /** To be called before core is asked. */
  begin(): Asking {
    const asking = { heard: new Set<string>(), isVoid: false };
    this.#asking.add(asking);
    return asking;
  }

  /** To be called once for each `begin`; keeps the answer if it can be kept. */
  end(asking: Asking, question: string, answer: CoreAnswer | undefined): KeptFile | undefined {
    this.#asking.delete(asking);
    if (answer?.status !== 200 || answer.tags === undefined || !isWhole(answer.body)) return undefined;
    const body = ownBytes(joined(answer.body));
    if (body.length > this.#maxEntryBytes || body.length >= this.#maxBytes) return undefined;
    if (asking.isVoid || answer.tags.some((tag) => asking.heard.has(tag))) return undefined;
    const file = keptFile(body, answer.headers, answer.tags);
    this.#files.set(question, file, { size: body.length + 1000 + 2 * question.length });
    for (const tag of file.tags) {
      const questions = this.#byTag.get(tag) ?? new Set();
      this.#byTag.set(tag, questions.add(question));
    }
    return file;
  }

  #hear({ epoch, project, tags }: Change): void {
    if (project === null || (this.#epoch !== undefined && this.#epoch !== epoch)) this.#clear();
    this.#epoch = epoch;
    for (const asking of this.#asking) for (const tag of tags) asking.heard.add(tag);
    for (const tag of tags) for (const question of this.#byTag.get(tag) ?? []) this.#files.delete(question);
  }

  #clear(): void {
    this.#files.clear();
    for (const asking of this.#asking) asking.isVoid = true;
  }

  #withRoom(maxBytes: number): LRUCache<string, KeptFile> {
    return new LRUCache({
      maxSize: Math.max(1, maxBytes),
      dispose: ({ tags }, question, reason) => {
        if (reason === 'set') return;
        for (const tag of tags) {
          const questions = this.#byTag.get(tag);
          questions?.delete(question);
          if (questions?.size === 0) this.#byTag.delete(tag);
        }
      },
    });
  }
}

function keptFile(body: Buffer, headers: CoreAnswer['headers'], tags: readonly string[]): KeptFile {
  const all = Object.entries(headers).filter(([name]) => name !== 'content-length');
  const status = ['cache-status', 'headwater; hit'];
  return {
    body,
    etag: headers['etag'] ?? '',
    block: [...all.flat(), 'content-length', String(body.length), ...status],
    block304: [...all.filter(([name]) => OF_304.has(name)).flat(), ...status],
    tags,
  };
}
