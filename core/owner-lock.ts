import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { StorageStartError } from './storage/start-error.ts';

/**
 * One process owns an embedded data folder. The lock is SQLite's own on a file beside the database: the
 * system lets go of it when the process dies, however it dies.
 */
export class OwnerLock {
  readonly #database: sqlite3.Database;

  private constructor(database: sqlite3.Database) {
    this.#database = database;
  }

  /** @throws StorageStartError when another process has it */
  static async take(dataDir: string): Promise<OwnerLock> {
    const database = await new Promise<sqlite3.Database>((resolve, reject) => {
      const opened = new sqlite3.Database(join(dataDir, 'owner.lock'), (error) =>
        error ? reject(error) : resolve(opened),
      );
    });
    await new Promise<void>((resolve, reject) => {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE', (error) =>
        error
          ? database.close(() =>
              reject(
                new StorageStartError(
                  `The data folder ${dataDir} is in use by another Headwater process; stop it or choose another folder.`,
                  error,
                ),
              ),
            )
          : resolve(),
      );
    });
    return new OwnerLock(database);
  }

  release(): Promise<void> {
    return new Promise((resolve) => this.#database.close(() => resolve()));
  }
}
