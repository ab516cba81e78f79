import { setTimeout as pause } from 'node:timers/promises';
import { isTurnLong, nextTurn } from '../../turns/turn.ts';
import { type LogPart, MOST_MISSED } from '../commit-delivery.ts';
import type { CompiledRows } from '../compiled-rows.ts';
import type { TextMatches, TextPart, TextQuery, TextRow } from '../full-text.ts';
import type { ListedRows } from '../listed-rows.ts';
import type { CommitState, Numbered } from '../ports.ts';
import { type Block, type BlockChange, changeBlocksSql } from '../resolved-blocks.ts';
import type { Row, SqlValue } from '../sql.ts';
import { type GroupMarks, markSql } from '../write-group.ts';
import type { WriteEngine } from '../write-queue.ts';
import { LOG_COLUMNS } from '../write-transaction.ts';
import { among, rowsAsText } from './among.ts';
import { arrayLiteral } from './array-literal.ts';
import { type CommitLog, readLogSql } from './commit-log.ts';
import type { PostgresConnection } from './connection.ts';
import { codeOf, DatabaseLost, unknownOutcome } from './database-error.ts';
import { NOTIFY_COMMIT } from './follower.ts';
import { matching, tsvectorText } from './full-text.ts';
import { NumberBlocks } from './number-blocks.ts';
import { RECOVERED } from './open-session.ts';
import { type RenewedEpoch, renewEpoch } from './renew-epoch.ts';
import { COMPILED_TABLES } from './replace-compiled.ts';
import { vectorsOf } from './replace-listed.ts';
import type { ColumnTypes } from './row-sets.ts';
import { recordSet } from './row-sets.ts';
import { rowsText } from './rows-text.ts';
import type { TableStatistics } from './table-statistics.ts';
import { mayLackCommits, timelineText } from './timeline.ts';

/**
 * The start of the writer's sessions. A writer that stalls loses the lock of the installation, and so do all its
 * transactions; one that waits for the lock gives up. Statements with a list would be planned at each call: 0.7 ms of an
 * upsert. The default compression of long texts takes several times as long as LZ4, which version 14 and newer may have.
 * Commits tell by a warning that they do not wait for a standby. The writer keeps the counts of blocks and the lists: without
 * `headwater.blocks`, triggers delete the counts of each view that is changed, and mark what has to be listed again.
 */
export const WRITER_SESSION = `SET idle_in_transaction_session_timeout = '2s'; SET lock_timeout = '5s'; SET jit = off;
  SET client_min_messages = warning; SET headwater.blocks = on;
  SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
  SET default_transaction_isolation = 'read committed';
  SELECT set_config(name, 'lz4', false) FROM pg_settings
    WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)`;

/** Interval of signs that this process does not stall, while a transaction computes. */
const ALIVE_MS = 500;
/** Signs of one group: a transaction that waits for something else for ten seconds loses the lock. */
const ALIVE_SIGNS = 20;
/** Longer than the server lets a group wait for the lock. */
const BEGIN_MS = 7000;
const COMMIT_MS = 8000;
/** How long the outcome of a commit is looked up, and the commit with that look-up. */
const LOOK_UP_MS = 5000;
const SETTLED_MS = 10_000;
const LOOK_UP_AGAIN_MS = 100;
/**
 * A commit whose session ends, or that an administrator cancels, while it waits for a synchronous standby has happened without
 * it. This commit waits for all that came before.
 */
const WAIT_FOR_STANDBY = `SELECT pg_logical_emit_message(true, 'headwater', '')`;
/** SQLSTATE invalid_parameter_value. */
const INVALID_PARAMETER = '22023';
/** Bytes of statements on their way to the server. */
const MOST_BACKLOG = 1_000_000;
/**
 * The writer of one process. A group begins with the lock of the installation row, so that groups of all processes commit
 * one after another and sequences have no gap. In READ COMMITTED, statements after it see all earlier commits.
 */
export class PostgresWriter implements WriteEngine {
  readonly connection: PostgresConnection;
  onRenewed: (renewed: RenewedEpoch) => void = () => {};
  /** For what has to be done while the writer's connection is busy or lost. */
  readonly #control: PostgresConnection;
  readonly #types: ColumnTypes;
  readonly #log: CommitLog;
  readonly #statistics: TableStatistics;
  readonly #now: () => Date;
  readonly #numbers = new NumberBlocks();
  /** Of the data that the numbers are for. */
  #epoch = '';
  /** Sequence of the newest commit when the last group of this process began, or its own. */
  #newestCommit = 0;
  /** Number of the group's transaction in the database. */
  #transaction = '';
  /** `RECOVERED` of the server that has it. */
  #recovered: string | undefined;
  #timeline: string | null = null;
  /** The newest commit that another process has seen. */
  #seen = 0;
  #alive: NodeJS.Timeout | undefined;
  /** Ends with the last statement whose result is not waited for. */
  #last: Promise<void> = Promise.resolve();
  /** Of the first such statement of the transaction that failed. */
  #failure: { readonly error: unknown } | null = null;

