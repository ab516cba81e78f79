import { join } from 'node:path';
import { StartError } from '../../config/start-error.ts';
import type { Storage } from '../storage/ports.ts';
import { openPostgres } from '../storage/postgres/open-postgres.ts';
import { openSqlite } from '../storage/sqlite/open-sqlite.ts';

/**
 * Opens a database for a command.
 * @param mayMigrate false: it has to be up to date
 */
export function openDatabase({
  dataDir,
  databaseUrl,
  mayMigrate = true,
  command,
}: {
  readonly dataDir?: string;
  readonly databaseUrl?: string | null | undefined;
  readonly mayMigrate?: boolean;
  readonly command: string;
}): Promise<Storage> {
  const more = mayMigrate ? {} : { migrations: { refusal: 'this command does not migrate it' } };
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
