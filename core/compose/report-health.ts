import type { Workers } from '../../workers/contract.ts';
import type { OpenAssets } from '../files/open-assets.ts';
import type { Reader } from '../storage/ports.ts';
import type { HealthReport } from './core.ts';

/** Unhealthy workers are reported, but do not make the service unhealthy: it still answers everything except images. */
export async function reportHealth(
  reader: Reader,
  assets: OpenAssets,
  workers: Workers | undefined,
): Promise<HealthReport> {
  const database = await databaseHealth(reader);
  const pictures = { ok: true, detail: assets.detail() };
  const tier = workers && { workers: await workers.health() };
  return { ok: database.ok, parts: { database, pictures, ...tier } };
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
