import type { PoolName } from '../read-pools.ts';
import { Connection } from './connection.ts';

/** Bytes of the file that reading connections map into memory. */
const MAPPED = 256 * 1024 * 1024;

/** Page cache in KiB and mapped bytes of each connection. */
const MEMORY: Readonly<Record<PoolName, readonly [cacheKib: number, mapped: number]>> = {
  lookup: [4096, MAPPED],
  delivery: [20_480, MAPPED],
  // Streams and exports read the whole file; if it were mapped, every page would count as memory of the process.
  stream: [4096, 0],
  management: [8192, MAPPED],
  // Reads beside its own writes: after each commit SQLite removes the map, and every page would be mapped again.
  background: [8192, 0],
  export: [4096, 0],
};

/**
 * The read connections use at most as many threads of libuv's pool; the launcher sets its size to 24, for the writer,
 * files, DNS and compression as well.
 */
export async function openReadConnection(file: string, name: PoolName): Promise<Connection> {
  const [cacheKib, mapped] = MEMORY[name];
  const connection = await Connection.open(file, { readOnly: true });
  await connection.execute(
    `PRAGMA cache_size = -${cacheKib}; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = ${mapped}`,
  );
  return connection;
}
