import { REGISTERED_MS } from '../core-registry.ts';
import { migrationsOf } from '../migrations/migration-list.ts';
import { missingMigrations } from '../migrations/missing-migrations.ts';
import type { CommitState } from '../ports.ts';
import type { Sql } from '../sql.ts';
import type { PostgresConnection } from './connection.ts';
import { Connections } from './connections.ts';
import { type InspectedServer, inspectServers } from './inspect-servers.ts';
import { appliedMigrations } from './migrate.ts';
import { RUNNING_CORES } from './owner-session.ts';
import { checkServer } from './server-checks.ts';
import { Servers } from './servers.ts';
import { startError, targetOf } from './start-errors.ts';

/** Settings of the server, the database and the role that matter; those of another version are absent. */
const SETTINGS = [
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'synchronous_standby_names',
  'statement_timeout',
  'lock_timeout',
  'idle_session_timeout',
  'transaction_timeout',
] as const;

const IS_RUNNING = `state <> '' AND updated > clock_timestamp() - interval '${REGISTERED_MS} milliseconds'`;

export type InspectedSetting = (typeof SETTINGS)[number];

/** What `doctor` finds out about a database. */
export interface InspectedPostgres {
  /** Host, port and database, without a secret. */
  readonly name: string;
  readonly user: string;
  readonly version: string;
  /** Of a short statement, the least of several. */
  readonly milliseconds: number;
  /** The database's clock minus this machine's, and how far off that may be, in milliseconds. */
  readonly clock: { readonly difference: number; readonly uncertainty: number };
  /** The last migration; null = there are no tables. */
  readonly schema: string | null;
  readonly missingMigrations: readonly string[];
  readonly settings: Readonly<Partial<Record<InspectedSetting, string>>>;
  /** How many the user may open, all its processes together, and how many sessions of it there are. */
  readonly connections: { readonly limit: number; readonly used: number };
  readonly runningCores: number;
  /** Versions of the product of running cores and their gateways, each once. */
  readonly runningVersions: readonly string[];
  /** Those of the URL. */
  readonly servers: readonly InspectedServer[];
  readonly replicas: readonly InspectedServer[];
  readonly rights: {
    readonly temporaryObjects: boolean;
    readonly newSchemas: boolean;
    readonly newTables: boolean;
    /** Tables and sequences that the user may not write. */
    readonly notWritable: readonly string[];
    /** Tables that the user may not alter, as migrations do. */
    readonly notOwned: readonly string[];
  };
}

/**
 * Inspects a database and changes nothing in it; then runs `work` on it, if its schema is up to date.
 * @throws StartError for a database that cannot be used
 */
export async function inspectPostgres<T>(
  url: string,
  replicaUrl: string | null,
  work: (sql: Sql) => Promise<T>,
): Promise<InspectedPostgres & { readonly result: T | undefined }> {
  const target = targetOf(url);
  let connections: Connections | undefined;
  try {
    connections = await Connections.open(new Servers(url), 'headwater doctor');
    const { control } = connections;
    await checkServer(connections, target.name);
    const list = migrationsOf('postgres');
    const applied = await appliedMigrations(control, target.name, list);
    const missing = missingMigrations(applied, list, target.name).map(({ name }) => name);
    const settings = await control.all<{ name: InspectedSetting; value: string }>(
      `SELECT name, current_setting(name) AS value FROM pg_settings WHERE name IN (${SETTINGS.map((name) => `'${name}'`).join(', ')})`,
    );
    const newest =
      applied.length > 0
        ? await control.get<CommitState>('SELECT sequence, epoch FROM installation WHERE id = 1')
        : undefined;
    return {
      name: target.name,
      servers: await inspectServers(url, newest),
      replicas: replicaUrl ? await inspectServers(replicaUrl, newest) : [],
      runningVersions: missing.length === 0 ? await runningVersions(control) : [],
      ...(await inspectServer(control)),
      clock: await inspectClock(control),
      schema: applied.at(-1)?.name ?? null,
      missingMigrations: missing,
      settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
      rights: await inspectRights(control),
      result: missing.length === 0 ? await work(control) : undefined,
    };
  } catch (error) {
    throw startError(error, target);
  } finally {
    await connections?.control.close();
  }
}

async function runningVersions(connection: PostgresConnection): Promise<string[]> {
  const rows = await connection.all<{ version: string }>(
    `SELECT DISTINCT version FROM (
       SELECT version FROM running_core WHERE ${IS_RUNNING}
       UNION ALL SELECT gateway #>> '{report,version}'
         FROM running_core, json_array_elements(nullif(state, '')::json -> 'gateways') AS g (gateway)
         WHERE ${IS_RUNNING}) v WHERE version IS NOT NULL ORDER BY version`,
  );
  return rows.map(({ version }) => version);
}

async function inspectServer(connection: PostgresConnection) {
  const server = await connection.get<{ user: string; version: string }>(
    `SELECT current_user AS "user", current_setting('server_version') AS version`,
  );
  let milliseconds = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 5; times++) {
    const began = performance.now();
    await connection.get('SELECT 1 AS one');
    milliseconds = Math.min(milliseconds, performance.now() - began);
  }
  const row = await connection.get<{ limit: number; used: number; cores: number }>(
    `SELECT least(
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - coalesce(current_setting('reserved_connections', true), '0')::int,
       (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
       (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS "limit",
     (SELECT count(*) FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()) AS used,
     (${RUNNING_CORES}) AS cores`,
  );
  return {
    user: server?.user ?? '',
    version: server?.version ?? '',
    milliseconds,
    connections: { limit: row?.limit ?? 0, used: row?.used ?? 0 },
    runningCores: row?.cores ?? 0,
  };
}

async function inspectClock(connection: PostgresConnection) {
  const before = Date.now();
  const began = performance.now();
  const row = await connection.get<{ now: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
  );
  const took = performance.now() - began;
  return { difference: (row?.now ?? before) - (before + took / 2), uncertainty: took / 2 + 1 };
}

async function inspectRights(connection: PostgresConnection): Promise<InspectedPostgres['rights']> {
  const row = await connection.get<Record<'temporary' | 'schemas' | 'tables', number | null>>(
    `SELECT has_database_privilege(current_database(), 'TEMP') AS temporary,
       has_database_privilege(current_database(), 'CREATE') AS schemas,
       has_schema_privilege(current_schema(), 'CREATE') AS tables`,
  );
  const ours = `FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname NOT LIKE 'knex_%'`;
  const notWritable = await connection.all<{ name: string }>(
    `SELECT relname AS name ${ours} AND CASE relkind
       WHEN 'r' THEN NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
         AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
       WHEN 'S' THEN NOT (has_sequence_privilege(oid, 'SELECT') AND has_sequence_privilege(oid, 'UPDATE'))
       ELSE false END ORDER BY relname`,
  );
  const notOwned = await connection.all<{ name: string }>(
    `SELECT relname AS name ${ours} AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE') ORDER BY relname`,
  );
  const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
  return {
    temporaryObjects: row?.temporary === 1,
    newSchemas: row?.schemas === 1,
    newTables: row?.tables === 1,
    notWritable: names(notWritable),
    notOwned: names(notOwned),
  };
}
