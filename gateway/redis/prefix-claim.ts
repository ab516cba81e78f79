import { setTimeout as pause } from 'node:timers/promises';
import { LastingFailure } from '../../core/contract.ts';
import type { RedisClient } from './redis-client.ts';

/** A prefix that no process claims any more is free after this time. */
const CLAIMED_MS = 60_000;
const CLAIM_AGAIN_MS = 20_000;
/** A start does not wait longer for an answer. */
const START_MS = 1000;

/**
 * Finds out that two installations have one prefix: each process of an installation writes its id there, unless there is
 * another one.
 */
export class PrefixClaim {
  readonly #client: Pick<RedisClient, 'get' | 'set'>;
  readonly #key: string;
  readonly #installation: () => string | undefined;
  readonly #failed: (sentence: string) => void;
  #timer: NodeJS.Timeout | undefined;
  readonly #failure = new LastingFailure();

  /**
   * @param installation its id; undefined as long as it is not known
   * @param failed is called when another installation is found later
   */
  constructor(
    client: Pick<RedisClient, 'get' | 'set'>,
    prefix: string,
    installation: () => string | undefined,
    failed: (sentence: string) => void,
  ) {
    this.#client = client;
    this.#key = `${prefix}:installation`;
    this.#installation = installation;
    this.#failed = failed;
  }

  /** @returns a sentence where the prefix is that of another installation */
  async start(): Promise<string | undefined> {
    this.#timer = setInterval(async () => {
      const sentence = await this.#claim();
      if (sentence === undefined) this.#failure.end();
      else if (this.#failure.begin()) this.#failed(sentence);
    }, CLAIM_AGAIN_MS).unref();
    return Promise.race([this.#claim(), pause(START_MS, undefined, { ref: false })]);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  async #claim(): Promise<string | undefined> {
    const id = this.#installation();
    if (id === undefined) return undefined;
    const expiration = { type: 'PX', value: CLAIMED_MS } as const;
    try {
      if ((await this.#client.set(this.#key, id, { condition: 'NX', expiration })) !== null) return undefined;
      const other = await this.#client.get(this.#key);
      if (other === id) await this.#client.set(this.#key, id, { condition: 'XX', expiration });
      else if (other !== null)
        return `Another installation uses the same Redis with the same prefix, or did within the last minute: give each a redis.prefix of its own (this one has ${this.#key.replace(/:installation$/, '')}).`;
    } catch {
      // Without Redis nothing is shared.
    }
    return undefined;
  }
}
