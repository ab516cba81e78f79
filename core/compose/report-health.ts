import type { CommitStream } from '../changes/commit-stream.ts';
import type { OpenAssets } from '../files/open-assets.ts';
import type { HealthReport } from '../http/health-report.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Reader, ReplicaFigures, Storage } from '../storage/ports.ts';
import type { CoreOptions } from './core-options.ts';

/**
 * Unhealthy workers and a bucket that does not answer are reported, but do not make the service unhealthy: it still answers
 * everything except new images, uploads, and files that are not cached. Without the stream, links carry all commits.
 */
export async function reportHealth(
  storage: Storage,
  assets: OpenAssets,
  blobs: Pick<Blobs, 'remote'>,
  { workers, commitStream }: Pick<CoreOptions, 'workers' | 'commitStream'>,
): Promise<HealthReport> {
  const database = await databaseHealth(storage.reader({ class: 'lookup', share: 'health' }));
  const images = { ok: true, detail: assets.detail() };
  const tier = workers && { workers: await workers.health() };
  const files = blobs.remote && { files: blobs.remote.health() };
  const { replicas = [] } = storage.figures();
  const read = replicas.length > 0 && { replicas: replicaHealth(replicas) };
  const stream = commitStream && { stream: streamHealth(commitStream) };
  return { ok: database.ok, parts: { database, ...read, images, ...files, ...tier, ...stream } };
}

/** The primary serves what replicas cannot. */
function replicaHealth(replicas: readonly ReplicaFigures[]): HealthReport['parts'][string] {
  const texts = replicas.map(({ address, behind, failure }) =>
    behind === undefined ? `${address}: ${failure}` : `${address} is ${behind.toFixed(0)} ms behind`,
  );
  return { ok: replicas.some(({ isUsable }) => isUsable), detail: texts.join('; ') };
}

function streamHealth({ failure }: CommitStream): HealthReport['parts'][string] {
  return {
    ok: failure === undefined,
    detail: failure === undefined ? 'commits are written to Redis' : `commits cannot be written: ${failure}`,
  };
}

async function databaseHealth({ sql }: Reader): Promise<HealthReport['parts'][string]> {
  const started = performance.now();
  try {
    const row = await sql.get<{ sequence: number }>('SELECT sequence FROM installation');
    const took = (performance.now() - started).toFixed(1);
    return { ok: true, detail: `sequence ${row?.sequence}, read in ${took} ms` };
  } catch (error) {
    return { ok: false, detail: (error as Error).message };
  }
}
