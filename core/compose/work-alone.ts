import { join } from 'node:path';
import { StartError } from '../../config/start-error.ts';
import type { MigrationOptions } from '../storage/migrations/run-migrations.ts';
import type { Storage } from '../storage/ports.ts';
import { openPostgres } from '../storage/postgres/open-postgres.ts';
import { openSqlite } from '../storage/sqlite/open-sqlite.ts';

/** Opens a database for a command. */
export function openDatabase({
  dataDir,
  databaseUrl,
  migrations,
  command,
}: {
  readonly dataDir?: string;
  readonly databaseUrl?: string | null | undefined;
  readonly migrations?: MigrationOptions;
  readonly command: string;
}): Promise<Storage> {
  const more = migrations && { migrations };
  if (databaseUrl) return openPostgres({ url: databaseUrl, application: `headwater ${command}`, ...more });
  return openSqlite({ file: join(dataDir ?? '', 'headwater.db'), ...more });
}

/**
 * Runs work on a database while no core runs on it or starts, and closes it.
 * @param what names the database in the error
 * @throws StartError where a core runs
 */
export async function workAlone<T>(
  opening: Promise<Storage>,
  what: string,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await opening;
  try {
    let result: { readonly value: T } | undefined;
    await storage.startCore(
      async (othersRun) => {
        if (othersRun) throw new StartError(`A core runs on the database of the ${what}; stop it first.`);
        result = { value: await work(storage) };
      },
      { isCommand: true },
    );
    if (!result) throw new Error('The work did not run.');
    return result.value;
  } finally {
    await storage.close();
  }
}
