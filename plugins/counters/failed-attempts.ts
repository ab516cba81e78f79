import { boundedCache } from '../../config/bounded-cache.ts';
import { ServiceError } from '../../core/contract.ts';
import type {
  AttemptSettings,
  ClientFacet,
  FailedAttempts,
  GuessedSecret,
  PluginServices,
} from '../contract.ts';
import { addressGroup } from './client-address.ts';

export const ATTEMPT_DEFAULTS: AttemptSettings = {
  perMinute: 60,
  blockSeconds: 300,
  loopback: false,
  addresses: 10_000,
};

interface Bucket {
  /** Failures that remain; refills with time. */
  remaining: number;
  at: number;
}

/** Lookups from blocked addresses that may wait. */
const WAITING = 100;

/**
 * Wrong keys and admin tokens by the client's address, on all surfaces together. An address with too many
 * is blocked for a while: the admin token is not accepted from it, right or wrong, so that further guesses reveal nothing. Keys of projects are, because many clients may share the address; unknown ones are
 * looked up one after the other meanwhile, so that guessing costs the database little.
 */
export class AttemptCounter implements FailedAttempts {
  #settings = ATTEMPT_DEFAULTS;
  readonly #services: Pick<PluginServices, 'clock' | 'log'>;
  readonly #failed: { inc(labels: { status: string }): void };
  #counted = boundedCache<string, Bucket>(ATTEMPT_DEFAULTS.addresses);
  /**
   * When each block ends, in the order of their beginning. Apart from the counts: a caller with many addresses can push
   * counts out with one request each, a block only with as many as cause one.
   */
  readonly #blocked = new Map<string, number>();
  readonly #share: (group: string) => void;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param share is given the address of each failure, for the gateway processes beside this one */
  constructor(
    services: Pick<PluginServices, 'clock' | 'log' | 'metrics'>,
    share: (group: string) => void = () => {},
  ) {
    this.#services = services;
    this.#share = share;
    this.#failed = services.metrics.counter(
      'failed_total',
      'Requests refused for a wrong key, token or password, or from a blocked address, by answer.',
      ['status'],
    );
  }

  /** From now on; counts and blocks stay. */
  adopt(settings: AttemptSettings): void {
    if (settings.addresses !== this.#settings.addresses) {
      const resized = boundedCache<string, Bucket>(settings.addresses);
      resized.load(this.#counted.dump());
      this.#counted = resized;
    }
    this.#settings = settings;
  }

  /** @throws rateLimited where the address is blocked: for secrets whose users share no address with others */
  refuseBlocked(client: ClientFacet, secret: GuessedSecret = 'admin token'): void {
    const seconds = this.#secondsLeft(client);
    if (seconds === undefined) return;
    this.#failed.inc({ status: '429' });
    throw tooMany(
      seconds,
      `so ${secret === 'password' ? 'signing in' : 'the admin token'} is not accepted from it for another ${seconds} s; 'headwater unblock ${client.address}' on the machine of the service ends that now.`,
      secret === 'password' ? 'passwords, keys or tokens' : undefined,
    );
  }

  /** Looks a key up; lookups from blocked addresses queue behind each other. */
  async lookUp<T>(client: ClientFacet, work: () => Promise<T>): Promise<T> {
    const seconds = this.#secondsLeft(client);
    if (seconds === undefined) return work();
    if (this.#waiting >= WAITING) throw tryAgain(seconds);
    this.#waiting += 1;
    const turn = this.#queue.then(work, work);
    this.#queue = turn.then(
      () => {},
      () => {},
    );
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Counts a failure and returns the error to refuse the request with. */
  refusal(client: ClientFacet, otherwise: ServiceError): ServiceError {
    const seconds = this.#secondsLeft(client);
    const error = seconds === undefined ? otherwise : tryAgain(seconds);
    if (seconds === undefined && this.#counts(client)) {
      const group = addressGroup(client.address);
      this.count(group);
      this.#share(group);
    }
    this.#failed.inc({ status: String(error.status) });
    return error;
  }

  /** Ends the block of an address and drops its count; false where it was not blocked. */
  unblock(address: string): boolean {
    const group = addressGroup(address);
    const wasBlocked = (this.#blocked.get(group) ?? 0) > this.#services.clock.monotonic();
    this.#blocked.delete(group);
    this.#counted.delete(group);
    if (wasBlocked)
      this.#services.log.info({ client: group }, 'An operator has ended the block of an address.');
    return wasBlocked;
  }

  #counts({ loopback }: ClientFacet): boolean {
    return this.#settings.perMinute > 0 && (this.#settings.loopback || !loopback);
  }

  #secondsLeft(client: ClientFacet): number | undefined {
    if (this.#blocked.size === 0 || !this.#counts(client)) return undefined;
    const group = addressGroup(client.address);
    const left = (this.#blocked.get(group) ?? 0) - this.#services.clock.monotonic();
    if (left > 0) return Math.ceil(left / 1000);
    this.#blocked.delete(group);
    return undefined;
  }

  /** Counts a failure, of this process or of one beside it. */
  count(group: string): void {
    const { perMinute } = this.#settings;
    const now = this.#services.clock.monotonic();
    if ((this.#blocked.get(group) ?? 0) > now) return;
    const { remaining, at } = this.#counted.get(group) ?? { remaining: perMinute, at: now };
    const rest = Math.min(perMinute, remaining + ((now - at) / 60_000) * perMinute) - 1;
    if (rest >= 1) {
      this.#counted.set(group, { remaining: rest, at: now });
      return;
    }
    this.#counted.delete(group);
    this.#block(group, now);
  }

  #block(group: string, now: number): void {
    const { blockSeconds, addresses } = this.#settings;
    // The first ones have ended, or end next.
    for (const [first, end] of this.#blocked) {
      if (end > now && this.#blocked.size < addresses) break;
      this.#blocked.delete(first);
    }
    this.#blocked.set(group, now + blockSeconds * 1000);
    const text = 'An address is blocked, because too many wrong keys came from it.';
    this.#services.log.warn({ client: group, seconds: blockSeconds }, text);
  }
}

function tooMany(seconds: number, what: string, wrong = 'keys or tokens'): ServiceError {
  return new ServiceError('rateLimited', `Too many wrong ${wrong} came from this address, ${what}`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function tryAgain(seconds: number): ServiceError {
  return tooMany(seconds, `so unknown ones are not looked up; try again in ${seconds} s.`);
}
