/** Servers that stream from a primary, as standbys and replicas do. */

import { until } from '../until.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from './postgres.ts';

export interface PostgresStandby extends PostgresServer {
  /** What the primary calls it, for `synchronous_standby_names`. */
  readonly name: string;
  /** Makes it a primary: `promote`. */
  promote(): Promise<void>;
  /** It receives what the primary commits and shows none of it, until it resumes. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** It receives nothing any more. */
  disconnect(): Promise<void>;
}

let standbys = 0;

/** @returns a server that has what its primary has, and streams from it */
export async function startStandby(
  primary: PostgresServer,
  options: Omit<PostgresOptions, 'primaryInfo' | 'archive'> = {},
): Promise<PostgresStandby> {
  const name = `standby_${++standbys}`;
  const primaryInfo = `${primary.primaryInfo} application_name=${name}`;
  const server = await startPostgres({ ...options, primaryInfo });
  return follows(server, primary, name);
}

/** Makes a standby a primary. Its former primary is not stopped. */
export async function promote(standby: PostgresServer): Promise<void> {
  await standby.run('SELECT pg_promote(true, 30)');
}

/** Makes a stopped server a standby of another one, with a new copy of its data. */
export async function follow(
  server: PostgresServer,
  primary: PostgresServer,
  name = `standby_${++standbys}`,
): Promise<PostgresStandby> {
  await server.start(`${primary.primaryInfo} application_name=${name}`);
  return follows(server, primary, name);
}

async function follows(
  server: PostgresServer,
  primary: PostgresServer,
  name: string,
): Promise<PostgresStandby> {
  // A copy of the setting would let its own commits wait once it is promoted.
  await set(server, 'synchronous_standby_names', '');
  await until(async () => {
    const { rows } = await primary.run(
      `SELECT state FROM pg_stat_replication WHERE application_name = '${name}'`,
    );
    return rows[0]?.state === 'streaming';
  });
  return {
    ...server,
    name,
    promote: () => promote(server),
    async pauseReplay() {
      await server.run('SELECT pg_wal_replay_pause()');
    },
    async resumeReplay() {
      await server.run('SELECT pg_wal_replay_resume()');
    },
    async disconnect() {
      await set(server, 'primary_conninfo', '');
      await until(async () => (await server.run('SELECT 1 FROM pg_stat_wal_receiver')).rows.length === 0);
    },
  };
}

/** Commits of the primary wait until the standby has them; with null, for none. */
export async function synchronize(primary: PostgresServer, standby: string | null): Promise<void> {
  await set(primary, 'synchronous_standby_names', standby ?? '');
  if (standby === null) return;
  await until(async () => {
    const { rows } = await primary.run(
      `SELECT sync_state FROM pg_stat_replication WHERE application_name = '${standby}'`,
    );
    return rows[0]?.sync_state === 'sync';
  });
}

/** URL with the addresses of several servers. */
export function urlOfServers(servers: readonly PostgresServer[], database: string): string {
  const [first, ...others] = servers.map((server) => server.url(database));
  const hosts = others.map((url) => `,${/@([^/]*)/.exec(url)?.[1]}`).join('');
  return (first ?? '').replace(/@([^/]*)/, (host) => host + hosts);
}

async function set(server: PostgresServer, name: string, value: string): Promise<void> {
  await server.run(`ALTER SYSTEM SET ${name} = '${value}'`);
  await server.run('SELECT pg_reload_conf()');
}
