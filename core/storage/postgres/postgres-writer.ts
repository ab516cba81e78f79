import { setTimeout as pause } from 'node:timers/promises';
import { jsonText } from '../../turns/json-bytes.ts';
import type { CompiledRows } from '../compiled-rows.ts';
import type { ChangeEntry, CommittedChanges, Numbered } from '../ports.ts';
import type { ReadScope, WorkEnded } from '../read-scope.ts';
import type { Row, SqlValue } from '../sql.ts';
import {
  type CommitState,
  type GroupMarks,
  type GroupStart,
  markSql,
  type WriteEngine,
} from '../write-queue.ts';
import { among } from './among.ts';
import { arrayLiteral } from './array-literal.ts';
import type { PostgresConnection } from './connection.ts';
import { DatabaseLost, unknownOutcome } from './database-error.ts';
import { COMPILED_TABLES } from './replace-compiled.ts';
import type { ColumnTypes } from './row-sets.ts';
import { recordSet } from './row-sets.ts';

/**
 * The start of the writer's sessions. A writer that stalls loses the lock of the installation, and so do all its
 * transactions; one that waits for the lock gives up. Statements with a list would be planned at each call: 0.7 ms of an
 * upsert.
 */
export const WRITER_SESSION = `SET idle_in_transaction_session_timeout = '2s'; SET lock_timeout = '5s'; SET jit = off;
  SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;
  SET default_transaction_isolation = 'read committed'`;

/** Longer than the server lets a group wait for the lock. */
const BEGIN_MS = 7000;
const COMMIT_MS = 10_000;
/** How long the outcome of a commit is looked up. */
const LOOK_UP_MS = 5000;
const LOOK_UP_AGAIN_MS = 100;
/** Numbers that are taken at once. */
const BLOCK = 50;

interface ChangeRow {
  readonly sequence: number;
  readonly project: number | null;
  readonly project_id: string | null;
  readonly type: string;
  readonly operation: string;
  readonly object: string;
  readonly tags: string;
  readonly actor: string | null;
  /** 1 = the project has events for webhooks of this sequence. */
  readonly announced: number;
}

/**
 * The writer of one process. A group begins with the lock of the installation row, so that groups of all processes commit
 * one after another and sequences have no gap. In READ COMMITTED, statements after it see all earlier commits.
 */
export class PostgresWriter implements WriteEngine {
  readonly connection: PostgresConnection;
  /** For what has to be done while the writer's connection is busy or lost. */
  readonly #control: PostgresConnection;
  readonly #types: ColumnTypes;
  /** Numbers that were taken and not given yet, by table. */
  readonly #blocks = new Map<Numbered, { next: number; readonly end: number }>();
  /** Number of the group's transaction in the database. */
  #transaction = '';

  constructor(connection: PostgresConnection, control: PostgresConnection, types: ColumnTypes) {
    this.connection = connection;
    this.#control = control;
    this.#types = types;
  }

