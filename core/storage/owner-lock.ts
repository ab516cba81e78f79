import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { StartError } from '../../config/start-error.ts';

/** The file of the lock, in the folder. */
export const OWNER_LOCK = 'owner.lock';

/** Another process owns the data folder. */
export class FolderInUse extends StartError {}

/**
 * Lets one process own a data folder. The lock is that of SQLite on a file next to the database; the operating system
 * releases it when the process ends, even by a kill.
 */
export class OwnerLock {
  readonly #database: sqlite3.Database;

  private constructor(database: sqlite3.Database) {
    this.#database = database;
  }

  /** @throws FolderInUse when another process owns the folder; StartError when it cannot be used */
  static async take(dataDir: string): Promise<OwnerLock> {
    const database = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(join(dataDir, OWNER_LOCK), (error) =>
        error ? reject(refusal(dataDir, error)) : resolve(opened),
      );
    });
    await new Promise<void>((resolve, reject) => {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE', (error) =>
        error ? database.close(() => reject(refusal(dataDir, error))) : resolve(),
      );
    });
    return new OwnerLock(database);
  }

  release(): Promise<void> {
    return new Promise((resolve) => this.#database.close(() => resolve()));
  }
}

function refusal(dataDir: string, error: Error): StartError {
  const code = (error as { code?: string }).code ?? '';
  if (code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED')
    return new FolderInUse(
      `The data folder ${dataDir} is in use by another Headwater process; stop it or choose another folder.`,
      { cause: error },
    );
  if (code === 'SQLITE_FULL')
    return new StartError(`The disk that holds the data folder ${dataDir} is full.`, { cause: error });
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return new StartError(`${join(dataDir, OWNER_LOCK)} is not a lock file of ours; remove it.`, {
      cause: error,
    });
  return new StartError(
    `The data folder ${dataDir} cannot be written; check its owner and mode (${error.message}).`,
    { cause: error },
  );
}
