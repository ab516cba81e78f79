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

interface Found {
  readonly outcome: Result | 'refused';
  /** Resolves when the disk has it. */
  readonly kept: Promise<void> | undefined;
}

const REFUSED: Found = { outcome: 'refused', kept: undefined };

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
   * What `result` would fail with, as far as that is known without any waiting: nobody makes it or has made it, and
   * no worker could take it.
   */
  refusal(key: string): ServiceError | undefined {
    if (this.isRefused(key) || this.#underWay.has(key) || this.#cache.mayHave(key)) return undefined;
    const refusal = this.#workers?.refusal('image-transform');
    return refusal && unavailable(refusal);
  }

  /**
   * However many ask for a result at once, it is made once.
   * @throws unavailable, with the time after which to try again
   */
  result(wanted: Wanted): Promise<Result | 'refused'> {
    const { key } = wanted;
    const known = this.#underWay.get(key);
    if (known) return known;
    const found = this.#find(wanted);
    const result = found.then(({ outcome }) => outcome);
    this.#underWay.set(key, result);
    // Until it is on the disk it is found here, so that nobody has it made again in between.
    const isOver = () => this.#underWay.delete(key);
    found.then(({ kept }) => kept).then(isOver, isOver);
    return result;
  }

  async #find(wanted: Wanted): Promise<Found> {
    const { key } = wanted;
    if (this.isRefused(key)) return REFUSED;
    const before = await this.#cache.get(key);
    if (before) return { outcome: before, kept: undefined };
    try {
      const { type, body } = await this.#transform(wanted);
      const outcome = { type, body };
      return { outcome, kept: this.#cache.put(key, outcome) };
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      if (error.failure !== 'refused') throw unavailable(error);
      this.#refused.set(key, true);
      return REFUSED;
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
