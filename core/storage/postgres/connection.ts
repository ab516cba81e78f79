import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { ReadScope, WorkEnded } from '../read-scope.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import { TaskConnection } from '../task-connection.ts';
import { among } from './among.ts';
import { DatabaseLost, isLost, statementError } from './database-error.ts';
import { RESULT_TYPES } from './result-types.ts';
import { statementText } from './statement-text.ts';

/**
 * Prepared statements of a session and their characters; beyond that, the next task gets a new session. The server keeps
 * some 140 bytes for each character: 6 MB for a page with 200 conditions.
 */
const PREPARED_LIMIT = { statements: 1000, characters: 250_000 };
/** The server resets its statistics when it recovers from a crash. */
export const RECOVERED = '(SELECT stats_reset::text FROM pg_stat_archiver) AS recovered';
/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';
/** Longest time until a session can be used. */
const CONNECT_MS = 5000;
/** Interval at which a statement without an answer is looked at. */
const WATCH_MS = 2000;
/** Time of a session to end by itself. */
const CLOSE_MS = 1000;
/** A server that has not ended a statement this long after its cancellation is lost. */
const INTERRUPTED_MS = 2000;

export interface ConnectionOptions {
  /** URLs of the database; the first whose server accepts writes is used. */
  readonly urls: readonly string[];
  /** How the server lists its sessions, unless the URL has `application_name`; `headwater` by default. */
  readonly application?: string | undefined;
  /** Statements at the start of a session. */
  readonly session: string;
  /** Interrupts the statement of a server process. */
  readonly interrupt?: (pid: number) => Promise<unknown>;
  /** Whether a server process works on a statement. @throws where that cannot be found out */
  readonly isWorking?: (pid: number) => Promise<boolean>;
  /** Called for each notification of the channels that the session listens to. */
  readonly onNotification?: ((notification: pg.Notification) => void) | undefined;
}

interface Session {
  readonly client: pg.Client;
  readonly socket: Socket;
  readonly url: string;
  /** Number of the server's process. */
  readonly pid: number;
  /** Names of the prepared statements. */
  readonly prepared: Set<string>;
  preparedCharacters: number;
  /** The server's last crash recovery, or its first start. */
  readonly recovered: string;
  readonly watch: NodeJS.Timeout;
}

/**
 * One connection of the `pg` driver, as promises. Statements are prepared once and run one after another. A connection
 * that is lost ends its task, and is made again for the next one.
 */
export class PostgresConnection extends TaskConnection implements Sql {
  readonly #options: ConnectionOptions;
  #session: Session | null = null;
  #opening: Promise<Session> | null = null;
  /** Of the session that is being made. */
  #socket: Socket | null = null;
  /** A statement has no answer yet. */
  #isWaiting = false;
  /** Why the rest of the task cannot run. */
  #lost: DatabaseLost | null = null;
  #isClosed = false;
  /** The last statement that was sent; the next one waits for it. */
  #last: Promise<unknown> = Promise.resolve();
  #interrupting: Promise<unknown> | null = null;
  /** When the first interrupt of the task was sent; 0 = none. */
  #interruptedAt = 0;

  private constructor(options: ConnectionOptions) {
    super();
    this.#options = options;
  }

  /** @returns a connection that is made by its first statement */
  static lazy(options: ConnectionOptions): PostgresConnection {
    return new PostgresConnection(options);
  }

  /** @throws what the driver throws where the database cannot be reached */
  static async open(options: ConnectionOptions): Promise<PostgresConnection> {
    const connection = new PostgresConnection(options);
    await connection.#open();
    return connection;
  }

  override acquire(scope: ReadScope): void {
    super.acquire(scope);
    this.#lost = null;
    this.#interruptedAt = 0;
  }

