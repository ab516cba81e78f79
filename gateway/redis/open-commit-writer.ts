import type { Registry } from 'prom-client';
import { Counter, Gauge } from 'prom-client';
import type { Settings } from '../../config/schema.ts';
import { StartError } from '../../config/start-error.ts';
import type { Logs } from '../log.ts';
import { readAuthority } from '../read-authority.ts';
import type { CommitWriter } from './commit-writer.ts';
import { refusedBy } from './refused-by.ts';

/** @throws StartError where another installation has the same prefix */
export async function claimPrefix(writer: CommitWriter, installation: string, logs: Logs): Promise<void> {
  const log = logs('redis');
  const sentence = await writer.claim(
    () => installation,
    (later) => log.error({}, later),
  );
  if (sentence !== undefined) throw new StartError(sentence);
}

/**
 * The stream of commits in the Redis of the settings; undefined where changes do not go there, and then the client library is
 * not loaded. A Redis that cannot be reached does not prevent the start.
 *
 * @throws StartError for a Redis that refuses this core
 */
export async function openCommitWriter(
  { role, feed, redisUrl, redis }: Settings,
  logs: Logs,
  registry: Registry,
): Promise<CommitWriter | undefined> {
  if (role !== 'core' || feed !== 'redis' || redisUrl === null) return undefined;
  const certificateAuthority = await readAuthority('redis', redis.certificateAuthority);
  const { CommitWriter } = await import('./commit-writer.ts');
  const log = logs('redis');
  const writer = new CommitWriter({ url: redisUrl, ...redis, certificateAuthority }, (reason) => {
    if (reason === undefined) log.info({}, 'Commits are written to Redis.');
    else log.warn({ reason }, 'Commits cannot be written to Redis; gateways get them over links.');
  });
  const refusal = await writer.start();
  if (refusal !== undefined) {
    await writer.close();
    throw new StartError(refusedBy(refusal, 'core'));
  }
  const registers = [registry];
  new Gauge({
    name: 'headwater_core_stream_up',
    help: 'Whether commits can be written to the stream in Redis: 1 = yes.',
    registers,
    collect() {
      this.set(writer.failure === undefined ? 1 : 0);
    },
  });
  new Counter({
    name: 'headwater_core_stream_commits_total',
    help: 'Commits for the stream in Redis; appended: by this core; known: another core was first; failed: not accepted.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      this.inc({ outcome: 'appended' }, writer.appended);
      this.inc({ outcome: 'known' }, writer.rejected);
      this.inc({ outcome: 'failed' }, writer.failures);
    },
  });
  return writer;
}
