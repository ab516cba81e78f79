import type { PostgresServer } from '../../support/database/postgres.ts';

/** Advisory locks as owners are named in the tables. */
const LOCKS = `SELECT lpad(to_hex(classid::bigint), 8, '0') || lpad(to_hex(objid::bigint), 8, '0') FROM pg_locks
  WHERE locktype = 'advisory' AND granted`;

/** What a cluster at rest does not have in its database; what is only passing is gone a moment later. */
export async function remains(server: PostgresServer, name: string, cores: number): Promise<string[]> {
  const found: string[] = [];
  const of = `datname = '${name}' AND pid <> pg_backend_pid()`;
  const count = async (what: string, text: string, allowed = 0) => {
    const { rows } = await server.run(text, name);
    if (rows.length !== allowed) found.push(`${what}: ${JSON.stringify(rows)}`);
  };
  await count(
    'sessions in a transaction',
    `SELECT pid FROM pg_stat_activity WHERE ${of} AND xact_start IS NOT NULL`,
  );
  await count(
    'processes with sessions',
    `SELECT DISTINCT application_name FROM pg_stat_activity WHERE ${of} AND application_name LIKE 'headwater%'`,
    cores,
  );
  await count(
    'jobs without an owner',
    `SELECT id, kind, owner FROM job WHERE state = 'running' AND (owner IS NULL OR owner NOT IN (${LOCKS}))`,
  );
  await count(
    'queues with work and an owner that has ended',
    `SELECT lane, owner FROM webhook_progress WHERE head IS NOT NULL AND owner IS NOT NULL AND owner NOT IN (${LOCKS})`,
  );
  return found;
}
