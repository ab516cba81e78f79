import { randomUUID } from 'node:crypto';
import type { Client } from 'undici';
import { proofOf } from '../protocol/signature.ts';
import { HEADERS, type Hello, LARGEST_JSON } from '../protocol/wire.ts';
import { UndiciClient } from './undici-parts.ts';

/** Time between two hellos. */
const TICK_MS = 250;
/** A core that has not answered for so many ticks does not answer. */
const LOST_TICKS = 4;
/** Longest pause between attempts to reach a core, in ticks. */
const LONGEST_PAUSE = 4;
/** Within so many milliseconds after a hello, none is sent for a call. */
const HELLO_STANDS_MS = 20;

/** The other end is reached, but is no core of this installation and version. */
export class ForeignCore extends Error {}

/** A connection exists or is being made, but nothing arrives. */
export class StalledCore extends Error {}

export interface ProbeOptions {
  /** As in the setting `cores`. */
  readonly name: string;
  readonly origin: string;
  readonly connection: Client.Options;
  readonly token: string;
  /** Versions of the protocol that the gateway speaks. */
  readonly protocols: readonly number[];
  readonly onChange: () => void;
}

/**
 * Greets a core four times a second over a connection of its own, and knows from it whether the core answers. It counts
 * ticks, not time, so that a gateway that was stopped itself does not take its cores for stalled.
 */
export class HelloProbe {
  /** The last hello of a core that answers. */
  hello: Hello | undefined;
  /** The version that both ends speak. */
  protocol = 0;
  /** Why there is no hello. */
  failure: Error | undefined;
  readonly #options: ProbeOptions;
  readonly #timer: NodeJS.Timeout;
  #client: Client;
  #asking: Promise<void> | undefined;
  #unanswered = 0;
  #pause = 0;
  #nextPause = 1;
  /** End of the last hello, by the monotonic clock. */
  #endedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#client = this.#connect();
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    this.ask();
  }

  /** A hello that begins now, unless one is under way. Never rejects. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** A hello for a call that has no core, also in a pause; none where one has just ended or stalls. Never rejects. */
  async askForCall(): Promise<void> {
    if (this.failure instanceof StalledCore) return;
    if (this.#asking || performance.now() - this.#endedAt > HELLO_STANDS_MS) await this.ask();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#client.destroy();
  }

  #tick(): void {
    if (this.#asking) {
      this.#unanswered += 1;
      if (this.#unanswered >= LOST_TICKS) this.#hangUp();
    } else if (this.#pause > 0) this.#pause -= 1;
    else this.ask();
  }

  async #ask(): Promise<void> {
    this.#unanswered = 0;
    const before = this.hello;
    const failedBefore = this.failure?.message;
    try {
      this.hello = await this.#greet().catch((error: unknown) => {
        // The connection of hello may be lost alone.
        if (before === undefined || error instanceof ForeignCore || error instanceof StalledCore) throw error;
        return this.#greet();
      });
      this.failure = undefined;
      this.#nextPause = 1;
    } catch (error) {
      this.hello = undefined;
      this.failure =
        error instanceof ForeignCore || error instanceof StalledCore
          ? error
          : this.#unreached(error as Error);
      this.#pause = this.#nextPause;
      this.#nextPause = Math.min(2 * this.#nextPause, LONGEST_PAUSE);
    }
    this.#endedAt = performance.now();
    const { hello, failure } = this;
    const isSame = hello?.core === before?.core && hello?.stopping === before?.stopping;
    if (!isSame || failure?.message !== failedBefore) this.#options.onChange();
  }

  #connect(): Client {
    return new UndiciClient(this.#options.origin, {
      ...this.#options.connection,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: LARGEST_JSON,
    });
  }

  /** Ends the hello under way; the next one gets a new connection. */
  #hangUp(): void {
    const client = this.#client;
    this.#client = this.#connect();
    client.destroy(new StalledCore(`The core ${this.#options.name} does not answer.`)).catch(() => {});
  }

  #unreached(cause: Error): Error {
    return new Error(`The core ${this.#options.name} cannot be reached: ${cause.message}`, { cause });
  }

  async #greet(): Promise<Hello> {
    const { name, token, protocols } = this.#options;
    const nonce = randomUUID();
    const { statusCode, body } = await this.#client.request({
      path: '/hello',
      method: 'GET',
      headers: { [HEADERS.nonce]: nonce },
    });
    const hello = toHello(await body.text());
    if (statusCode !== 200 || hello === undefined)
      throw new ForeignCore(`${name} is no core: it answers hello with ${statusCode}.`);
    if (hello.proof !== proofOf(token, nonce, hello)) {
      throw new ForeignCore(`The core ${name} has another internalToken than this gateway.`);
    }
    const common = protocols.filter((version) => hello.protocols.includes(version));
    if (common.length === 0) {
      throw new ForeignCore(
        `The core ${name} speaks version ${hello.protocols.join(' and ')} of the internal protocol, this gateway ${protocols.join(' and ')}: update the older of the two.`,
      );
    }
    this.protocol = Math.max(...common);
    return hello;
  }
}

function toHello(text: string): Hello | undefined {
  try {
    const { core, protocols, stopping, installation, proof } = JSON.parse(text) as Partial<Hello>;
    const isHello =
      typeof core === 'string' &&
      typeof proof === 'string' &&
      typeof stopping === 'boolean' &&
      Array.isArray(protocols) &&
      protocols.every((version) => Number.isInteger(version));
    return isHello ? { core, protocols, stopping, installation, proof } : undefined;
  } catch {
    return undefined;
  }
}
