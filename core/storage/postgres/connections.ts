import { type ConnectionOptions, PostgresConnection } from './connection.ts';
import type { Servers } from './servers.ts';

const INTERRUPT_MS = 2000;
const LOOK_UP_MS = 3000;
/** A process that sends its result to a lost client is active as well. */
const WORKING = `SELECT 1 AS found FROM pg_stat_activity
  WHERE pid = ?::int AND state = 'active' AND wait_event IS DISTINCT FROM 'ClientWrite'`;

/** Makes the connections to one database, and interrupts their statements through one that serves nothing else. */
export class Connections {
  readonly #database: Pick<ConnectionOptions, 'servers' | 'application'>;
  /** For what has to be done while other connections are busy or lost. */
  readonly control: PostgresConnection;

  private constructor(
    database: Pick<ConnectionOptions, 'servers' | 'application'>,
    control: PostgresConnection,
  ) {
    this.#database = database;
    this.control = control;
  }

  static async open(servers: Servers, application: string | undefined): Promise<Connections> {
    const database = { servers, application };
    return new Connections(
      database,
      await PostgresConnection.open({ ...database, session: 'SET jit = off' }),
    );
  }

  /** The same without a connection yet. */
  static lazily(servers: Servers, application: string | undefined): Connections {
    const database = { servers, application };
    return new Connections(
      database,
      PostgresConnection.lazy({ ...database, session: 'SET jit = off', onlyReads: true }),
    );
  }

  /** @returns a connection that is made by its first statement */
  lazy(session: string, onNotification?: ConnectionOptions['onNotification']): PostgresConnection {
    return PostgresConnection.lazy({ ...this.#options(session), onNotification });
  }

  /** The same for a session that only reads. */
  reader(session: string): PostgresConnection {
    return PostgresConnection.lazy({ ...this.#options(session), onlyReads: true });
  }

  open(session: string): Promise<PostgresConnection> {
    return PostgresConnection.open(this.#options(session));
  }

  #options(session: string): ConnectionOptions {
    return {
      ...this.#database,
      session,
      interrupt: (pid) => this.#interrupt(pid),
      isWorking: (pid) => this.#isWorking(pid),
    };
  }

  #interrupt(pid: number): Promise<unknown> {
    this.control.acquire({ class: 'background' });
    return this.control.within(INTERRUPT_MS, this.control.run('SELECT pg_cancel_backend(?::int)', [pid]));
  }

  async #isWorking(pid: number): Promise<boolean> {
    this.control.acquire({ class: 'background' });
    return (await this.control.within(LOOK_UP_MS, this.control.get(WORKING, [pid]))) !== undefined;
  }
}