  override release(): WorkEnded | null {
    if (this.#session !== null && holdsTooMuch(this.#session)) this.#end();
    return super.release();
  }

  get isOpen(): boolean {
    return this.#session !== null;
  }

  /** Number of the server's process, while there is a session. */
  get pid(): number | undefined {
    return this.#session?.pid;
  }

  /** Of the server of the session: `RECOVERED`. */
  get recovered(): string | undefined {
    return this.#session?.recovered;
  }

  /** Of the server that answers. */
  async url(): Promise<string> {
    return (this.#session ?? (await this.#open())).url;
  }

  async all<T = Row>(text: string, parameters: readonly SqlValue[] = []): Promise<T[]> {
    return (await this.#prepared(text, parameters)).rows as T[];
  }

  async get<T = Row>(text: string, parameters: readonly SqlValue[] = []): Promise<T | undefined> {
    return (await this.#prepared(text, parameters)).rows[0] as T | undefined;
  }

  /** @returns the number of changed rows */
  async run(text: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return (await this.#prepared(text, parameters)).rowCount ?? 0;
  }

  /** Runs statements in one message; never interrupted. */
  async execute(text: string): Promise<void> {
    await this.script(text);
  }

  /** The same. @returns the result of each statement */
  async script(text: string): Promise<readonly pg.QueryResult[]> {
    const results = await this.#inTurn(({ client }) => client.query(text));
    return [results].flat();
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return among(column, values);
  }

  /** Lets the server know that this process does not stall. @returns false where a statement runs */
  keepSession(): boolean {
    if (this.isRunning) return false;
    this.execute('SELECT 1').catch(() => {});
    return true;
  }

  /** Ends the session without waiting for the server, and the task with it. */
  destroy(error: unknown): void {
    this.#lost ??= new DatabaseLost(error);
    this.#interrupting = null;
    this.#socket?.destroy(timedOut('The connection is not needed any more.'));
    this.#end();
  }

  /** Waits for an answer of this connection; without one in time, the connection is lost. */
  async within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
    const late = () => this.destroy(new Error(`The server did not answer for ${milliseconds} ms.`));
    const timer = setTimeout(late, milliseconds);
    return answer.finally(() => clearTimeout(timer));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => {});
    const session = this.#session;
    this.#session = null;
    if (!session) return;
    clearInterval(session.watch);
    await Promise.race([session.client.end().catch(() => {}), pause(CLOSE_MS, undefined, { ref: false })]);
    session.socket.destroy();
  }

  protected interrupt(): void {
    const now = performance.now();
    if (this.#interruptedAt === 0) this.#interruptedAt = now;
    if (now - this.#interruptedAt > INTERRUPTED_MS)
      this.destroy(new Error('The server did not end an interrupted statement.'));
    const { interrupt } = this.#options;
    if (this.#interrupting || !interrupt || !this.#session) return;
    const interrupting = interrupt(this.#session.pid)
      .catch(() => {})
      .then(() => {
        if (this.#interrupting === interrupting) this.#interrupting = null;
      });
    this.#interrupting = interrupting;
  }

  async #prepared(text: string, parameters: readonly SqlValue[]): Promise<pg.QueryResult> {
    this.begin();
    try {
      const statement = statementText(text);
      return await this.#inTurn((session) => {
        if (this.reason !== null) throw this.reason;
        const { client, prepared } = session;
        if (!prepared.has(statement.name)) session.preparedCharacters += text.length;
        prepared.add(statement.name);
        return client.query({ ...statement, values: parameters as SqlValue[] });
      });
    } finally {
      this.end();
    }
  }

  #inTurn<T>(send: (session: Session) => Promise<T>): Promise<T> {
    const turn = this.#send(this.#last, send);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #send<T>(before: Promise<unknown>, send: (session: Session) => Promise<T>): Promise<T> {
    await before;
    // An interrupt that arrived late would end the next statement.
    if (this.#interrupting) await this.#interrupting;
    if (this.#lost) throw this.#lost;
    try {
      const session = this.#session ?? (await this.#open());
      this.#isWaiting = true;
      return await send(session);
    } catch (error) {
      if (isLost(error)) this.destroy(error);
      throw statementError(error, this.reason);
    } finally {
      this.#isWaiting = false;
    }
  }

  async #open(): Promise<Session> {
    this.#opening ??= this.#connect();
    try {
      return await this.#opening;
    } finally {
      this.#opening = null;
    }
  }

  async #connect(): Promise<Session> {
    if (this.#isClosed) throw new DatabaseLost(undefined);
    const { urls } = this.#options;
    let failure: unknown;
    for (const url of urls) {
      try {
        this.#session = await this.#connectTo(url);
        return this.#session;
      } catch (error) {
        // The error of a server that answered says more.
        if (failure === undefined || !isLost(error)) failure = error;
      }
    }
    throw failure;
  }

  async #connectTo(url: string): Promise<Session> {
    // Not loaded where the data are in SQLite.
    const { default: driver } = await import('pg');
    const socket = new Socket();
    const client = new driver.Client({
      stream: () => socket,
      connectionString: url,
      application_name: this.#options.application ?? 'headwater',
      keepAlive: true,
      types: RESULT_TYPES,
    });
    client.on('error', (error) => {
      if (this.#session?.client === client) this.destroy(error);
    });
    this.#socket = socket;
    const late = () => socket.destroy(timedOut(`There was no session after ${CONNECT_MS} ms.`));
    const timer = setTimeout(late, CONNECT_MS);
    if (this.#options.onNotification) client.on('notification', this.#options.onNotification);
    try {
      await client.connect();
      const results = await client.query(
        `${this.#options.session}; SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS is_standby, ${RECOVERED}`,
      );
      const { pid, is_standby: isStandby, recovered } = [results].flat().at(-1)?.rows[0] ?? {};
      if (isStandby === 1) throw Object.assign(new Error('The server is a standby.'), { code: READ_ONLY });
      const watch = this.#watch(socket, pid);
      return { client, socket, url, pid, recovered, prepared: new Set(), preparedCharacters: 0, watch };
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#socket = null;
    }
  }

  /**
   * Ends the session when the server does not work on a statement that has no answer: one of them does not know that the
   * connection is lost. A long statement goes on.
   */
  #watch(socket: Socket, pid: number): NodeJS.Timeout {
    const { isWorking = async () => true } = this.#options;
    let received = 0;
    let silent = 0;
    return setInterval(async () => {
      const isSilent = () => this.#isWaiting && socket.bytesRead === received;
      silent = isSilent() ? silent + 1 : 0;
      received = socket.bytesRead;
      // A statement may have been sent just now.
      if (silent !== 2) return;
      const works = await isWorking(pid).catch(() => false);
      if (works) silent = 0;
      else if (isSilent() && this.#session?.socket === socket)
        this.destroy(new Error('The server does not work on the statement.'));
    }, WATCH_MS).unref();
  }

  /** Ends the session; a running statement fails at once. */
  #end(): void {
    clearInterval(this.#session?.watch);
    this.#session?.socket.destroy();
    this.#session = null;
  }
}

function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}

function holdsTooMuch({ prepared, preparedCharacters }: Session): boolean {
  return prepared.size > PREPARED_LIMIT.statements || preparedCharacters > PREPARED_LIMIT.characters;
}
