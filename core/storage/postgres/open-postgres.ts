import { ServiceError } from '../../errors.ts';
import { installationState } from '../installation.ts';
import { Listings } from '../listings/listings.ts';
import { PooledStorage } from '../pooled-storage.ts';
import type { Storage } from '../ports.ts';
import { openReadPools } from '../read-pools.ts';
import { WriteQueue } from '../write-queue.ts';
import { PostgresConnection } from './connection.ts';
import { applyMigrations } from './migrate.ts';
import { PostgresWriter, WRITER_SESSION } from './postgres-writer.ts';
import { POSTGRES_READS } from './read-dialect.ts';
import { READER_SESSION } from './reader-session.ts';
import { replaceCompiledSql } from './replace-compiled.ts';
import { readColumnTypes } from './row-sets.ts';
import { checkServer } from './server-checks.ts';
import { startError, targetOf } from './start-errors.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database` */
  readonly url: string;
  readonly clock?: () => Date;
}

/** From version 14 on, the server notices within a second that its client is gone, and ends the statement. */
const CHECK_CLIENT = `SELECT set_config('client_connection_check_interval', '1s', false)
  WHERE current_setting('server_version_num')::int >= 140000`;
/**
 * Opens a store on PostgreSQL: a few read connections for each class of reads, one writer, and one connection to
 * interrupt the others.
 * @throws StorageStartError for a database that cannot be used
 */
export async function openPostgres({ url, clock = () => new Date() }: PostgresOptions): Promise<Storage> {
  const target = targetOf(url);
  const opened: PostgresConnection[] = [];
  const open = async (options: Omit<ConstructorOptions, 'url'>) => {
    const connection = await PostgresConnection.open({ ...options, url });
    opened.push(connection);
    return connection;
  };
  try {
    const control = await open({ session: 'SET jit = off' });
    await checkServer(control, () => open({ session: 'SET jit = off' }), target.name);
    await applyMigrations(control, url, target.name);
    const types = await readColumnTypes(control);
    const interrupt = (pid: number) => {
      control.acquire({ class: 'background' });
      return control.run('SELECT pg_cancel_backend(?::int)', [pid]);
    };
    const session = `${CHECK_CLIENT}; ${WRITER_SESSION}; ${replaceCompiledSql(types)}`;
    const writer = await open({ session, interrupt });
    const state = await installationState(writer, clock);
    const pools = await openReadPools(async () =>
      PostgresConnection.lazy({ url, session: `${CHECK_CLIENT}; ${READER_SESSION}`, interrupt }),
    );
    const queue = new WriteQueue(new PostgresWriter(writer, control, types), state, clock);
    return new PostgresStorage(new Listings(POSTGRES_READS), queue, pools);
  } catch (error) {
    await Promise.all(opened.map((connection) => connection.close()));
    throw startError(error, target);
  }
}

type ConstructorOptions = Parameters<typeof PostgresConnection.open>[0];

class PostgresStorage extends PooledStorage<PostgresConnection, PostgresWriter> {
  copyTo(): Promise<void> {
    return Promise.reject(noCopy());
  }

  replaceWith(): Promise<void> {
    return Promise.reject(noCopy());
  }
}

function noCopy(): ServiceError {
  return new ServiceError(
    'domainRule',
    'The data are in PostgreSQL: back them up and restore them with its own tools, for example pg_dump.',
  );
}
