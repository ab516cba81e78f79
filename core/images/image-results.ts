import { boundedCache } from '../../config/bounded-cache.ts';
import { type RunOptions, WorkerError, type WorkerRefusal, type Workers } from '../../workers/contract.ts';
import type { ImagePlan } from '../../workers/images/image-transform.ts';
import { ServiceError } from '../errors.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import { cancelled } from '../storage/read-scope.ts';
import { CollapsedFetch, UNWANTED } from '../turns/collapsed-fetch.ts';
import type { Result } from './packed-result.ts';
import type { ResultCache } from './result-cache.ts';

/** Cached keys of images that could not be transformed; they are not tried again. */
const REFUSED_KEYS = 10_000;
/** Seconds to wait after a lost or late task. */
const RETRY_AFTER = 2;

export interface ImageRequest {
  /** Hash of the source. */
  readonly hash: string;
  readonly plan: ImagePlan;
  /** It takes much memory of a worker. */
  readonly isLarge: boolean;
  /** Identifies everything the result depends on; `ResultCache.key`. */
  readonly key: string;
}

interface Found {
  readonly outcome: Result | 'refused';
  /** Resolves when the result is on disk. */
  readonly stored: Promise<void>;
}

const REFUSED: Found = { outcome: 'refused', stored: Promise.resolve() };

/** Results of transformations: from disk, from a running transformation, or from a worker. */
export class ImageResults {
  readonly #workers: Workers | undefined;
  readonly #cache: ResultCache;
  readonly #blobs: Blobs;
  readonly #underWay = new Map<string, CollapsedFetch<Found>>();
  readonly #refused = boundedCache<string, true>(REFUSED_KEYS);

  constructor(workers: Workers | undefined, cache: ResultCache, blobs: Blobs) {
    this.#workers = workers;
    this.#cache = cache;
    this.#blobs = blobs;
  }

  /** The image was tried and cannot be transformed. */
  isRefused(key: string): boolean {
    return this.#refused.has(key);
  }

  /**
   * The error with which `result` would fail, as far as known without waiting: no result exists or is being made, and
   * no worker can take the task.
   */
  refusal(key: string): ServiceError | undefined {
    if (this.isRefused(key) || this.#underWay.has(key) || this.#cache.mayHave(key)) return undefined;
    const refusal = this.#workers?.refusal('image-transform');
    return refusal && unavailable(refusal);
  }

  /**
   * Makes a result once for all concurrent requests. When the last of them is cancelled, it leaves the queue of the
   * workers.
   * @throws unavailable, with `retry-after`
   */
  async result(
    request: ImageRequest,
    { signal, origin }: Pick<RunOptions, 'signal' | 'origin'>,
  ): Promise<Result | 'refused'> {
    for (;;) {
      if (signal?.aborted) throw cancelled();
      const fetch = this.#underWay.get(request.key) ?? this.#start(request, origin);
      const leave = fetch.join();
      signal?.addEventListener('abort', leave);
      try {
        return (await fetch.promise).outcome;
      } catch (error) {
        // The fetch was cancelled before this request joined it, and no worker had begun. One that had is not repeated where
        // it is late: the request would wait for two deadlines.
        if (error !== UNWANTED || signal?.aborted) throw error;
      }
    }
  }

  #start(request: ImageRequest, origin: RunOptions['origin']): CollapsedFetch<Found> {
    const { key } = request;
    const fetch = new CollapsedFetch((signal) => this.#find(request, { origin, signal }));
    this.#underWay.set(key, fetch);
    // Found here until it is on disk, so that it is not made again in between.
    const isOver = () => this.#underWay.delete(key);
    fetch.promise.then(({ stored }) => stored.then(isOver), isOver);
    return fetch;
  }

  async #find(request: ImageRequest, options: RunOptions): Promise<Found> {
    const { key } = request;
    if (this.isRefused(key)) return REFUSED;
    const before = await this.#cache.get(key);
    if (before) return { outcome: before, stored: Promise.resolve() };
    try {
      const { type, body } = await this.#transform(request, options);
      const outcome = { type, body };
      return { outcome, stored: this.#cache.put(key, outcome) };
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      if (error.failure !== 'refused') throw unavailable(error, error);
      this.#refused.set(key, true);
      return REFUSED;
    }
  }

  async #transform({ hash, plan, isLarge }: ImageRequest, options: RunOptions): Promise<Result> {
    const workers = this.#workers;
    if (!workers) throw new WorkerError('lost', 'There are no workers.');
    return this.#blobs.withSource(hash, (source) =>
      workers.run('image-transform', { source, plan }, { ...options, source: hash, isLarge }),
    );
  }
}

function unavailable(
  { failure, retryAfter = RETRY_AFTER }: WorkerRefusal,
  cause?: WorkerError,
): ServiceError {
  const texts = {
    busy: 'All image workers are busy; try again shortly.',
    late: 'The image was not ready in time; try again shortly.',
    lost: 'The image workers are not available; try again shortly.',
    refused: '',
  };
  return new ServiceError('unavailable', texts[failure], {
    headers: { 'retry-after': String(retryAfter) },
    cause,
  });
}
