import type { CallTotals, CountedCalls } from '../../plugins/counters/call-totals.ts';
import type { Limits, Verdict } from '../../plugins/counters/limiter.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { PrefixClaim } from './prefix-claim.ts';
import {
  createRedisClient,
  endClient,
  type RedisAddress,
  type RedisClient,
  startClient,
} from './redis-client.ts';
import { DECIDED_WITHIN_MS, type SharedLimits } from './redis-limiter.ts';
import { toVerdict } from './take-script.ts';

export interface RedisOptions extends RedisAddress {
  /** A call that takes longer has failed; milliseconds. */
  readonly deadline?: number | undefined;
  /** Calls are refused from now on, or made again. */
  readonly onChange: (isOpen: boolean, reason: string) => void;
}

/** The Redis that gateways share. It never holds the only copy of anything, so each call may fail. */
export class RedisConnection implements SharedLimits, CallTotals {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #breaker: CircuitBreaker;
  #claim: PrefixClaim | undefined;
  #lastError = 'it has not answered yet';

  constructor(options: RedisOptions) {
    this.#prefix = options.prefix;
    this.#client = createRedisClient(options);
    this.#breaker = new CircuitBreaker({
      deadline: options.deadline ?? DECIDED_WITHIN_MS,
      probe: () => this.#probe(),
      onChange: (isOpen, reason) => {
        if (isOpen) this.#failed({ message: reason });
        options.onChange(isOpen, reason);
      },
      onFailedProbe: (error) => this.#failed(error),
    });
    this.#client.on('ready', () => this.#breaker.probe());
  }

  /**
   * Connects, and connects again whenever the connection is lost. No call waits for a server that has not answered yet.
   *
   * @returns why Redis refuses this gateway; undefined where it does not, or cannot be reached at present
   */
  async start(): Promise<string | undefined> {
    let answers = false;
    const refusal = await startClient(
      this.#client,
      async () => {
        try {
          await this.#probe();
          answers = true;
        } catch (error) {
          this.#failed(error as Error);
          throw error;
        }
      },
      (error) => this.#failed(error),
    );
    if (refusal === undefined && !answers) this.#breaker.open(this.#lastError);
    return refusal;
  }

  /** Writes, as calls do: a Redis that is full answers reads. */
  async #probe(): Promise<void> {
    const key = `${this.#prefix}:{probe}`;
    await this.#client.take(`${key}:second`, `${key}:rest`, NO_LIMITS);
  }

  #failed({ message }: Pick<Error, 'message'>): void {
    this.#lastError = message;
  }

  /** See `PrefixClaim`. */
  claim(
    installation: () => string | undefined,
    failed: (sentence: string) => void,
  ): Promise<string | undefined> {
    this.#claim = new PrefixClaim(this.#client, this.#prefix, installation, failed);
    return this.#claim.start();
  }

  get isUp(): boolean {
    return !this.#breaker.isOpen;
  }

  /** For the health page. */
  get detail(): string {
    return this.isUp ? 'calls are counted over all gateways' : `does not answer: ${this.#lastError}`;
  }

  async take(subject: string, limits: Limits): Promise<Verdict> {
    // In a cluster, keys with the same part in braces are on one node.
    const key = `${this.#prefix}:limit:{${subject}}`;
    const reply = await this.#breaker.call(() => this.#client.take(`${key}:second`, key, limits));
    return toVerdict(reply, limits);
  }

  add(counts: readonly CountedCalls[]): Promise<readonly number[]> {
    return this.#breaker.call(() =>
      Promise.all(counts.map((one) => this.#client.add(`${this.#prefix}:calls:{${one.name}}`, one))),
    );
  }

  async close(): Promise<void> {
    this.#breaker.end();
    this.#claim?.end();
    await endClient(this.#client);
  }
}

const NO_LIMITS: Limits = { second: null, minute: null, hour: null };
