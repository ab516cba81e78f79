import { createClient, createCluster, createSentinel } from 'redis';
import type { Limits, Verdict } from '../../plugins/limiter.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { SharedCounts } from './redis-limiter.ts';
import { takeScript, toVerdict } from './take-script.ts';

const DEADLINE_MS = 30;
const CONNECT_MS = 2000;
const LONGEST_PAUSE_MS = 500;
/** A connection without an answer for so long is closed: its server may be gone without a word. */
const SILENT_MS = 5000;
const PING_MS = 2000;

export interface RedisOptions {
  /** As the setting `redisUrl` has it. */
  readonly url: string;
  readonly prefix: string;
  readonly sentinel: string | null;
  readonly cluster: boolean;
  /** PEM. */
  readonly certificateAuthority: string | undefined;
  /** A call that takes longer has failed; milliseconds. */
  readonly deadline?: number | undefined;
  /** Calls are refused from now on, or made again. */
  readonly onChange: (isOpen: boolean, reason: string) => void;
}

/** What the clients of one server, of sentinels and of a cluster have in common. */
interface Client {
  connect(): Promise<unknown>;
  destroy(): Promise<void> | void;
  get(key: string): Promise<unknown>;
  take(list: string, hash: string, limits: Limits): Promise<readonly number[]>;
  on(event: string, listener: (...values: never[]) => void): unknown;
}

/** The Redis that gateways share. It never holds the only copy of anything, so each call may fail. */
export class RedisConnection implements SharedCounts {
  readonly #client: Client;
  readonly #prefix: string;
  readonly #breaker: CircuitBreaker;
  #lastError = 'it has not answered yet';
  #onRefused = (_reason: string) => {};

  constructor(options: RedisOptions) {
    this.#prefix = options.prefix;
    this.#client = createFor(options);
    this.#breaker = new CircuitBreaker({
      deadline: options.deadline ?? DEADLINE_MS,
      probe: () => this.#client.get(`{${this.#prefix}}:probe`),
      onChange: (isOpen, reason) => options.onChange(isOpen, isOpen ? reason : ''),
    });
    this.#client.on('error', ({ message }: Error) => {
      this.#lastError = message;
      if (REFUSALS.test(message)) this.#onRefused(message);
    });
    this.#client.on('ready', () => this.#breaker.probe());
  }

  /**
   * Connects, and connects again whenever the connection is lost.
   *
   * @returns why Redis refuses this gateway; undefined where it does not, or cannot be reached at present
   */
  start(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, CONNECT_MS, undefined);
      const end = (refusal: string | undefined) => {
        clearTimeout(timer);
        resolve(refusal);
      };
      // The client connects again after a refusal, too.
      this.#onRefused = end;
      this.#client
        .connect()
        .then(() =>
          this.#client.take(`{${this.#prefix}}:probe:second`, `{${this.#prefix}}:probe:rest`, NO_LIMITS),
        )
        .then(
          () => end(undefined),
          ({ message }: Error) => end(REFUSALS.test(message) ? message : undefined),
        );
    });
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

  async close(): Promise<void> {
    this.#breaker.end();
    try {
      await this.#client.destroy();
    } catch {
      // The client reports that a server did not answer, or that it is closed already.
    }
  }
}

const NO_LIMITS: Limits = { second: null, minute: null, hour: null };

/** The prefix of replies to a caller without the right password or permissions. */
const REFUSALS = /^(WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR Client sent AUTH)/;

function createFor({ url, sentinel, cluster, certificateAuthority }: RedisOptions): Client {
  const { protocol, username, password, pathname } = new URL(url.replace(/,[^/@]*(?=\/|$)/, ''));
  const hosts = url.replace(/^\w+:\/\/(?:[^@/]*@)?/, '').replace(/\/.*/s, '');
  const nodes = hosts.split(',').map((one) => {
    const [host = '', port] = one.split(':');
    return { host, port: Number(port ?? (sentinel === null ? 6379 : 26_379)) };
  });
  const isTls = protocol === 'rediss:';
  const socket = {
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    reconnectStrategy: (retries: number) =>
      Math.min(50 * 2 ** Math.min(retries, 5), LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2),
    ...(isTls && { tls: true as const, ...(certificateAuthority && { ca: certificateAuthority }) }),
  };
  const credentials = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
  const scripts = { take: takeScript };
  const common = { ...credentials, disableOfflineQueue: true, pingInterval: PING_MS };
  if (sentinel !== null)
    return createSentinel({
      name: sentinel,
      sentinelRootNodes: nodes,
      scripts,
      nodeClientOptions: { ...common, socket },
      sentinelClientOptions: { socket },
      scanInterval: 1000,
    }) as unknown as Client;
  if (cluster)
    return createCluster({
      rootNodes: nodes.map((node) => ({ socket: { ...socket, ...node } })),
      defaults: { ...common, socket },
      scripts,
    }) as unknown as Client;
  const database = Number(pathname.slice(1) || 0);
  return createClient({
    ...common,
    database,
    socket: { ...socket, ...nodes[0]! },
    scripts,
  }) as unknown as Client;
}
