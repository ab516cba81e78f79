import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../core/contract.ts';
import type { ClientFacet, Kit } from '../contract.ts';
import { addressGroup } from './address-group.ts';

export interface AttemptSettings {
  readonly perMinute: number;
  readonly loopback: boolean;
  readonly addresses: number;
}

interface Bucket {
  /** Failures that are still answered as such; refills with time. */
  left: number;
  at: number;
  /** Its address has been told of since the bucket was full. */
  told: boolean;
}

/** Waiting lookups for addresses that have failed too often. */
const LANE = 100;

/**
 * Too many wrong tokens from one address are told to wait. A right one is let through all the same, because many
 * may share an address with the one that fails; but as long as an address fails, its unknown tokens are looked up
 * one after the other, so that guessing costs the guesser time and the database next to nothing.
 */
export class FailedAttempts {
  #settings: AttemptSettings;
  readonly #clock: Kit['clock'];
  #buckets: LRUCache<string, Bucket>;
  readonly #told: (address: string) => void;
  #lane: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param told of an address that has used up its attempts; once, until it has kept still for a minute */
  constructor(settings: AttemptSettings, clock: Kit['clock'], told: (address: string) => void) {
    this.#settings = settings;
    this.#clock = clock;
    this.#buckets = new LRUCache({ max: settings.addresses });
    this.#told = told;
  }

  /** From now on; what those that failed last have left stays. */
  adopt(settings: AttemptSettings): void {
    if (settings.addresses !== this.#settings.addresses) {
      const kept = new LRUCache<string, Bucket>({ max: settings.addresses });
      kept.load(this.#buckets.dump());
      this.#buckets = kept;
    }
    this.#settings = settings;
  }

  /** Looks a token up; from an address that has failed too often, behind the others of its kind. */
  async lookUp<T>(client: ClientFacet, work: () => Promise<T>): Promise<T> {
    const bucket = this.#bucketOf(client);
    if (bucket === undefined || bucket.left >= 1) return work();
    if (this.#waiting >= LANE) throw this.#tooMany(bucket);
    this.#waiting += 1;
    const turn = this.#lane.then(work, work);
    this.#lane = turn.then(
      () => {},
      () => {},
    );
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Counts a failure and answers with what to refuse the request. */
  refusal(client: ClientFacet, otherwise: ServiceError): ServiceError {
    const bucket = this.#bucketOf(client) ?? this.#newBucket(client);
    if (bucket === undefined) return otherwise;
    if (bucket.left < 1) return this.#tooMany(bucket);
    bucket.left -= 1;
    if (bucket.left < 1 && !bucket.told) {
      bucket.told = true;
      this.#told(client.address);
    }
    return otherwise;
  }

  #counts(client: ClientFacet): boolean {
    const { perMinute, loopback } = this.#settings;
    return perMinute > 0 && (loopback || !client.loopback);
  }

  #bucketOf(client: ClientFacet): Bucket | undefined {
    if (!this.#counts(client)) return undefined;
    const bucket = this.#buckets.get(addressGroup(client.address));
    if (bucket === undefined) return undefined;
    const { perMinute } = this.#settings;
    const now = this.#clock.monotonic();
    bucket.left = Math.min(perMinute, bucket.left + ((now - bucket.at) / 60_000) * perMinute);
    bucket.at = now;
    if (bucket.left === perMinute) bucket.told = false;
    return bucket;
  }

  #newBucket(client: ClientFacet): Bucket | undefined {
    if (!this.#counts(client)) return undefined;
    const bucket = { left: this.#settings.perMinute, at: this.#clock.monotonic(), told: false };
    this.#buckets.set(addressGroup(client.address), bucket);
    return bucket;
  }

  #tooMany({ left }: Bucket): ServiceError {
    const seconds = Math.max(1, Math.ceil(((1 - left) * 60) / this.#settings.perMinute));
    return new ServiceError(
      'rateLimited',
      `Too many wrong keys came from this address; try again in ${seconds} s.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  }
}
