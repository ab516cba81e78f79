import { createClient, createCluster, createSentinel } from 'redis';
import { withoutUser } from '../../config/redis-settings.ts';
import { decodedPart } from '../../config/url-part.ts';
import type { CountedCalls } from '../../plugins/counters/call-totals.ts';
import type { Limits } from '../../plugins/counters/limiter.ts';
import { addScript } from './add-script.ts';
import { takeScript } from './take-script.ts';

const CONNECT_MS = 2000;
const LONGEST_PAUSE_MS = 500;
/** A connection without an answer for so long is closed: its server may be gone without a word. */
const SILENT_MS = 5000;
const PING_MS = 2000;

export interface RedisAddress {
  /** As the setting `redisUrl` has it. */
  readonly url: string;
  /** The names of all keys and channels begin with it. */
  readonly prefix: string;
  readonly sentinel: string | null;
  readonly cluster: boolean;
  /** PEM. */
  readonly certificateAuthority: string | undefined;
}

interface StreamReply {
  readonly messages: readonly { readonly id: string; readonly message: Readonly<Record<string, string>> }[];
}

/** What the clients of one server, of sentinels and of a cluster have in common. */
export interface RedisClient {
  connect(): Promise<unknown>;
  destroy(): Promise<void> | void;
  on(event: string, listener: (...values: never[]) => void): unknown;
  get(key: string): Promise<unknown>;
  info(): Promise<string>;
  set(
    key: string,
    value: string,
    options: {
      readonly condition: 'NX' | 'XX';
      readonly expiration: { readonly type: 'PX'; readonly value: number };
    },
  ): Promise<unknown>;
  del(key: string): Promise<unknown>;
  pExpire(key: string, milliseconds: number): Promise<unknown>;
  take(list: string, hash: string, limits: Limits): Promise<readonly number[]>;
  add(key: string, calls: CountedCalls): Promise<number>;
  xAdd(
    key: string,
    id: string,
    message: Readonly<Record<string, string>>,
    options?: {
      readonly TRIM: {
        readonly strategy: 'MAXLEN';
        readonly strategyModifier: '~';
        readonly threshold: number;
      };
    },
  ): Promise<unknown>;
  xRead(
    stream: { readonly key: string; readonly id: string },
    options: { readonly BLOCK?: number; readonly COUNT: number },
  ): Promise<readonly StreamReply[] | null>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
}

/** Connects again whenever a connection is lost; meanwhile each command fails at once. */
export function createRedisClient(options: RedisAddress): RedisClient {
  const { url, sentinel, cluster, certificateAuthority } = options;
  const { protocol, username, password, pathname } = new URL(url.replace(/,[^/@]*(?=\/|$)/, ''));
  const hosts = withoutUser(url).replace(/\/.*/s, '');
  const nodes = hosts.split(',').map((one) => {
    const { hostname, port } = new URL(`${protocol}//${one}`);
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (sentinel === null ? 6379 : 26_379)),
    };
  });
  const isTls = protocol === 'rediss:';
  const socket = {
    connectTimeout: CONNECT_MS,
    socketTimeout: SILENT_MS,
    reconnectStrategy: (retries: number) =>
      Math.min(50 * 2 ** Math.min(retries, 5), LONGEST_PAUSE_MS) * (0.75 + Math.random() / 2),
    ...(isTls && { tls: true as const, ...(certificateAuthority && { ca: certificateAuthority }) }),
  };
  const scripts = { take: takeScript, add: addScript };
  const common = {
    ...(username && { username: decodedPart(username) }),
    ...(password && { password: decodedPart(password) }),
    database: Number(pathname.slice(1) || 0),
    disableOfflineQueue: true,
    pingInterval: PING_MS,
  };
  let client: unknown;
  if (sentinel !== null)
    client = createSentinel({
      name: sentinel,
      sentinelRootNodes: nodes,
      scripts,
      nodeClientOptions: { ...common, socket },
      sentinelClientOptions: { socket },
      scanInterval: 1000,
    });
  else if (cluster)
    client = createCluster({
      rootNodes: nodes.map((node) => ({ socket: { ...socket, ...node } })),
      defaults: { ...common, socket },
      scripts,
    });
  else client = createClient({ ...common, socket: { ...socket, ...nodes[0]! }, scripts });
  return client as RedisClient;
}

/**
 * Connects, and waits for a moment until that has succeeded.
 *
 * @param probe makes the calls that the caller needs
 * @param failed is called for each failure of the connection from then on
 * @returns why Redis refuses this process; undefined where it does not, or cannot be reached at present
 */
export function startClient(
  client: RedisClient,
  probe: () => Promise<unknown>,
  failed: (error: Error) => void,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, CONNECT_MS, undefined);
    const end = (refusal: string | undefined) => {
      clearTimeout(timer);
      resolve(refusal);
    };
    // The client connects again after a refusal, too.
    client.on('error', (error: Error) => {
      failed(error);
      const refusal = refusalOf(error);
      if (refusal !== undefined) end(refusal);
    });
    client
      .connect()
      .then(probe)
      .then(
        () => end(undefined),
        (error: Error) => end(refusalOf(error)),
      );
  });
}

export async function endClient(client: RedisClient): Promise<void> {
  try {
    await client.destroy();
  } catch {
    // The client reports that a server did not answer, or that it is closed already.
  }
}

/** Failures that do not pass by themselves, and what they mean. */
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [/^(?:WRONGPASS|NOAUTH|NOPERM|ERR AUTH|ERR Client sent AUTH)/, ''],
  [/^ERR (?:DB index|invalid DB)/, 'it has no database of that number'],
  [/^ERR unknown command [`']HELLO/, 'it is older than Redis 6'],
  [/^ERR unknown command [`']SENTINEL/, 'redis.sentinel is set, and it is no sentinel'],
  [/^ERR unknown command/, 'it does not know a command that is needed: '],
  [
    /^ERR This instance has cluster support disabled/,
    'redis.cluster is true, and it is no node of a cluster',
  ],
  [/^MOVED /, 'it is a node of a cluster: set redis.cluster'],
  [/^Unknown RESP type/, 'what answers there is not Redis'],
  [/wrong version number|packet length too long/, 'it does not speak TLS: rediss:// is for servers that do'],
  [/certificate|altnames/i, 'its certificate is not accepted: '],
];

/** @returns what the failure of a start means; undefined where a later attempt may succeed */
function refusalOf({ message }: Error): string | undefined {
  const [, meaning] = REFUSALS.find(([form]) => form.test(message)) ?? [];
  return meaning === '' || meaning?.endsWith(': ') ? meaning + message.trim() : meaning;
}