  constructor(
    connection: PostgresConnection,
    control: PostgresConnection,
    types: ColumnTypes,
    log: CommitLog,
    statistics: TableStatistics,
    now: () => Date,
  ) {
    this.connection = connection;
    this.#statistics = statistics;
    this.#log = log;
    this.#now = now;
    this.#control = control;
    this.#types = types;
  }

  all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    return this.#answer(this.connection.all<T>(text, parameters));
  }

  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    return this.#answer(this.connection.get<T>(text, parameters));
  }

  runCounted(text: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.#answer(this.connection.run(text, parameters));
  }

  run(text: string, parameters?: readonly SqlValue[]): Promise<void> {
    return this.#send(this.connection.run(text, parameters));
  }

  async answered(): Promise<void> {
    await this.#last;
    if (this.#failure) throw this.#failure.error;
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return among(column, values);
  }

  rowsAsText(columns: readonly string[], from: string): string {
    return rowsAsText(columns, from);
  }

  matching(query: TextQuery, language: number, within?: TextPart): TextMatches {
    return matching(query, language, within);
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict = '',
  ): Promise<void> {
    await this.run(
      `INSERT INTO ${table} (${columns.join(', ')}) ${recordSet(this.#types, table, columns, '?')} ${conflict}`,
      [await rowsText(rows)],
    );
    this.#statistics.wrote(table, rows.length);
  }

  async replaceDocuments(
    items: readonly number[],
    views: readonly number[],
    rows: CompiledRows,
  ): Promise<void> {
    const { kept } = rows;
    const documents = kept.map(([document]) => document);
    const shown = kept.map(([, visible]) => visible);
    const parameters = [items, views, documents, shown].map(arrayLiteral);
    for (const table of COMPILED_TABLES) parameters.push(await rowsText(rows[table]));
    await this.run(`SELECT pg_temp.replace_compiled(${parameters.map(() => '?').join(', ')})`, parameters);
  }

  async changeBlocks(rows: readonly BlockChange[]): Promise<Block[]> {
    const columns = ['view', 'type', 'codename', 'count'];
    const changes = recordSet(this.#types, 'resolved_block', columns, '?');
    return this.all(changeBlocksSql(`SELECT * FROM (${changes}) c (view, type, codename, change)`), [
      await rowsText(rows),
    ]);
  }

  async replaceListed(
    items: readonly number[],
    rows: ListedRows,
    changes: readonly (readonly SqlValue[])[],
  ): Promise<void> {
    if (changes.length > 0) await this.insert('change', LOG_COLUMNS, changes);
    await this.run('SELECT pg_temp.replace_listed(?, ?, ?)', [
      arrayLiteral(items),
      await rowsText(rows.listed),
      await rowsText(vectorsOf(rows)),
    ]);
    for (const table of ['listed', 'full_text']) this.#statistics.wrote(table, rows.listed.length);
  }

  async replaceText(rows: readonly TextRow[]): Promise<void> {
    const { text, parameter } = this.among(
      'number',
      rows.map(({ number }) => number),
    );
    await this.run(`DELETE FROM full_text WHERE ${text}`, [parameter]);
    await this.insert(
      'full_text',
      ['number', 'name', 'words'],
      rows
        .filter(({ words }) => words !== '')
        .map(({ number, name, words }) => [number, tsvectorText(name), tsvectorText(words)]),
    );
  }

  numbers(table: Numbered, count: number): Promise<number> {
    return this.#numbers.take(this, table, count);
  }

  /** A process has seen a commit that the data may lack. */
  seen(sequence: number): void {
    this.#seen = Math.max(this.#seen, sequence);
  }

  /** One message. The changes have a snapshot of their own, which the lock precedes. */
  async beginGroup(known: CommitState): Promise<LogPart> {
    const { sequence } = known;
    const upTo = sequence + MOST_MISSED;
    const began = performance.now();
    const [, locked, log] = await this.connection.within(
      BEGIN_MS,
      this.connection.script(`BEGIN;
        SELECT pg_current_xact_id()::text AS transaction FROM installation WHERE id = 1 FOR UPDATE;
        ${readLogSql(sequence, upTo)};
        SAVEPOINT work`),
    );
    this.#failure = null;
    this.#transaction = locked?.rows[0]?.transaction ?? '';
    this.#recovered = this.connection.recovered;
    this.#timeline = timelineText(this.connection.timeline);
    const part = this.#log.part(log?.rows ?? [], upTo, began);
    const { timeline } = log?.rows[0] ?? {};
    if (
      mayLackCommits({ sequence: part.sequence, timeline }, this.connection.timeline, this.#newest(known))
    ) {
      await this.connection.execute('ROLLBACK');
      await this.renewEpoch(known);
      return this.beginGroup(known);
    }
    this.#keepSession();
    // The data of a restored copy may use them.
    if (part.epoch !== this.#epoch) this.#numbers.forget();
    else if (part.sequence !== this.#newestCommit) this.#numbers.forgetListed();
    this.#epoch = part.epoch;
    this.#newestCommit = part.sequence;
    return part;
  }

  /** See `renewEpoch`. */
  async renewEpoch(known: CommitState): Promise<void> {
    const { connection } = this;
    // A promoted server may wait for a standby that it has not.
    const renewed = renewEpoch(connection, this.#newest(known), this.#now(), this.onRenewed);
    await connection.within(COMMIT_MS, renewed);
  }

  #newest({ sequence }: CommitState): number {
    return Math.max(sequence, this.#seen);
  }

  keepWork(): Promise<void> {
    return this.#send(this.connection.execute('RELEASE work; SAVEPOINT work'));
  }

  async undoWork(): Promise<void> {
    await this.connection.undo('ROLLBACK TO work');
    this.#failure = null;
  }

  async commitGroup(marks: GroupMarks): Promise<void> {
    clearInterval(this.#alive);
    const began = performance.now();
    try {
      const results = await this.connection.within(
        COMMIT_MS,
        // A statement that was refused before it was sent does not abort the transaction on the server.
        this.answered().then(() =>
          this.#answer(
            this.connection.commit(
              `${markSql(marks)}${marks.sequence === null ? '' : NOTIFY_COMMIT}RELEASE work; COMMIT`,
            ),
          ),
        ),
      );
      if (results.at(-1)?.command !== 'COMMIT') throw new Error('The database did not commit.');
    } catch (error) {
      if (!(error instanceof DatabaseLost) || !(await this.#isCommitted(error, began))) throw error;
    }
    this.#newestCommit = marks.sequence ?? this.#newestCommit;
    this.#statistics.gather();
  }

  async undoGroup(): Promise<void> {
    clearInterval(this.#alive);
    // Numbers of a server that crashed may not be on its disk.
    this.#numbers.forget();
    await this.connection.execute('ROLLBACK').catch(() => {});
  }

  async close(): Promise<void> {
    await this.#statistics.close();
    await this.connection.close();
    await this.#control.close();
  }

  /** @throws the first error of the transaction: those after it say only that there was one */
  #answer<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: unknown) => {
      throw this.#failure?.error ?? error;
    });
  }

  /** Waits for the result only where much is under way. */
  async #send(answer: Promise<unknown>): Promise<void> {
    this.#last = answer.then(
      () => {},
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    if (this.connection.backlog > MOST_BACKLOG) await this.answered();
    else if (isTurnLong()) await nextTurn();
  }

  /** To compile a variant with 50,000 elements takes two seconds without a statement where the machine is busy. */
  #keepSession(): void {
    let signs = 0;
    this.#alive = setInterval(() => {
      if (signs < ALIVE_SIGNS && this.connection.keepSession()) signs++;
    }, ALIVE_MS).unref();
  }

  /**
   * Looks up whether the group's transaction was committed. A server that crashed may give the number of a transaction that
   * it lost to another one. @throws unavailable where it cannot be found out
   */
  async #isCommitted(lost: DatabaseLost, began: number): Promise<boolean> {
    const deadline = Math.min(performance.now() + LOOK_UP_MS, began + SETTLED_MS);
    while (performance.now() < deadline) {
      this.#control.acquire({ class: 'background' });
      const answer = this.#control.get<{ status: string | null; recovered: string }>(
        `SELECT pg_xact_status(?) AS status, ${RECOVERED}`,
        [this.#transaction],
      );
      const left = deadline - performance.now();
      const row = await this.#control.within(left, answer).catch((error: unknown) => {
        // The number is higher than those that the server has given: it has lost the transaction.
        return codeOf(error) === INVALID_PARAMETER ? { status: 'aborted', recovered: '' } : undefined;
      });
      if (row?.status === 'aborted') return false;
      if (row?.status === 'committed') {
        const timeline = timelineText(this.#control.timeline);
        if (row.recovered !== this.#recovered || timeline !== this.#timeline) break;
        if (await this.#isReplicated(deadline - performance.now())) return true;
      }
      await pause(LOOK_UP_AGAIN_MS);
    }
    throw unknownOutcome(lost);
  }

  #isReplicated(milliseconds: number): Promise<boolean> {
    return this.#control.within(milliseconds, this.#control.run(WAIT_FOR_STANDBY)).then(
      () => true,
      () => false,
    );
  }
}
