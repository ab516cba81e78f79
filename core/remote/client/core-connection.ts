import { randomUUID } from 'node:crypto';
import type { Pool } from 'undici';
import { type CoreAddress, parseCoreAddress } from '../../../config/core-address.ts';
import { urlHost } from '../../../config/url-host.ts';
import type { CancelSignal } from '../../turns/cancel-signal.ts';
import { sign } from '../protocol/signature.ts';
import { HEADERS, LARGEST_HEAD } from '../protocol/wire.ts';
import { HelloProbe, StalledCore } from './hello-probe.ts';
import { PendingCall, type Reply } from './pending-call.ts';
import { UndiciPool } from './undici-parts.ts';

/** Core has not begun the call, so that another core, or this one again, may be called. */
export class NotBegun extends Error {}

/** The core was started again since its hello; there is a new hello now. */
export class CoreRestarted extends NotBegun {}

export interface ConnectionOptions {
  readonly token: string;
  /** PEM of the authority that signed the certificates of cores; undefined = those of the system. */
  readonly certificateAuthority?: string | undefined;
  readonly protocols: readonly number[];
  /** The core answers or does not, is another process than before, or stops. */
  readonly onChange: (connection: CoreConnection) => void;
}

export interface Call {
  readonly path: string;
  readonly head: string;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | null;
  readonly signal?: CancelSignal | undefined;
  /** Longest time until the answer begins, then without progress of its body; 0 = any. */
  readonly timeout: number;
  /** Lasts as long as the connection: it is not work of the core. */
  readonly isLink?: boolean;
}

/** Most connections to one core for requests, whose bodies last as long as slow clients take; further ones wait. */
const REQUEST_CONNECTIONS = 1024;
/** For the other calls, and links: they must not wait for slow clients. */
const CALL_CONNECTIONS = 128;
/** Core ends idle connections later, so that it never ends one that is about to be used. */
const KEEP_ALIVE_MS = 30_000;
/** Read at once from a connection; with less, undici stops and starts reading for each 64 KB. */
const READ_BYTES = 262_144;

interface Pools {
  readonly requests: Pool;
  readonly calls: Pool;
}

/** Calls to one core, signed, over connections that stay open. */
export class CoreConnection {
  /** As in the setting `cores`, or an address of its DNS name. */
  readonly name: string;
  readonly #options: ConnectionOptions;
  readonly #probe: HelloProbe;
  readonly #origin: string;
  readonly #connection: Pool.Options;
  /** Resolves when the first hello was answered or failed. */
  readonly greeted: Promise<void>;
  readonly #caller = randomUUID();
  #pools: Pools;
  #number = 0;
  /** Calls in progress. */
  running = 0;
  /** Calls that failed here and were repeated. */
  retries = 0;
  /** How often it was no longer available. */
  losses = 0;
  #wasAvailable = false;
  #ended: (() => void) | undefined;

