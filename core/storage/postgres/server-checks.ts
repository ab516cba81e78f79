import { StartError } from '../../../config/start-error.ts';
import type { PostgresConnection } from './connection.ts';
import type { Connections } from './connections.ts';

const OLDEST = 13;

/**
 * @throws StartError for a server or a way to it that cannot be used
 */
export async function checkServer(connections: Connections, target: string): Promise<void> {
  const connection = connections.control;
  const row = await connection.get<{ version: number; name: string; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS name,
       current_setting('server_encoding') AS encoding`,
  );
  if (row) refuseServer(row, target);
  const other = await connections.open('SET jit = off');
  try {
    await refuseTransactionPooler(connection, other, target);
  } finally {
    await other.close();
  }
}

export function refuseServer(
  server: { readonly version: number; readonly name: string; readonly encoding: string },
  target: string,
): void {
  if (server.version < OLDEST * 10_000)
    throw new StartError(
      `${target} is PostgreSQL ${server.name}; Headwater needs version ${OLDEST} or newer.`,
    );
  if (server.encoding !== 'UTF8')
    throw new StartError(
      `${target} has the encoding ${server.encoding}; create the database with the encoding UTF8.`,
    );
}

/**
 * A pooler in transaction mode gives a connection another session whenever a transaction of another connection holds the
 * one it had. Prepared statements, session settings and locks would be lost.
 */
async function refuseTransactionPooler(
  connection: PostgresConnection,
  other: PostgresConnection,
  target: string,
): Promise<void> {
  const sessionOf = async (one: PostgresConnection) =>
    (await one.script('SELECT pg_backend_pid() AS pid'))[0]?.rows[0].pid;
  const before = await sessionOf(connection);
  const [, own] = await other.script('BEGIN; SELECT pg_backend_pid() AS pid');
  const after = await sessionOf(connection);
  await other.execute('COMMIT');
  if (before !== after || own?.rows[0].pid === before)
    throw new StartError(
      `${target} is behind a pooler in transaction mode; connect to PostgreSQL directly, or use session mode.`,
    );
}
