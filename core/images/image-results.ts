import { LRUCache } from 'lru-cache';
import { WorkerError, type Workers } from '../../workers/contract.ts';
import type { ImagePlan } from '../../workers/images/image-transform.ts';
import { ServiceError } from '../errors.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Result } from './packed-result.ts';
import type { ResultCache } from './result-cache.ts';

/** Pictures that could not be transformed are not tried again; keys of them that are remembered. */
const REMEMBERED = 10_000;
/** Seconds after which a tier that was lost or too slow may do it. */
const SOON = 2;

export interface Wanted {
  /** Hash of the source. */
  readonly hash: string;
  readonly plan: ImagePlan;
  /** Says all the result depends on; `ResultCache.key`. */
  readonly key: string;
}

/** Results of transformations: from the disk, from one that is under way, or from a worker. */
export class ImageResults {
  readonly #workers: Workers | undefined;
  readonly #cache: ResultCache;
  readonly #blobs: Blobs;
  readonly #underWay = new Map<string, Promise<Result | 'refused'>>();
  readonly #refused = new LRUCache<string, true>({ max: REMEMBERED });

  constructor(workers: Workers | undefined, cache: ResultCache, blobs: Blobs) {
    this.#workers = workers;
    this.#cache = cache;
    this.#blobs = blobs;
  }

  /** It was tried, and the picture is one that cannot be transformed. */
  isRefused(key: string): boolean {
    return this.#refused.has(key);
  }

  /**
   * However many ask for a result at once, it is made once.
   * @throws unavailable, with the time after which to try again
   */
  result(wanted: Wanted): Promise<Result | 'refused'> {
    const { key } = wanted;
    let result = this.#underWay.get(key);
    if (!result) {
      result = this.#find(wanted).finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, result);
    }
    return result;
  }

  async #find(wanted: Wanted): Promise<Result | 'refused'> {
    if (this.isRefused(wanted.key)) return 'refused';
    const kept = await this.#cache.get(wanted.key);
    if (kept) return kept;
    try {
      const { type, body } = await this.#transform(wanted);
      // Nobody waits for the disk.
      void this.#cache.put(wanted.key, { type, body });
      return { type, body };
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      if (error.failure !== 'refused') throw unavailable(error);
      this.#refused.set(wanted.key, true);
      return 'refused';
    }
  }

  async #transform({ hash, plan }: Wanted): Promise<Result> {
    if (!this.#workers) throw new WorkerError('lost', 'There are no workers.');
    const source = this.#blobs.path(hash) ?? (await this.#blobs.read(hash));
    return this.#workers.run('image-transform', { source, plan });
  }
}

function unavailable(cause: WorkerError): ServiceError {
  const texts = {
    busy: 'All image workers are busy; try again shortly.',
    late: 'The picture was not ready in time; try again shortly.',
    lost: 'The image workers are not there; try again shortly.',
    refused: '',
  };
  return new ServiceError('unavailable', texts[cause.failure], {
    headers: { 'retry-after': String(cause.retryAfter ?? SOON) },
    cause,
  });
}
