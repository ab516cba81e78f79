import { availableParallelism } from 'node:os';
import type { ReadClass } from '../read-scope.ts';
import { ConnectionPool, type PoolOptions } from './connection-pool.ts';

/** `stream`: unlimited listings, batch by batch. `export`: a whole project over one snapshot. */
export type ReadPools = Readonly<Record<ReadClass | 'stream' | 'export', ConnectionPool>>;

/** Bytes of the file that reading connections map into memory. */
const MAPPED = 256 * 1024 * 1024;
const LONGEST_WAIT_MS = 10_000;
/** Long tasks of a class that run at once: one core is left for the main thread and short tasks. */
const LONG_AT_ONCE = Math.max(1, availableParallelism() - 1);

/**
 * Fourteen connections use at most as many threads of libuv's pool; the launcher sets its size to 24, for the writer,
 * files, DNS and compression as well.
 */
export async function openReadPools(file: string): Promise<ReadPools> {
  const open = (
    connections: number,
    cacheKib: number,
    mapped: number,
    bounds: PoolOptions['bounds'],
    reserved = 0,
  ) =>
    ConnectionPool.open(file, {
      connections,
      reserved,
      pragmas: `PRAGMA cache_size = -${cacheKib}; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = ${mapped}`,
      bounds,
    });
  const bounds = { share: 1000, total: 5000, milliseconds: LONGEST_WAIT_MS };
  return {
    lookup: await open(2, 4096, MAPPED, bounds),
    delivery: await open(5, 20_480, MAPPED, bounds, 5 - Math.min(3, LONG_AT_ONCE)),
    // Streams and exports read the whole file; if it were mapped, every page would count as memory of the process.
    stream: await open(1, 4096, 0, bounds),
    management: await open(3, 8192, MAPPED, bounds, 3 - Math.min(2, LONG_AT_ONCE)),
    background: await open(2, 8192, MAPPED, null),
    export: await open(1, 4096, 0, null),
  };
}

export async function closeReadPools(pools: ReadPools): Promise<void> {
  await Promise.all(Object.values(pools).map((pool) => pool.close()));
}
