import type { Migrated, MigrationOptions } from '../migrations/run-migrations.ts';
import { Connections } from './connections.ts';
import { applyMigrations } from './migrate.ts';
import { checkServer } from './server-checks.ts';
import { Servers } from './servers.ts';
import { startError, targetOf } from './start-errors.ts';

/**
 * Creates the tables of a database or brings them up to date, beside cores that run on it.
 * @throws StartError for a database that cannot be used
 */
export async function migratePostgres(url: string, migrations: MigrationOptions): Promise<Migrated> {
  const target = targetOf(url);
  let connections: Connections | undefined;
  try {
    connections = await Connections.open(new Servers(url), 'headwater migrate');
    await checkServer(connections, target.name);
    return await applyMigrations(connections.control, target.name, migrations);
  } catch (error) {
    throw startError(error, target);
  } finally {
    await connections?.control.close();
  }
}
