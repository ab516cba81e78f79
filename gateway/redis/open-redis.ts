import { Counter, Gauge, type Registry } from 'prom-client';
import type { Settings } from '../../config/schema.ts';
import { StartError } from '../../config/start-error.ts';
import type { CallTotals } from '../../plugins/counters/call-totals.ts';
import type { LocalCounts } from '../../plugins/counters/limiter.ts';
import type { Logs } from '../log.ts';
import { systemClock } from '../pipeline/plugin-services.ts';
import { readAuthority } from '../read-authority.ts';
import type { CommitReader } from './commit-reader.ts';
import { RedisLimiter } from './redis-limiter.ts';
import { refusedBy } from './refused-by.ts';

/** What the gateways of an installation share in Redis. */
export interface SharedRedis {
  /**
   * @param installation its id; undefined as long as it is not known
   * @throws StartError where another installation has the same prefix
   */
  claim(installation: () => string | undefined): Promise<void>;
  /** @param local counts of this machine */
  limiter(local: LocalCounts): RedisLimiter;
  /** Counts of calls for quotas. */
  readonly counts: CallTotals;
  /** Undefined unless changes come over Redis. */
  readonly stream: CommitReader | undefined;
  /** For the health page. */
  health(): { readonly ok: boolean; readonly detail: string };
  close(): Promise<void>;
}

/**
 * Connects to the Redis of the settings; undefined without one, and then the client library is not loaded. A Redis that
 * cannot be reached does not prevent the start.
 *
 * @throws StartError for a Redis that refuses this gateway
 */
export async function openRedis(
  { role, feed, redisUrl, redis }: Settings,
  logs: Logs,
  registry: Registry,
): Promise<SharedRedis | undefined> {
  if (redisUrl === null) return undefined;
  const certificateAuthority = await readAuthority('redis', redis.certificateAuthority);
  const { RedisConnection } = await import('./redis-connection.ts');
  const log = logs('redis');
  const address = { url: redisUrl, ...redis, certificateAuthority };
  const connection = new RedisConnection({
    ...address,
    onChange: (isOpen, reason) => {
      if (isOpen) log.warn({ reason }, 'Redis does not answer; this gateway limits calls by itself.');
      else log.info({}, 'Redis answers again; calls are counted over all gateways.');
    },
  });
  let stream: CommitReader | undefined;
  if (role === 'gateway' && feed === 'redis') {
    const { CommitReader } = await import('./commit-reader.ts');
    stream = new CommitReader(address);
  }
  const close = async () => {
    await Promise.all([connection.close(), stream?.close()]);
  };
  const refusals = await Promise.all([connection.start(), stream?.start()]);
  const refusal = refusals.find((one) => one !== undefined);
  if (refusal !== undefined) {
    await close();
    throw new StartError(refusedBy(refusal, 'gateway'));
  }
  const registers = [registry];
  new Gauge({
    name: 'headwater_redis_up',
    help: 'Whether Redis is called: 1 = yes, 0 = it did not answer the last calls, or has not answered yet.',
    registers,
    collect() {
      this.set(connection.isUp ? 1 : 0);
    },
  });
  const failures = new Counter({
    name: 'headwater_redis_failures_total',
    help: 'Calls of clients that this gateway limited by itself, because Redis did not answer in time.',
    registers,
  });
  return {
    limiter: (local) =>
      new RedisLimiter({
        shared: connection,
        own: local,
        clock: systemClock,
        onFailure: () => failures.inc(),
      }),
    stream,
    counts: connection,
    async claim(installation) {
      const sentence = await connection.claim(installation, (later) => log.error({}, later));
      if (sentence !== undefined) throw new StartError(sentence);
    },
    // Without Redis the gateway limits by itself: it stays ready.
    health: () => ({ ok: true, detail: connection.detail }),
    close,
  };
}
