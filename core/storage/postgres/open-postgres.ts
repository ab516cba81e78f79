import { CommitDelivery } from '../commit-delivery.ts';
import { installationState } from '../installation.ts';
import { DERIVED_TABLES } from '../listed-rows.ts';
import { Listings } from '../listings/listings.ts';
import type { MigrationOptions } from '../migrations/run-migrations.ts';
import { PooledStorage } from '../pooled-storage.ts';
import type { Storage, StorageFigures } from '../ports.ts';
import { openReadPools, type ReadPools } from '../read-pools.ts';
import type { Sql } from '../sql.ts';
import { TableDigests } from '../table-digests.ts';
import type { TableDigest } from '../table-rows.ts';
import { untilClosing } from '../until-closing.ts';
import { WriteQueue } from '../write-queue.ts';
import { CommitLog } from './commit-log.ts';
import type { PostgresConnection } from './connection.ts';
import { Connections } from './connections.ts';
import { writeCopy } from './copy-file.ts';
import { CoreTable } from './core-table.ts';
import { dataTables } from './data-tables.ts';
import { DatabaseClock } from './database-clock.ts';
import { Follower } from './follower.ts';
import { applyMigrations } from './migrate.ts';
import { OwnerSession } from './owner-session.ts';
import { PostgresWriter, WRITER_SESSION } from './postgres-writer.ts';
import { POSTGRES_READS } from './read-dialect.ts';
import { readDigests } from './read-digests.ts';
import { READER_SESSION } from './reader-session.ts';
import type { RenewedEpoch } from './renew-epoch.ts';
import { replaceCompiledSql } from './replace-compiled.ts';
import { replaceRows, withCheckedCopy } from './replace-data.ts';
import { replaceListedFunction } from './replace-listed.ts';
import { Replica } from './replica.ts';
import { readColumnTypes } from './row-sets.ts';
import { checkServer } from './server-checks.ts';
import { Servers } from './servers.ts';
import { addressOf, startError, targetOf } from './start-errors.ts';
import { TableStatistics } from './table-statistics.ts';
import { timelineText } from './timeline.ts';
import { urlsOf } from './urls-of.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database` */
  readonly url: string;
  /** How the server lists the sessions of this process. */
  readonly application?: string | undefined;
  /** In place of the clock of the database. */
  readonly clock?: (() => Date) | undefined;
  readonly migrations?: MigrationOptions;
  readonly notices?: Partial<PostgresNotices>;
  /** Of servers that follow the primary, for plain reads of delivery; each of its hosts is one. */
  readonly replicaUrl?: string | null | undefined;
}

/** What operators should know. */
export interface PostgresNotices {
  /** The server may lack commits, so the data have a new epoch. */
  renewed(renewed: RenewedEpoch): void;
  /** Sessions go to another server. @param address its host and port */
  moved(address: string, timeline: string | null): void;
  /** The commits of other processes cannot be read, or are again. @param failure the first of several, or undefined */
  following(failure: Error | undefined): void;
}

/** From version 14 on, the server notices within a second that its client is gone, and ends the statement. */
const CHECK_CLIENT = `SELECT set_config('client_connection_check_interval', '1s', false)
  WHERE current_setting('server_version_num')::int >= 140000`;
/**
 * Opens a store on PostgreSQL: a few read connections for each class of reads, one writer, one connection to
 * interrupt the others, and the session of the owner.
 * @throws StartError for a database that cannot be used
 */
export async function openPostgres({
  url,
  application,
  clock,
  migrations,
  notices,
  replicaUrl,
}: PostgresOptions): Promise<Storage> {
  const target = targetOf(url);
  if (replicaUrl) targetOf(replicaUrl);
  const opened: Pick<PostgresConnection, 'close'>[] = [];
  try {
    const servers = new Servers(url);
    servers.onMoved = (to, timeline) => notices?.moved?.(addressOf(to), timelineText(timeline));
    const connections = await Connections.open(servers, application);
    const { control } = connections;
    opened.push(control);
    await checkServer(connections, target.name);
    await applyMigrations(control, target.name, migrations);
    const types = await readColumnTypes(control);
    const connection = await connections.open(
      `${CHECK_CLIENT}; ${WRITER_SESSION}; ${replaceCompiledSql(types)}; ${replaceListedFunction()}`,
    );
    opened.push(connection);
    const owner = await OwnerSession.open(connections);
    opened.push(owner);
    const databaseClock = await DatabaseClock.read(connection);
    const now = clock ?? (() => databaseClock.now());
    const log = new CommitLog(databaseClock, now);
    const statistics = new TableStatistics(connections);
    const writer = new PostgresWriter(connection, control, types, log, statistics, now);
    if (notices?.renewed) writer.onRenewed = notices.renewed;
    const began = performance.now();
    await writer.renewEpoch(await installationState(writer, now));
    const delivery = new CommitDelivery(await installationState(writer, now), began);
    const queue = new WriteQueue(writer, delivery, now);
    // A group begins with it.
    const renew = () => queue.write(async () => {});
    const isOwn = (pid: number) => pid === connection.pid;
    const following = notices?.following ?? (() => {});
    const follower = new Follower(connections, delivery, log, isOwn, renew, following);
    const pools = await openReadPools(async () => connections.reader(`${CHECK_CLIENT}; ${READER_SESSION}`));
    const listings = new Listings(POSTGRES_READS);
    const replicas = await Promise.all(
      (replicaUrl ? urlsOf(replicaUrl) : []).map((one) => Replica.open(one, application, listings, delivery)),
    );
    return new PostgresStorage(connections, owner, queue, follower, pools, listings, replicas);
  } catch (error) {
    await Promise.all(opened.map((connection) => connection.close()));
    throw startError(error, target);
  }
}

