import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { StartError } from '../../../config/start-error.ts';
import { CommitDelivery } from '../commit-delivery.ts';
import { flushToDisk } from '../flush-to-disk.ts';
import { installationState } from '../installation.ts';
import { Listings } from '../listings/listings.ts';
import type { Migrated, MigrationOptions } from '../migrations/run-migrations.ts';
import { SoleOwner } from '../owner.ts';
import { PooledStorage } from '../pooled-storage.ts';
import type { Storage } from '../ports.ts';
import { openReadPools, type ReadPools } from '../read-pools.ts';
import { comparedTables, TableDigests } from '../table-digests.ts';
import type { TableDigest } from '../table-rows.ts';
import { WriteQueue } from '../write-queue.ts';
import { dropIndexes, isBulkLoad, lacksIndexes, makeIndexes } from './bulk-load.ts';
import { Connection } from './connection.ts';
import { copiedRows } from './copied-rows.ts';
import { dataTables } from './data-tables.ts';
import { applyMigrations } from './migrate.ts';
import { numbersInUse } from './numbers-in-use.ts';
import { openReadConnection } from './read-connection.ts';
import { SQLITE_READS } from './read-dialect.ts';
import { checkCopy, copyDatabase, replaceRows, withCopy } from './replace-data.ts';
import { prepareReplacing } from './replace-documents.ts';
import { prepareListing } from './replace-listed.ts';
import { SqliteWriter } from './sqlite-writer.ts';

/** "HDWR" in the header of the file distinguishes it from databases of other programs. */
const APPLICATION_ID = 0x48445752;
/** Most documents have 2–8 KB and fit into a page of 8 KB with their row; with pages of 4 KB each needs an overflow read. */
const PAGE_SIZE = 8192;

export interface SqliteOptions {
  readonly file: string;
  readonly clock?: (() => Date) | undefined;
  readonly migrations?: MigrationOptions;
}

/** Page cache of the writer, KiB. */
const WRITER_CACHE = 32 * 1024;

/**
 * Opens the embedded store: one file in WAL mode, one writer, a few readers for each class of reads.
 * `synchronous = FULL`: a resolved write is on the disk.
 * @throws StartError for a file of another program, a damaged or newer one, or a full disk
 */
export async function openSqlite(options: SqliteOptions): Promise<Storage> {
  const { file, clock = () => new Date(), migrations } = options;
  try {
    const { writer } = await openWriter(file, migrations);
    await prepareReplacing(writer);
    await prepareListing(writer);
    const state = await installationState(writer, clock);
    const delivery = new CommitDelivery(state, Number.POSITIVE_INFINITY);
    const queue = new WriteQueue(new SqliteWriter(writer, await numbersInUse(writer)), delivery, clock);
    return new SqliteStorage(file, queue, await openReadPools((name) => openReadConnection(file, name)));
  } catch (error) {
    throw startError(error, file);
  }
}

/**
 * Creates the file or brings it up to date.
 * @throws StartError as `openSqlite`
 */
export async function migrateSqlite(file: string, migrations: MigrationOptions): Promise<Migrated> {
  try {
    const { writer, migrated } = await openWriter(file, migrations);
    await writer.close();
    return migrated;
  } catch (error) {
    throw startError(error, file);
  }
}

