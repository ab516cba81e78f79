import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import type { PagePlan, PageResult, StoredDocument } from '../page-plan.ts';
import type {
  CommittedChanges,
  PageReads,
  Reader,
  ResolvedItems,
  Storage,
  StorageFigures,
  Transaction,
} from '../ports.ts';
import { type ReadScope, shuttingDown } from '../read-scope.ts';
import type { Sql } from '../sql.ts';
import { StorageStartError } from '../start-error.ts';
import { AccessPathChooser } from './access-path-chooser.ts';
import { Connection } from './connection.ts';
import { applyMigrations } from './migrate.ts';
import { numbersInUse } from './numbers-in-use.ts';
import { closeReadPools, openReadPools, type ReadPools } from './read-pools.ts';
import { checkCopy, copyDatabase, replaceRows, withCopy } from './replace-data.ts';
import { prepareReplacing } from './replace-documents.ts';
import { SqliteReader } from './sqlite-reader.ts';
import { WriteQueue } from './write-queue.ts';

/** "HDWR" in the header of the file distinguishes it from databases of other programs. */
const APPLICATION_ID = 0x48445752;
/** Most documents have 2–8 KB and fit into a page of 8 KB with their row; with pages of 4 KB each needs an overflow read. */
const PAGE_SIZE = 8192;

export interface SqliteOptions {
  readonly file: string;
  readonly clock?: () => Date;
}

/** Page cache of the writer, KiB. */
const WRITER_CACHE = 32 * 1024;

/**
 * Opens the embedded store: one file in WAL mode, one writer, a few readers for each class of reads.
 * `synchronous = FULL`: a resolved write is on the disk.
 * @throws StorageStartError for a file of another program, a damaged or newer one, or a full disk
 */
export async function openSqlite(options: SqliteOptions): Promise<Storage> {
  const { file } = options;
  await checkFile(file);
  try {
    await restrictMode(file);
    const writer = await Connection.open(file, { readOnly: false });
    await writer.execute(
      // application_id is in the first page that is written: after a kill the file is still recognized.
      `PRAGMA page_size = ${PAGE_SIZE}; PRAGMA application_id = ${APPLICATION_ID};
       PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
       PRAGMA busy_timeout = 5000; PRAGMA cache_size = -${WRITER_CACHE};
       PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 67108864`,
    );
    await applyMigrations(writer, file);
    await prepareReplacing(writer);
    const { sequence, epoch } = await installation(writer, options.clock ?? (() => new Date()));
    const queue = new WriteQueue(
      writer,
      { sequence, epoch, numbers: await numbersInUse(writer) },
      options.clock ?? (() => new Date()),
    );
    return new SqliteStorage(file, writer, queue, await openReadPools(file));
  } catch (error) {
    throw startError(error, file);
  }
}

class SqliteStorage implements Storage {
  readonly paths = new AccessPathChooser();
  readonly #file: string;
  readonly #writer: Connection;
  readonly #queue: WriteQueue;
  readonly #pools: ReadPools;
  readonly #own: Reader;
  /** Ends work on copies. */
  readonly #closing = new AbortController();

  constructor(file: string, writer: Connection, queue: WriteQueue, pools: ReadPools) {
    this.#file = file;
    this.#writer = writer;
    this.#queue = queue;
    this.#pools = pools;
    this.#own = this.reader({ class: 'background' });
  }

  get epoch(): string {
    return this.#queue.epoch;
  }

  get sql(): Sql {
    return this.#own.sql;
  }

  reader(scope: ReadScope): Reader {
    return new SqliteReader(this, scope);
  }

  pool(scope: ReadScope, isStream: boolean) {
    if (!isStream) return this.#pools[scope.class];
    return scope.class === 'delivery' ? this.#pools.stream : this.#pools.export;
  }

  snapshot<T>(
    work: (sql: Sql & PageReads) => Promise<T>,
    options: { readonly stream?: boolean } = {},
  ): Promise<T> {
    return this.#own.snapshot(work, options);
  }

  page(plan: PagePlan): Promise<PageResult> {
    return this.#own.page(plan);
  }

  documents(numbers: readonly number[]): Promise<StoredDocument[]> {
    return this.#own.documents(numbers);
  }