  constructor(name: string, options: ConnectionOptions) {
    const address = parseCoreAddress(name)!;
    this.name = name;
    this.#options = options;
    this.#origin = originOf(address);
    this.#connection = {
      maxHeaderSize: 2 * LARGEST_HEAD,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The types lack `highWaterMark`, an option of the socket.
      connect: {
        highWaterMark: READ_BYTES,
        timeout: 1000,
        ...(address.kind === 'unix' && { socketPath: address.path }),
        ...(options.certificateAuthority !== undefined && { ca: options.certificateAuthority }),
      } as Pool.Options['connect'],
    };
    this.#pools = this.#open();
    const { token, protocols } = options;
    this.#probe = new HelloProbe({
      name,
      origin: this.#origin,
      connection: this.#connection,
      token,
      protocols,
      onChange: () => this.#onHello(),
    });
    this.greeted = this.#probe.ask();
  }

  /** Whether calls may go to it. */
  get isAvailable(): boolean {
    return this.#probe.hello?.stopping === false;
  }

  /** One sentence, where it is not available. */
  get failure(): Error | undefined {
    if (this.#probe.hello?.stopping) return new Error(`The core ${this.name} is stopping.`);
    return this.#probe.failure;
  }

  /** The id that the core took at its start; undefined while it does not answer. */
  get core(): string | undefined {
    return this.#probe.hello?.core;
  }

  /** Id of its installation, where it answers and has said so. */
  get installation(): string | undefined {
    return this.#probe.hello?.installation;
  }

  /** @throws its failure, where a hello for a call that has no core does not make it available */
  async greetForCall(): Promise<void> {
    await this.#probe.askForCall();
    if (!this.isAvailable) throw this.failure;
  }

  /**
   * @param remaining milliseconds until the answer begins; less than `timeout` where the call has waited for a core, or tried one
   * @throws NotBegun, the reason of the signal, or the error of the connection
   */
  async call(
    { path, head, body, signal, timeout, isLink = false }: Call,
    remaining = timeout,
  ): Promise<Reply> {
    signal?.throwIfAborted();
    const core = this.#probe.hello?.core;
    if (core === undefined) throw new NotBegun(this.failure?.message, { cause: this.failure });
    const weight = isLink ? 0 : 1;
    const call = new PendingCall(() => {
      this.running -= weight;
      if (this.running === 0) this.#ended?.();
    });
    this.running += weight;
    signal?.addEventListener('abort', () => call.cancel(signal.reason));
    const caller = this.#caller;
    const number = this.#number++;
    const signed = { core, path, head, caller, number, time: Date.now() };
    const pool = path === '/requests' ? this.#pools.requests : this.#pools.calls;
    pool.dispatch(
      {
        path,
        method: 'POST',
        headers: [
          HEADERS.protocol,
          String(this.#probe.protocol),
          HEADERS.head,
          head,
          HEADERS.signature,
          sign(this.#options.token, signed),
        ],
        // The types lack iterables, which undici sends with back-pressure.
        body: body as Uint8Array | null,
        headersTimeout: 0,
        bodyTimeout: timeout,
      },
      call,
    );
    // Undici's own time begins when a connection is free.
    const late = () =>
      call.cancel(
        new Error(`Core has not answered for ${timeout} ms; the last that was called is ${this.name}.`),
      );
    const timer = timeout === 0 ? undefined : setTimeout(late, Math.ceil(remaining));
    let reply: Reply;
    try {
      reply = await call.reply;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      // The next hello shows at once whether the core is gone.
      this.#probe.ask();
      if (call.isSent) throw error;
      throw new NotBegun(`The core ${this.name} cannot be reached: ${(error as Error).message}`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
    if (reply.outcome === 'answer' || reply.outcome === 'error') return reply;
    await this.#refused(reply);
    throw new Error(`${this.name} is no core: it answers a call with ${reply.status}.`);
  }

  /** Ends after the calls in progress. */
  async retire(): Promise<void> {
    if (this.running > 0) {
      await new Promise<void>((resolve) => {
        this.#ended = resolve;
      });
    }
    await this.close();
  }

  async close(): Promise<void> {
    const { requests, calls } = this.#pools;
    await Promise.all([this.#probe.close(), requests.destroy(), calls.destroy()]);
  }

  /** @throws NotBegun where the answer is the refusal of a core */
  async #refused({ outcome, status, body }: Reply): Promise<void> {
    const text = Buffer.concat(await body.whole()).toString();
    if (outcome !== 'refused') return;
    const message = `The core ${this.name} refuses: ${(JSON.parse(text) as { message: string }).message}`;
    if (status !== 421) throw new NotBegun(message);
    await this.#probe.ask();
    throw new CoreRestarted(message);
  }

  #onHello(): void {
    if (this.#probe.failure instanceof StalledCore) {
      // The calls that wait for it end now.
      const { requests, calls } = this.#pools;
      this.#pools = this.#open();
      for (const pool of [requests, calls]) pool.destroy(this.#probe.failure).catch(() => {});
    }
    // A core that stops says so first, and does not answer then.
    if (this.#wasAvailable && !this.isAvailable) this.losses += 1;
    this.#wasAvailable = this.isAvailable;
    this.#options.onChange(this);
  }

  #open(): Pools {
    const open = (connections: number) => new UndiciPool(this.#origin, { ...this.#connection, connections });
    return { requests: open(REQUEST_CONNECTIONS), calls: open(CALL_CONNECTIONS) };
  }
}

function originOf(address: CoreAddress): string {
  if (address.kind === 'unix') return 'http://localhost';
  return `${address.tls ? 'https' : 'http'}://${urlHost(address.host)}:${address.port}`;
}
