import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { type CoreAddress, parseCoreAddress } from '../../../config/core-address.ts';
import type { CancelSignal } from '../../turns/cancel-signal.ts';
import { proofOf, sign } from '../protocol/signature.ts';
import { HEADERS, type Hello, LARGEST_HEAD, type Outcome, PROTOCOL, PROTOCOLS } from '../protocol/wire.ts';

/** Core has not begun the call, so that another core, or this one again, may be called. */
export class NotBegun extends Error {}

export interface Reply {
  readonly outcome: Outcome;
  readonly head: string;
  readonly body: Readable;
}

const CONNECTIONS = 128;

/** Calls to one core, signed, over connections that stay open. */
export class CoreConnection {
  /** As in the setting `cores`. */
  readonly name: string;
  readonly #token: string;
  readonly #pool: Pool;
  readonly #caller = randomUUID();
  #number = 0;
  #hello: Promise<Hello> | undefined;
  /** Calls in progress. */
  running = 0;

  constructor(name: string, token: string) {
    this.name = name;
    this.#token = token;
    const address = parseCoreAddress(name)!;
    this.#pool = new Pool(originOf(address), {
      connections: CONNECTIONS,
      maxHeaderSize: 2 * LARGEST_HEAD,
      // Core decides how long a call may take.
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(address.kind === 'unix' && { connect: { socketPath: address.path } }),
    });
  }

  /** @throws NotBegun, or the error of the connection */
  async call(
    path: string,
    head: string,
    body: Uint8Array | Readable | null,
    signal?: CancelSignal,
  ): Promise<Reply> {
    this.running += 1;
    try {
      const { core } = await this.#greeted();
      const response = await this.#pool.request({
        path,
        method: 'POST',
        headers: {
          [HEADERS.protocol]: String(PROTOCOL),
          [HEADERS.head]: head,
          [HEADERS.signature]: sign(this.#token, {
            core,
            path,
            head,
            caller: this.#caller,
            number: this.#number++,
            time: Date.now(),
          }),
        },
        body,
        ...(signal && { signal: abortable(signal) }),
      });
      const outcome = response.headers[HEADERS.outcome] as Outcome | undefined;
      if (outcome === 'answer' || outcome === 'error') {
        return { outcome, head: String(response.headers[HEADERS.head] ?? ''), body: response.body };
      }
      const text = await response.body.text();
      if (response.statusCode === 421) this.#hello = undefined;
      throw new NotBegun(`${this.name}: ${messageOf(text)}`);
    } finally {
      this.running -= 1;
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #greeted(): Promise<Hello> {
    this.#hello ??= this.#greet().catch((error: Error) => {
      this.#hello = undefined;
      throw error instanceof NotBegun
        ? error
        : new NotBegun(`${this.name} cannot be reached: ${error.message}`, { cause: error });
    });
    return this.#hello;
  }

  async #greet(): Promise<Hello> {
    const nonce = randomUUID();
    const { statusCode, body } = await this.#pool.request({
      path: '/hello',
      method: 'GET',
      headers: { [HEADERS.nonce]: nonce },
    });
    const text = await body.text();
    const { name } = this;
    if (statusCode !== 200)
      throw new NotBegun(`${name} is no core of this product: it answers ${statusCode}.`);
    const hello = JSON.parse(text) as Hello;
    if (hello.proof !== proofOf(this.#token, nonce, hello.core)) {
      throw new NotBegun(`${name} has another internal token than this gateway.`);
    }
    if (!hello.protocols.includes(PROTOCOL)) {
      throw new NotBegun(
        `${name} speaks version ${hello.protocols.join(' and ')} of the internal protocol, this gateway ${PROTOCOLS.join(' and ')}: update the older of the two.`,
      );
    }
    return hello;
  }
}

function originOf(address: CoreAddress): string {
  if (address.kind === 'unix') return 'http://localhost';
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `${address.tls ? 'https' : 'http'}://${host}:${address.port}`;
}

/** As undici takes it. */
function abortable(signal: CancelSignal): AbortSignal {
  const { aborted, reason } = signal;
  return {
    aborted,
    reason,
    addEventListener: (type: 'abort', listener: () => void) => signal.addEventListener(type, listener),
    removeEventListener: () => {},
  } as unknown as AbortSignal;
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    return 'it did not answer as a core does.';
  }
}