async function openWriter(file: string, migrations?: MigrationOptions) {
  await checkFile(file);
  await restrictMode(file);
  const writer = await Connection.open(file, { readOnly: false });
  try {
    await writer.execute(
      // application_id is in the first page that is written: after a kill the file is still recognized.
      `PRAGMA page_size = ${PAGE_SIZE}; PRAGMA application_id = ${APPLICATION_ID};
       PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
       PRAGMA busy_timeout = 5000; PRAGMA cache_size = -${WRITER_CACHE};
       PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864`,
    );
    const migrated = await applyMigrations(writer, file, migrations);
    if (await lacksIndexes(writer)) {
      migrations?.indexing?.();
      await makeIndexes(file, new AbortController().signal);
    }
    return { writer, migrated };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

class SqliteStorage extends PooledStorage<Connection, SqliteWriter> {
  readonly owner = new SoleOwner();
  readonly file: string;
  #isCommand = false;

  constructor(file: string, queue: WriteQueue<SqliteWriter>, pools: ReadPools<Connection>) {
    super(new Listings(SQLITE_READS), queue, pools);
    this.file = file;
  }

  /** The lock of the data folder excludes other processes. */
  startCore(...[accept, options]: Parameters<Storage['startCore']>): Promise<void> {
    this.#isCommand = options?.isCommand === true;
    return accept(false);
  }

  caughtUp(to: number | 'now'): Promise<void> | undefined {
    return to === 'now' ? this.queue.committing : undefined;
  }

  digests(progress?: (rows: number) => void): Promise<readonly TableDigest[]> {
    return this.snapshot(
      async (sql) => {
        const digests = new TableDigests(progress);
        for (const table of comparedTables(await dataTables(sql)))
          for await (const _ of copiedRows(sql, table, digests.begin(table.name)));
        return digests.all();
      },
      { stream: true },
    );
  }

  /** Access paths are chosen without statistics. */
  async gatherStatistics(): Promise<void> {}

  async load<T>(items: number, work: () => Promise<T>, indexing?: () => void): Promise<T> {
    if (!this.#isCommand || !isBulkLoad(items, await this.#countDocuments())) return work();
    // With them it is only slower; a full disk is reported by `work`, which removes what it began.
    await this.#alone(dropIndexes).catch(() => {});
    const make = () => {
      indexing?.();
      return this.#alone(() => makeIndexes(this.file, this.closing.signal));
    };
    let result: T;
    try {
      result = await work();
    } catch (error) {
      // The next start makes what cannot be made now.
      await make().catch(() => {});
      throw error;
    }
    await make().catch((error: unknown) => {
      const { message } = startError(error, this.file) as Error;
      throw new StartError(
        `All content was written, but not all indexes of the database, which the next start writes: ${message}`,
        { cause: error },
      );
    });
    return result;
  }

  async #countDocuments(): Promise<number> {
    const row = await this.sql.get<{ count: number }>('SELECT count(*) AS count FROM document');
    return row?.count ?? 0;
  }

  /** Between two commits. */
  #alone(work: (connection: Connection) => Promise<void>): Promise<void> {
    return this.queue.runExclusive(async ({ connection }, sequence) => {
      await work(connection);
      return { sequence, epoch: this.epoch };
    });
  }

  async copyTo(...[file, integrity]: Parameters<Storage['copyTo']>): Promise<void> {
    await copyDatabase(this.file, file, this.closing.signal, integrity);
    await flushToDisk(file);
  }

  async replaceWith(...[file, check, integrity]: Parameters<Storage['replaceWith']>): Promise<undefined> {
    const closing = this.closing.signal;
    try {
      await checkFile(file);
      await checkCopy(file, this.file, closing, integrity);
      await withCopy(file, closing, async (copy) => check?.(copy));
    } catch (error) {
      throw startError(error, file);
    }
    await this.queue.runExclusive(async (writer, before) => {
      const row = await withCopy(file, closing, (copy) =>
        copy.get<{ sequence: number }>('SELECT sequence FROM installation'),
      );
      // Higher than any sequence before, so that everything cached by sequence is out of date.
      const sequence = Math.max(before, row?.sequence ?? 0) + 1;
      const epoch = randomUUID();
      writer.inUse = await replaceRows(writer.connection, file, { sequence, epoch });
      return { sequence, epoch };
    });
  }
}

/**
 * Makes the file readable by its owner alone, whatever folder it is in: it contains secrets of webhooks. SQLite gives the
 * WAL the same mode.
 */
async function restrictMode(file: string): Promise<void> {
  // SQLite reports a file that cannot be opened, with its own reason.
  const handle = await open(file, 'a', 0o600).catch(() => undefined);
  try {
    if (handle && ((await handle.stat()).mode & 0o077) !== 0) await handle.chmod(0o600);
  } finally {
    await handle?.close();
  }
}

/** Refuses a file that is not a complete database of Headwater, before SQLite opens it. */
export async function checkFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory())
    throw new StartError(`${file} is a folder; move it away or choose another data folder.`);
  const size = found?.size ?? 0;
  if (size === 0) return;
  const handle = await open(file, 'r');
  const header = Buffer.alloc(100);
  await handle.read(header, 0, 100, 0).finally(() => handle.close());
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3')
    throw new StartError(`${file} is not a database; move it away or choose another data folder.`);
  const rawPageSize = header.readUInt16BE(16);
  const pageSize = rawPageSize === 1 ? 65536 : rawPageSize;
  const applicationId = header.readUInt32BE(68);
  if (applicationId !== APPLICATION_ID)
    throw new StartError(
      `${file} is a database of another program; move it away or choose another data folder.`,
    );
  // After a kill in a checkpoint, the file may be shorter than its header states while the WAL holds the rest.
  if (size < header.readUInt32BE(28) * pageSize && (await sizeOf(`${file}-wal`)) === 0)
    throw new StartError(
      `${file} is only half there (${size} of ${header.readUInt32BE(28) * pageSize} bytes); restore it from a backup.`,
    );
}

/** 0 where there is no such file. */
export function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (stats) => stats.size,
    () => 0,
  );
}

export function startError(error: unknown, file: string): unknown {
  if (error instanceof StartError) return error;
  const code = (error as { code?: string }).code ?? '';
  if (code === 'SQLITE_FULL') return new StartError(`The disk that holds ${file} is full.`, { cause: error });
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return new StartError(`${file} is damaged; restore it from a backup.`, { cause: error });
  if (code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY' || code === 'SQLITE_PERM')
    return new StartError(`${file} cannot be opened for writing; check the folder's owner and mode.`, {
      cause: error,
    });
  if (code === 'SQLITE_BUSY')
    return new StartError(`${file} is in use by another process.`, { cause: error });
  return error;
}