  resolve(project: number, view: number, items: readonly number[]): Promise<ResolvedItems> {
    return this.#own.resolve(project, view, items);
  }

  write<T>(work: (tx: Transaction) => Promise<T>, share?: string): Promise<T> {
    return this.#queue.write(work, share);
  }

  figures(): StorageFigures {
    const pools = this.#pools;
    return {
      reads: {
        lookup: pools.lookup.figures(),
        delivery: pools.delivery.figures(),
        stream: pools.stream.figures(),
        management: pools.management.figures(),
        background: pools.background.figures(),
        export: pools.export.figures(),
      },
      writes: this.#queue.figures(),
    };
  }

  onCommit(listener: (changes: CommittedChanges) => void): void {
    this.#queue.onCommit(listener);
  }

  async copyTo(file: string): Promise<void> {
    await copyDatabase(this.#file, file, this.#closing.signal);
    const handle = await open(file, 'r');
    await handle.sync().finally(() => handle.close());
  }

  async replaceWith(file: string, check?: (copy: Sql) => Promise<void>): Promise<void> {
    const closing = this.#closing.signal;
    try {
      await checkFile(file);
      await checkCopy(file, this.#file, closing);
      await withCopy(file, closing, async (copy) => check?.(copy));
    } catch (error) {
      throw startError(error, file);
    }
    await this.#queue.runExclusive(async (connection, before) => {
      const row = await withCopy(file, closing, (copy) =>
        copy.get<{ sequence: number }>('SELECT sequence FROM installation'),
      );
      // Higher than any sequence before, so that everything cached by sequence is out of date.
      const sequence = Math.max(before, row?.sequence ?? 0) + 1;
      const epoch = randomUUID();
      return { sequence, epoch, ...(await replaceRows(connection, file, { sequence, epoch })) };
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(shuttingDown());
    await Promise.all([this.#queue.close(), closeReadPools(this.#pools)]);
    // Closing the last connection writes the WAL into the file.
    await this.#writer.close();
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
async function checkFile(file: string): Promise<void> {
  const size = await sizeOf(file);
  if (size === 0) return;
  const handle = await open(file, 'r');
  const header = Buffer.alloc(100);
  await handle.read(header, 0, 100, 0).finally(() => handle.close());
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3')
    throw new StorageStartError(`${file} is not a database; move it away or choose another data folder.`);
  const rawPageSize = header.readUInt16BE(16);
  const pageSize = rawPageSize === 1 ? 65536 : rawPageSize;
  const applicationId = header.readUInt32BE(68);
  if (applicationId !== APPLICATION_ID)
    throw new StorageStartError(
      `${file} is a database of another program; move it away or choose another data folder.`,
    );
  // After a kill in a checkpoint, the file may be shorter than its header states while the WAL holds the rest.
  if (size < header.readUInt32BE(28) * pageSize && (await sizeOf(`${file}-wal`)) === 0)
    throw new StorageStartError(
      `${file} is only half there (${size} of ${header.readUInt32BE(28) * pageSize} bytes); restore it from a backup.`,
    );
}

function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (stats) => stats.size,
    () => 0,
  );
}

async function installation(
  writer: Connection,
  clock: () => Date,
): Promise<{ sequence: number; epoch: string }> {
  await writer.run('INSERT OR IGNORE INTO installation (id, epoch, sequence, created) VALUES (1, ?, 0, ?)', [
    randomUUID(),
    clock().toISOString(),
  ]);
  const row = await writer.get<{ sequence: number; epoch: string }>(
    'SELECT sequence, epoch FROM installation WHERE id = 1',
  );
  if (!row) throw new Error('no installation row');
  return row;
}

function startError(error: unknown, file: string): unknown {
  if (error instanceof StorageStartError) return error;
  const code = (error as { code?: string }).code ?? '';
  if (code === 'SQLITE_FULL') return new StorageStartError(`The disk that holds ${file} is full.`, error);
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
    return new StorageStartError(`${file} is damaged; restore it from a backup.`, error);
  if (code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY' || code === 'SQLITE_PERM')
    return new StorageStartError(
      `${file} cannot be opened for writing; check the folder's owner and mode.`,
      error,
    );
  if (code === 'SQLITE_BUSY') return new StorageStartError(`${file} is in use by another process.`, error);
  return error;
}
