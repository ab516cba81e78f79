import type { CommitStream, FeedPosition, StreamedCommit } from '../../core/contract.ts';
import { commitKey, confirmationChannel } from './commit-key.ts';
import { PrefixClaim } from './prefix-claim.ts';
import {
  createRedisClient,
  endClient,
  type RedisAddress,
  type RedisClient,
  startClient,
} from './redis-client.ts';

/** Commits that the stream has at least; a gateway that lacks more gets them over its links. */
const KEPT_COMMITS = 10_000;
/** A stream without a new commit is deleted. */
const KEPT_MS = 3_600_000;
/** While a commit has been on its way for so long, gateways do not have the next ones from the stream soon. */
const SLOW_MS = 30;
/** More commits than these do not wait for Redis. */
const MOST_WAITING = 1000;

/**
 * The stream of commits as cores write it. The id of an entry is the sequence of its commit. Every core writes every commit,
 * in order, and Redis rejects what another one has written.
 */
export class CommitWriter implements CommitStream {
  readonly #prefix: string;
  readonly #client: RedisClient;
  readonly #subscriber: RedisClient;
  readonly #changed: (failure: string | undefined) => void;
  /** When the commits that are on their way were written. */
  readonly #waiting: number[] = [];
  #claim: PrefixClaim | undefined;
  #failure: string | undefined = 'it has not answered yet';
  #confirmed: (gateway: string, position: FeedPosition) => void = () => {};
  /** Commits that Redis accepted. */
  appended = 0;
  /** Commits that another core had written. */
  rejected = 0;
  failures = 0;

  /** @param changed is called when commits can be written again, undefined, or not, with the reason */
  constructor(address: RedisAddress, changed: (failure: string | undefined) => void) {
    this.#prefix = address.prefix;
    this.#changed = changed;
    this.#client = createRedisClient(address);
    this.#subscriber = createRedisClient(address);
    this.#client.on('ready', () => this.#ended(undefined));
  }

  /** @returns why Redis refuses this core; undefined where it does not, or cannot be reached at present */
  async start(): Promise<string | undefined> {
    const key = `${this.#prefix}:commits:probe`;
    const channel = confirmationChannel(this.#prefix);
    const refusals = await Promise.all([
      startClient(
        this.#client,
        async () => {
          await this.#client.xAdd(key, '*', { core: '' });
          await this.#client.del(key);
          this.#ended(undefined);
        },
        ({ message }) => this.#ended(message),
      ),
      startClient(
        this.#subscriber,
        () => this.#subscriber.subscribe(channel, (message) => this.#readConfirmation(message)),
        () => {},
      ),
    ]);
    return refusals.find((one) => one !== undefined);
  }

  /** See `PrefixClaim`. */
  claim(
    installation: () => string | undefined,
    failed: (sentence: string) => void,
  ): Promise<string | undefined> {
    this.#claim = new PrefixClaim(this.#client, this.#prefix, installation, failed);
    return this.#claim.start();
  }

  /** Why commits cannot be written; undefined where they can. */
  get failure(): string | undefined {
    return this.#failure;
  }

  append({ core, sequence, epoch, time, changes }: StreamedCommit): boolean {
    const now = performance.now();
    if (this.#waiting.length >= MOST_WAITING) return false;
    const isCarried = this.#failure === undefined && now - (this.#waiting[0] ?? now) < SLOW_MS;
    const key = commitKey(this.#prefix, epoch);
    const message = { core, time: String(time), changes: JSON.stringify(changes) };
    this.#waiting.push(now);
    this.#client
      .xAdd(key, `${sequence}`, message, {
        TRIM: { strategy: 'MAXLEN', strategyModifier: '~', threshold: KEPT_COMMITS },
      })
      .then(
        () => {
          this.appended += 1;
        },
        (error: Error) => {
          if (!IS_WRITTEN.test(error.message)) throw error;
          this.rejected += 1;
        },
      )
      .then(
        () => this.#ended(undefined),
        ({ message: failure }: Error) => {
          this.failures += 1;
          this.#ended(failure);
        },
      )
      .finally(() => this.#waiting.shift());
    this.#client.pExpire(key, KEPT_MS).catch(() => {});
    return isCarried;
  }

  clear({ epoch }: FeedPosition): void {
    this.#client.del(commitKey(this.#prefix, epoch)).catch(() => {});
  }

  onConfirmed(listener: (gateway: string, position: FeedPosition) => void): void {
    this.#confirmed = listener;
  }

  async close(): Promise<void> {
    this.#claim?.end();
    await Promise.all([endClient(this.#client), endClient(this.#subscriber)]);
  }

  #ended(failure: string | undefined): void {
    const before = this.#failure;
    this.#failure = failure;
    if ((before === undefined) !== (failure === undefined)) this.#changed(failure);
  }

  #readConfirmation(message: string): void {
    const [gateway, epoch, sequence] = message.split(' ');
    if (gateway && epoch && Number.isSafeInteger(Number(sequence)))
      this.#confirmed(gateway, { epoch, sequence: Number(sequence) });
  }
}

const IS_WRITTEN = /equal or smaller than the target stream top item/;
