import type pg from 'pg';
import { aborted } from '../../turns/cancellation.ts';
import type { TextMatches, TextPart, TextQuery } from '../full-text.ts';
import type { ReadScope, WorkEnded } from '../read-scope.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import type { CopiedRows } from '../table-rows.ts';
import { TaskConnection } from '../task-connection.ts';
import { among } from './among.ts';
import { copyFrom } from './copy-from.ts';
import { copyTo } from './copy-to.ts';
import { codeOf, DatabaseLost, isLost, READ_ONLY, statementError } from './database-error.ts';
import { matching } from './full-text.ts';
import {
  endSession,
  openSession,
  type Session as ServerSession,
  type SessionOptions,
  timedOut,
} from './open-session.ts';
import { queryCommit } from './query-commit.ts';
import type { Servers } from './servers.ts';
import { statementText } from './statement-text.ts';
import type { Timeline } from './timeline.ts';
import { watchAnswers } from './watch-answers.ts';

/**
 * Prepared statements of a session and their characters; beyond that, the next task gets a new session. The server keeps
 * some 140 bytes for each character: 6 MB for a page with 200 conditions.
 */
const PREPARED_LIMIT = { statements: 1000, characters: 250_000 };
/** A server that has not ended a statement this long after its cancellation is lost. */
const INTERRUPTED_MS = 2000;

export interface ConnectionOptions extends SessionOptions {
  readonly servers: Servers;
  /** Its session refuses to write; by default, only a server that is not the primary does. */
  readonly onlyReads?: boolean;
  /** Interrupts the statement of a server process. */
  readonly interrupt?: (pid: number) => Promise<unknown>;
  /** Whether a server process works on a statement. @throws where that cannot be found out */
  readonly isWorking?: (pid: number) => Promise<boolean>;
}

interface Session extends ServerSession {
  /** Names of the prepared statements. */
  readonly prepared: Set<string>;
  preparedCharacters: number;
  readonly watch: NodeJS.Timeout;
  /** Gives the session up. */
  end(error: Error): void;
}

/**
 * One connection of the `pg` driver, as promises. Statements with a name are prepared once; all are sent at once and run one after another;
 * those of one turn of the event loop are one message. A connection that is lost ends its task, and is made again for the
 * next one.
 */
