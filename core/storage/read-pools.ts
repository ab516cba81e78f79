import { availableParallelism } from 'node:os';
import { ConnectionPool, type PooledConnection, type PoolOptions } from './connection-pool.ts';
import type { ReadClass } from './read-scope.ts';

/** `stream`: unlimited listings, batch by batch. `export`: a whole project over one snapshot. */
export type PoolName = ReadClass | 'stream' | 'export';

export type ReadPools<C extends PooledConnection> = Readonly<Record<PoolName, ConnectionPool<C>>>;

const LONGEST_WAIT_MS = 10_000;
/** Long tasks of a class that run at once: one core is left for the main thread and short tasks. */
const LONG_AT_ONCE = Math.max(1, availableParallelism() - 1);

/** Opens fourteen connections. */
export async function openReadPools<C extends PooledConnection>(
  connect: (name: PoolName) => Promise<C>,
): Promise<ReadPools<C>> {
  const open = (name: PoolName, connections: number, bounds: PoolOptions['bounds'], reserved = 0) =>
    ConnectionPool.open(() => connect(name), { connections, reserved, bounds });
  const bounds = { share: 1000, total: 5000, milliseconds: LONGEST_WAIT_MS };
  return {
    lookup: await open('lookup', 2, bounds),
    delivery: await open('delivery', 5, bounds, 5 - Math.min(3, LONG_AT_ONCE)),
    stream: await open('stream', 1, bounds),
    management: await open('management', 3, bounds, 3 - Math.min(2, LONG_AT_ONCE)),
    background: await open('background', 2, null),
    export: await open('export', 1, null),
  };
}

export async function closeReadPools<C extends PooledConnection>(pools: ReadPools<C>): Promise<void> {
  await Promise.all(Object.values(pools).map((pool) => pool.close()));
}
