import type { PostgresServer } from './postgres.ts';

/** Ends the sessions by which processes follow the commits of others, so that they get notifications late. */
export async function endFollowers(server: PostgresServer, database: string): Promise<void> {
  await server.run(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()
       AND (query LIKE 'SELECT i.sequence AS newest%' OR query LIKE '%LISTEN headwater_commit%')`,
  );
}