  all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    return this.connection.all<T>(text, parameters);
  }

  get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    return this.connection.get<T>(text, parameters);
  }

  run(text: string, parameters?: readonly SqlValue[]): Promise<number> {
    return this.connection.run(text, parameters);
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return among(column, values);
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    conflict = '',
  ): Promise<void> {
    await this.connection.run(
      `INSERT INTO ${table} (${columns.join(', ')}) ${recordSet(this.#types, table, columns, '?')} ${conflict}`,
      [await rowsText(rows)],
    );
  }

  async replaceDocuments(
    items: readonly number[],
    views: readonly number[],
    rows: CompiledRows,
  ): Promise<void> {
    const parameters = [arrayLiteral(items), arrayLiteral(views)];
    for (const table of COMPILED_TABLES) parameters.push(await rowsText(rows[table]));
    await this.connection.run(
      `SELECT pg_temp.replace_compiled(${parameters.map(() => '?').join(', ')})`,
      parameters,
    );
  }

  async numbers(table: Numbered, count: number): Promise<number> {
    const block = this.#blocks.get(table);
    if (block && block.next + count - 1 <= block.end) {
      block.next += count;
      return block.next - count;
    }
    const size = Math.max(count, BLOCK);
    // The lock of the installation is held, so that no other process takes a number in between.
    const row = await this.connection.get<{ last: number }>(
      `SELECT setval('number_of_${table}', nextval('number_of_${table}') + ?) AS last`,
      [size - 1],
    );
    const end = row?.last ?? 0;
    const first = end - size + 1;
    this.#blocks.set(table, { next: first + count, end });
    return first;
  }

  acquire(scope: ReadScope): void {
    this.connection.acquire(scope);
  }

  release(): WorkEnded | null {
    return this.connection.release();
  }

  cancel(reason: WorkEnded): void {
    this.connection.cancel(reason);
  }

  /** One message. The changes have a snapshot of their own, which the lock precedes. */
  async beginGroup(known: CommitState): Promise<GroupStart> {
    const [, locked, changed] = await this.connection.within(
      BEGIN_MS,
      this.connection.script(`BEGIN;
        SELECT sequence, epoch, pg_current_xact_id()::text AS transaction FROM installation WHERE id = 1 FOR UPDATE;
        SELECT c.sequence, c.project, p.id AS project_id, c.type, c.operation, c.object, c.tags, c.actor,
          EXISTS (SELECT 1 FROM webhook_event e WHERE e.project = c.project AND e.number >= c.sequence * 1000
            AND e.number < (c.sequence + 1) * 1000) AS announced
        FROM change c LEFT JOIN project p ON p.number = c.project
        WHERE c.sequence > ${known.sequence} ORDER BY c.sequence, c.part;
        SAVEPOINT work`),
    );
    const row: (CommitState & { readonly transaction: string }) | undefined = locked?.rows[0];
    if (!row) throw new Error('no installation row');
    const { sequence, epoch } = row;
    this.#transaction = row.transaction;
    return { sequence, epoch, unseen: commitsOf(changed?.rows ?? [], epoch) };
  }

  keepWork(): Promise<void> {
    return this.connection.execute('RELEASE work; SAVEPOINT work');
  }

  undoWork(): Promise<void> {
    return this.connection.execute('ROLLBACK TO work');
  }

  async commitGroup(marks: GroupMarks): Promise<void> {
    try {
      const results = await this.connection.within(
        COMMIT_MS,
        this.connection.script(`${markSql(marks)}RELEASE work; COMMIT`),
      );
      if (results.at(-1)?.command !== 'COMMIT') throw new Error('The database did not commit.');
    } catch (error) {
      if (!(error instanceof DatabaseLost) || !(await this.#isCommitted(error))) throw error;
    }
  }

  async undoGroup(): Promise<void> {
    // Numbers of a server that crashed may not be on its disk.
    this.#blocks.clear();
    await this.connection.execute('ROLLBACK').catch(() => {});
  }

  async close(): Promise<void> {
    await this.connection.close();
    await this.#control.close();
  }

  /** Looks up whether the group's transaction was committed. @throws unavailable where that cannot be found out */
  async #isCommitted(lost: DatabaseLost): Promise<boolean> {
    const deadline = performance.now() + LOOK_UP_MS;
    while (performance.now() < deadline) {
      this.#control.acquire({ class: 'background' });
      const answer = this.#control.get<{ status: string | null }>('SELECT pg_xact_status(?) AS status', [
        this.#transaction,
      ]);
      const left = deadline - performance.now();
      const row = await this.#control.within(left, answer).catch(() => undefined);
      if (row?.status === 'committed') return true;
      if (row?.status === 'aborted') return false;
      await pause(LOOK_UP_AGAIN_MS);
    }
    throw unknownOutcome(lost);
  }
}

/** Half of a surrogate pair, escaped. */
const HALF = /\\ud[89a-f]/i;

/** Rows as JSON. PostgreSQL refuses half a surrogate pair there; as a parameter it becomes U+FFFD, and so it does here. */
async function rowsText(rows: readonly (readonly SqlValue[])[]): Promise<string> {
  const text = await jsonText(rows);
  if (!HALF.test(text)) return text;
  const whole = (value: SqlValue) => (typeof value === 'string' ? Buffer.from(value).toString() : value);
  return jsonText(rows.map((row) => row.map(whole)));
}

/** Change rows in the order of the log, as commits. */
function commitsOf(rows: readonly ChangeRow[], epoch: string): CommittedChanges[] {
  const commits: (CommittedChanges & { entries: ChangeEntry[]; announced: number[] })[] = [];
  for (const { sequence, project_id: projectId, tags, announced, ...entry } of rows) {
    let commit = commits.at(-1);
    if (commit?.sequence !== sequence) {
      commit = { sequence, epoch, entries: [], announced: [] };
      commits.push(commit);
    }
    commit.entries.push({ ...entry, projectId, tags: JSON.parse(tags) });
    if (announced === 1 && entry.project !== null && !commit.announced.includes(entry.project))
      commit.announced.push(entry.project);
  }
  return commits;
}
