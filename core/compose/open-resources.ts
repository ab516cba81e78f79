import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../config/start-error.ts';
import type { CompiledSettings } from '../read-model/compiled-settings.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { MigrationOptions } from '../storage/migrations/run-migrations.ts';
import type { Storage } from '../storage/ports.ts';
import { openPostgres, type PostgresNotices } from '../storage/postgres/open-postgres.ts';
import { openSqlite, sizeOf } from '../storage/sqlite/open-sqlite.ts';
import { openTemporaryFolders, type TemporaryFolders } from '../storage/temporary-folders.ts';
import type { OperationOptions } from '../transaction/project-transaction.ts';
import type { CoreOptions } from './core-options.ts';
import { openFiles, withFiles } from './open-files.ts';

/** What all parts of core use. */
export interface Resources {
  readonly options: CoreOptions;
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly temporary: TemporaryFolders;
  readonly clock: () => Date;
  readonly operationOptions: OperationOptions;
  /** The `SVC` of `X-SVC-…` in answers. */
  readonly vendor: string;
  readonly compiled: CompiledSettings;
  /** @returns a handler that logs `text` with the error */
  failed(text: string): (error: unknown) => void;
}

export async function openResources(options: CoreOptions): Promise<Resources> {
  const { log } = options;
  const storage = await openStorage(options);
  const { blobs, temporary } = await openFolders(options).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  return {
    options,
    storage,
    blobs,
    temporary,
    clock: () => storage.now(),
    operationOptions: {
      newId: options.newId ?? randomUUID,
      allowInvalid: options.publishing?.allowInvalid === true,
    },
    vendor: options.vendor.header[0] ?? 'SVC',
    compiled: { mediaType: options.vendor.mediaType },
    failed: (text) => (error) => log.error({ error }, text),
  };
}

async function openFolders(options: CoreOptions): Promise<Pick<Resources, 'blobs' | 'temporary'>> {
  return {
    blobs: await openFiles(options),
    temporary: await openTemporaryFolders(join(options.dataDir, 'temporary')),
  };
}

async function openStorage(options: CoreOptions): Promise<Storage> {
  const { dataDir, databaseUrl, databaseReplicaUrl: replicaUrl, process, now: clock } = options;
  const application = process && `headwater ${process().instance}`;
  const migrations = migrationOptions(options);
  if (databaseUrl)
    return openPostgres({
      url: databaseUrl,
      application,
      clock,
      migrations,
      notices: noticesOf(options),
      replicaUrl,
    });
  const file = join(dataDir, 'headwater.db');
  await refuseEmptied(file, options);
  return openSqlite({ file, clock, migrations });
}

/** @throws StartError for an empty database beside files of assets, which it would not know: tables are there before them */
async function refuseEmptied(file: string, { dataDir, filesDir, filesBucket }: CoreOptions): Promise<void> {
  if (filesDir || filesBucket) return;
  if (!existsSync(file) || (await sizeOf(file)) > 0 || (await sizeOf(`${file}-wal`)) > 0) return;
  await withFiles({ dataDir }, async (blobs) => {
    for await (const _ of blobs.list())
      throw new StartError(
        `${file} is empty, but there are files of assets beside it: restore it from a backup, or remove both to begin anew.`,
      );
  });
}

function noticesOf({ log }: CoreOptions): PostgresNotices {
  return {
    renewed: (renewed) =>
      log.error(
        { ...renewed },
        'THE DATABASE MAY HAVE LOST COMMITS: a standby was promoted, or a backup restored. The data have a new epoch, and all caches begin anew.',
      ),
    moved: (address, timeline) =>
      log.warn({ address, timeline }, 'Another server of the database is used, because it accepts writes.'),
    following(failure) {
      if (failure === undefined) log.info({}, 'The commits of other cores are followed again.');
      else log.warn({ reason: failure.message }, 'The commits of other cores cannot be read; trying again.');
    },
  };
}

function migrationOptions({ migrations, log }: CoreOptions): MigrationOptions {
  return {
    refusal: migrations === 'command' ? "the setting migrations is 'command'" : undefined,
    waiting: (seconds) =>
      log.warn({}, `Another process migrates the database; waiting for it, at most ${seconds} s.`),
    began({ name, number, count, from }) {
      // The first start makes all tables, which is no news.
      if (from !== null) log.info({ from }, `Migrating the database: ${name}, ${number} of ${count}.`);
    },
    indexing: () =>
      log.warn({}, 'Writing indexes of the database that a command has left out: it ended early.'),
  };
}
