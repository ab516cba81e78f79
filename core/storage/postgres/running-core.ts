import type { PostgresConnection } from './connection.ts';
import type { Connections } from './connections.ts';

/** "HDST": key of the lock of one starting core. */
const STARTING = 0x48445354;
/** "HDRN": key of the lock that all running cores share. */
const RUNNING = 0x4844524e;
/** Interval of the check of the session with that lock; a lost session is made again, with the lock. */
const CHECK_MS = 5000;

/** Notes in the database that a core runs: a lock of a session, which ends with the process. */
export class RunningCore {
  readonly #session: PostgresConnection;
  readonly #checks: NodeJS.Timeout;

  private constructor(session: PostgresConnection) {
    this.#session = session;
    let isChecking = false;
    this.#checks = setInterval(async () => {
      if (isChecking) return;
      isChecking = true;
      session.acquire({ class: 'background' });
      await session.execute('SELECT 1').catch(() => {});
      isChecking = false;
    }, CHECK_MS).unref();
  }

  /**
   * Runs `accept` while no other core starts.
   * @param accept its argument: other cores run
   * @returns undefined for a command, which does not count as a running core
   */
  static async start(
    connections: Connections,
    accept: (othersRun: boolean) => Promise<void>,
    { isCommand = false } = {},
  ): Promise<RunningCore | undefined> {
    // Its end releases the lock of the start.
    const starting = await connections.open(`SET lock_timeout = '10s'`);
    try {
      await starting.run('SELECT pg_advisory_lock(?)', [STARTING]);
      const other = await starting.get(
        `SELECT 1 AS found FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = ${RUNNING}
           AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`,
      );
      await accept(other !== undefined);
      if (isCommand) return undefined;
      return new RunningCore(await connections.open(`SELECT pg_advisory_lock_shared(${RUNNING})`));
    } finally {
      await starting.close();
    }
  }

  close(): Promise<void> {
    clearInterval(this.#checks);
    return this.#session.close();
  }
}