export class PostgresConnection extends TaskConnection implements Sql {
  readonly #options: ConnectionOptions;
  #session: Session | null = null;
  #opening: Promise<Session> | null = null;
  /** Ends the search for a server, and the session that is being made. */
  #attempt: AbortController | null = null;
  /** Statements that have no answer yet. */
  #unanswered = 0;
  /** Why the rest of the task cannot run. */
  #lost: DatabaseLost | null = null;
  #isClosed = false;
  /** Statements that are not sent yet, and when the last of them will be. */
  #unsent = 0;
  #lastSent: Promise<unknown> = Promise.resolve();
  #interrupting: Promise<unknown> | null = null;
  /** When the first interrupt of the task was sent; 0 = none. */
  #interruptedAt = 0;
  /** Why a statement was not sent: the server does not know that its transaction has failed. */
  #refusal: WorkEnded | null = null;

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
    this.#refusal = null;
  }

  override release(): WorkEnded | null {
    if (this.#session !== null && holdsTooMuch(this.#session)) this.#end();
    return super.release();
  }

  get isOpen(): boolean {
    return this.#session !== null;
  }

  /** Bytes of statements that could not be sent yet. */
  get backlog(): number {
    return this.#session?.client.connection.stream.writableLength ?? 0;
  }

  /** Number of the server's process, while there is a session. */
  get pid(): number | undefined {
    return this.#session?.pid;
  }

  get timeline(): Timeline | null {
    return this.#session?.timeline ?? null;
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

  /** The same for statements that end with COMMIT. @throws why a statement of the transaction was not sent; see `queryCommit` */
  async commit(text: string): Promise<readonly pg.QueryResult[]> {
    const results = await this.#inTurn(({ client }) => {
      if (this.#refusal) throw this.#refusal;
      return queryCommit(client, text);
    });
    return [results].flat();
  }

  /** Runs statements that undo what statements before them did. */
  async undo(text: string): Promise<void> {
    await this.script(text);
    this.#refusal = null;
  }

  /** Inserts the rows of `chunks`, in the text format of COPY. */
  async copyFrom(text: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    this.begin();
    try {
      await this.#inTurn(({ client }) => copyFrom(client, text, chunks));
    } finally {
      this.end();
    }
  }

  /** Reads the rows of `COPY … TO STDOUT` in the text format; each call of `add` has some of them, which are valid during it. */
  async copyTo(text: string, add: (copied: CopiedRows) => void): Promise<void> {
    this.begin();
    try {
      await this.#inTurn(({ client }) => copyTo(client, text, add));
    } finally {
      this.end();
    }
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return among(column, values);
  }

  matching(query: TextQuery, language: number, within?: TextPart): TextMatches {
    return matching(query, language, within);
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
    this.#attempt?.abort(timedOut('The connection is not needed any more.'));
    this.#end();
  }

  /**
   * Waits for an answer of this connection; without one in time, the connection is lost. An answer that arrived while this
   * process was busy is in time.
   */
  async within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
    const late = () => this.destroy(new Error(`The server did not answer for ${milliseconds} ms.`));
    let afterReading: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => {
      afterReading = setImmediate(late);
    }, milliseconds);
    return answer.finally(() => {
      clearTimeout(timer);
      clearImmediate(afterReading);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => {});
    const session = this.#session;
    this.#session = null;
    if (!session) return;
    clearInterval(session.watch);
    this.#options.servers.remove(session);
    await endSession(session);
  }

  protected interrupt(): void {
    const now = performance.now();
    if (this.#interruptedAt === 0) this.#interruptedAt = now;
    if (now - this.#interruptedAt > INTERRUPTED_MS)
      this.destroy(new Error('The server did not end an interrupted statement.'));
    const { interrupt } = this.#options;
    const session = this.#session;
    if (this.#interrupting || !interrupt || !session) return;
    const interrupting = interrupt(session.pid)
      // It may still arrive, and end a later statement: a COMMIT that waits for a standby would not wait any more.
      .catch((error: Error) => session.end(error))
      .then(() => {
        if (this.#interrupting === interrupting) this.#interrupting = null;
      });
    this.#interrupting = interrupting;
  }

  async #prepared(text: string, parameters: readonly SqlValue[]): Promise<pg.QueryResult> {
    this.#refusal ??= this.reason;
    this.begin();
    try {
      const statement = statementText(text);
      return await this.#inTurn((session) => {
        this.#refusal ??= this.reason;
        if (this.reason !== null) throw this.reason;
        const { client, prepared } = session;
        const { name } = statement;
        if (name !== undefined && !prepared.has(name)) {
          session.preparedCharacters += text.length;
          prepared.add(name);
        }
        return client.query({ ...statement, values: parameters as SqlValue[] });
      });
    } finally {
      this.end();
    }
  }

  /** Sends a statement behind those before it. */
  #inTurn<T>(send: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#session;
    if (this.#unsent === 0 && session && !this.#interrupting && !this.#lost) return this.#send(session, send);
    this.#unsent++;
    const sent = this.#lastSent.then(async () => {
      try {
        // An interrupt that arrived late would end the next statement.
        if (this.#interrupting) await this.#interrupting;
        if (this.#lost) throw this.#lost;
        return { answer: this.#send(this.#session ?? (await this.#opened()), send) };
      } finally {
        this.#unsent--;
      }
    });
    this.#lastSent = sent.catch(() => {});
    return sent.then(({ answer }) => answer);
  }

  async #opened(): Promise<Session> {
    try {
      return await this.#open();
    } catch (error) {
      // Also for reads: while a standby is promoted, no server accepts writes.
      throw this.#failure(error, codeOf(error) === READ_ONLY);
    }
  }

  async #send<T>(session: Session, send: (session: Session) => Promise<T>): Promise<T> {
    this.#unanswered++;
    const { stream } = session.client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    try {
      return await send(session);
    } catch (error) {
      throw this.#failure(error, codeOf(error) === READ_ONLY && !this.#options.onlyReads);
    } finally {
      this.#unanswered--;
    }
  }

  /** @param isReadOnly the server is not the primary any more */
  #failure(error: unknown, isReadOnly: boolean): unknown {
    if (isLost(error) || isReadOnly) this.destroy(error);
    return statementError(isReadOnly ? new DatabaseLost(error) : error, this.reason);
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
    const { servers } = this.#options;
    const attempt = new AbortController();
    const { signal } = attempt;
    this.#attempt = attempt;
    try {
      // A search for the primary serves other connections, too, and goes on.
      const search = servers.connect((url) => this.#connectTo(url, signal));
      const session = await Promise.race([search, aborted(signal)]);
      servers.add(session);
      this.#session = session;
      return session;
    } finally {
      this.#attempt = null;
    }
  }

  async #connectTo(url: string, signal: AbortSignal): Promise<Session> {
    const { servers } = this.#options;
    const opened = await openSession(url, this.#options, servers.connectMilliseconds, signal);
    const { client, socket, pid } = opened;
    try {
      servers.admit(opened);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    const end = (error: Error) => {
      if (this.#session?.client === client) this.destroy(error);
    };
    client.on('error', end);
    const { isWorking = async () => true } = this.#options;
    const watch = watchAnswers(
      socket,
      () => this.#unanswered > 0,
      () => isWorking(pid),
      end,
    );
    return { ...opened, prepared: new Set(), preparedCharacters: 0, watch, end };
  }

  /** Ends the session; a running statement fails at once. */
  #end(): void {
    const session = this.#session;
    if (session === null) return;
    clearInterval(session.watch);
    this.#options.servers.remove(session);
    session.socket.destroy();
    this.#session = null;
  }
}

function holdsTooMuch({ prepared, preparedCharacters }: Session): boolean {
  return prepared.size > PREPARED_LIMIT.statements || preparedCharacters > PREPARED_LIMIT.characters;
}