class PostgresStorage extends PooledStorage<PostgresConnection, PostgresWriter> {
  readonly owner: OwnerSession;
  override readonly registry: CoreTable;
  readonly #connections: Connections;
  readonly #follower: Follower;
  readonly #replicas: readonly Replica[];
  /** Of the replica that is read next. */
  #next = 0;

  constructor(
    connections: Connections,
    owner: OwnerSession,
    queue: WriteQueue<PostgresWriter>,
    follower: Follower,
    pools: ReadPools<PostgresConnection>,
    listings: Listings,
    replicas: readonly Replica[],
  ) {
    super(listings, queue, pools);
    this.#replicas = replicas;
    for (const replica of replicas)
      super.onCommit(
        ({ sequence, time }) => replica.committed(sequence, time),
        () => replica.reset(),
      );
    this.#connections = connections;
    this.owner = owner;
    this.registry = new CoreTable(connections);
    this.#follower = follower;
  }

  override onCommit(...listeners: Parameters<Storage['onCommit']>): void {
    super.onCommit(...listeners);
    this.#follower.poll();
  }

  override figures(): StorageFigures {
    const { failures } = this.#follower;
    return {
      ...super.figures(),
      following: { age: performance.now() - this.completeUntil, failures },
      replicas: this.#replicas.map((replica) => replica.figures()),
    };
  }

  caughtUp(...until: Parameters<Storage['caughtUp']>): Promise<void> | undefined {
    return this.#follower.caughtUp(...until);
  }

  startCore(
    accept: (othersRun: boolean) => Promise<void>,
    options?: { readonly isCommand?: boolean },
  ): Promise<void> {
    return this.owner.startCore(this.#connections, accept, options);
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.#follower.close(), ...this.#replicas.map((one) => one.close())]);
    await this.owner.close();
    await this.registry.close();
  }

  replica(): Replica | undefined {
    const replicas = this.#replicas;
    for (let tried = 0; tried < replicas.length; tried++) {
      this.#next = (this.#next + 1) % replicas.length;
      const replica = replicas[this.#next];
      if (replica?.isUsable) return replica;
    }
    return undefined;
  }

  renewEpoch(seen: number): Promise<void> {
    this.queue.engine.seen(seen);
    return this.queue.write(async () => {});
  }

  digests(progress?: (rows: number) => void): Promise<readonly TableDigest[]> {
    return this.#beside((connection) => readDigests(connection, progress));
  }

  gatherStatistics(): Promise<void> {
    return this.#beside(async (connection) => {
      for (const { name } of await dataTables(connection)) await connection.run(`ANALYZE ${name}`);
      for (const name of DERIVED_TABLES) await connection.run(`ANALYZE ${name}`);
    });
  }

  /** Other cores may read meanwhile. */
  load<T>(_items: number, work: () => Promise<T>): Promise<T> {
    return work();
  }

  copyTo(file: string): Promise<void> {
    return this.#beside((connection) => writeCopy(connection, file, this.closing.signal));
  }

  async replaceWith(
    ...[file, check, integrity, progress]: Parameters<Storage['replaceWith']>
  ): ReturnType<Storage['replaceWith']> {
    const digests = integrity === 'compared' ? new TableDigests(progress) : undefined;
    const replace = (connection: PostgresConnection) => async (copy: Sql) => {
      await check?.(copy);
      await this.queue.runExclusive(() => replaceRows(connection, copy, file, digests));
    };
    await this.#beside((connection) =>
      withCheckedCopy(connection, file, this.closing.signal, replace(connection), integrity),
    );
    return digests?.all();
  }

  /** Runs work on a connection of its own, which ends when the store closes. */
  #beside<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return untilClosing(this.#connections.lazy('SET jit = off'), this.closing.signal, work);
  }
}
