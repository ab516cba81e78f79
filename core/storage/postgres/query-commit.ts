import type pg from 'pg';
import { DatabaseLost } from './database-error.ts';

/**
 * Runs statements that end with COMMIT.
 * @throws `DatabaseLost` with the warning for a commit whose wait for a synchronous standby was cancelled: it has
 * happened, and a failover may lose it
 */
export async function queryCommit(
  client: pg.Client,
  text: string,
): Promise<pg.QueryResult | pg.QueryResult[]> {
  const warnings: unknown[] = [];
  const warn = (warning: unknown) => warnings.push(warning);
  client.on('notice', warn);
  const results = await client.query(text).finally(() => client.off('notice', warn));
  if (warnings.length > 0) throw new DatabaseLost(warnings[0]);
  return results;
}
