import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CompiledSettings } from '../read-model/compiled-settings.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';
import type { MigrationOptions } from '../storage/migrations/run-migrations.ts';
import type { Storage } from '../storage/ports.ts';
import { openPostgres, type PostgresNotices } from '../storage/postgres/open-postgres.ts';
import { openSqlite } from '../storage/sqlite/open-sqlite.ts';
import { openTemporaryFolders, type TemporaryFolders } from '../storage/temporary-folders.ts';
import type { OperationOptions } from '../transaction/project-transaction.ts';
import type { CoreOptions } from './core-options.ts';
import { openFiles } from './open-files.ts';

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

function openStorage(options: CoreOptions): Promise<Storage> {
  const { dataDir, databaseUrl, databaseReplicaUrl: replicaUrl, process, now: clock } = options;
  const application = process && `headwater ${process().instance}`;
  const migrations = migrationOptions(options);
  return databaseUrl
    ? openPostgres({
        url: databaseUrl,
        application,
        clock,
        migrations,
        notices: noticesOf(options),
        replicaUrl,
      })
    : openSqlite({ file: join(dataDir, 'headwater.db'), clock, migrations });
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
    isAllowed: migrations !== 'command',
    waiting: (seconds) =>
      log.warn({}, `Another process migrates the database; waiting for it, at most ${seconds} s.`),
    began({ name, number, count, from }) {
      // The first start makes all tables, which is no news.
      if (from !== null) log.info({ from }, `Migrating the database: ${name}, ${number} of ${count}.`);
    },
    indexing: () =>
      log.warn({}, 'Writing the indexes of the database, because a command that loads content was killed.'),
  };
}
