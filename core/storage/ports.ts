/**
 * The port of core to a database. Each adapter (`sqlite/`) passes the shared suite in `test/03-adapters`. SQL outside
 * the adapters is limited to what SQLite and PostgreSQL both run: `?` placeholders, no dialect functions. What needs a
 * dialect is a method of the port.
 */

import type { CancelSignal } from '../turns/cancel-signal.ts';
import type { CompiledRows } from './compiled-rows.ts';
import type { CoreRegistry } from './core-registry.ts';
import type { TextRow } from './full-text.ts';
import type { ListedRows } from './listed-rows.ts';
import type { Owner } from './owner.ts';
import type { DocumentRow, PagePlan, PageResult, StoredDocument } from './page-plan.ts';
import type { ReadClass, ReadFigures, ReadScope } from './read-scope.ts';
import type { BlockChange } from './resolved-blocks.ts';
import type { Sql, SqlValue } from './sql.ts';
import type { StaleExtent } from './stale.ts';
import type { TableDigest } from './table-rows.ts';

/** Tables whose rows get their numbers from the store. */
export const NUMBERED_TABLES = [
  'project',
  'language',
  'content_type',
  'snippet',
  'taxonomy',
  'item',
  'variant',
  'version',
  'asset',
  'document',
  'webhook_lane',
  'webhook_notification',
  'mail',
] as const;

/** Fields have no table; they are part of their types. */
export type Numbered = (typeof NUMBERED_TABLES)[number] | 'field';

/** An entry in the change log; see `changes/`. */
export interface ChangeEntry {
  /** Storage number of the project; null = the installation. */
  readonly project: number | null;
  readonly projectId: string | null;
  /** `content_item`, `content_item_variant`, `content_type`, `taxonomy`, `asset`, `language`, `sitemap`, `project`, `key`, `user`, `snippet` */
  readonly type: string;
  /** `upsert`, `publish`, `unpublish`, `archive`, `restore`, `create`, `delete` … */
  readonly operation: string;
  /** Id of the changed object. */
  readonly object: string;
  readonly tags: readonly string[];
  readonly actor: string | null;
}

export interface Transaction extends Sql {
  /** The sequence this transaction commits under, if it changes anything. */
  readonly sequence: number;
  /** Wall-clock time of the transaction, one for all its rows: ISO with 7 fraction digits. */
  readonly now: string;
  /** SQL of the rows of a subquery as the text of one JSON array of arrays. @param from `FROM …` */
  rowsAsText(columns: readonly string[], from: string): string;
  /**
   * Runs a statement. Its error, like that of the methods below, may be thrown by a later statement, or before the commit:
   * a transaction whose statement failed ends in any case, and a result that nothing needs is not waited for.
   */
  run(text: string, parameters?: readonly SqlValue[]): Promise<unknown>;
  /** The same. @returns how many rows changed */
  runCounted(text: string, parameters?: readonly SqlValue[]): Promise<number>;
  /** Inserts any number of rows at once; values in the order of `columns`. */
  insert(table: string, columns: readonly string[], rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /**
   * The same; rows whose key exists get the new values.
   * @param changed the columns of which such rows get them, unless given all but the key; SQLite writes the indexes of these
   * alone, whatever the values are
   */
  upsert(
    table: string,
    key: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
    changed?: readonly string[],
  ): Promise<void>;
  /** Adds to the column `count` of rows; values are those of the key, then what to add. */
  addCounts(table: string, key: readonly string[], rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /**
   * Replaces everything that is compiled of `items`: their documents with index rows and uses, and which documents
   * `views` show.
   */
  replaceDocuments(items: readonly number[], views: readonly number[], rows: CompiledRows): Promise<void>;
  /** Changes the counts by which deep pages are found; after `replaceDocuments`. */
  changeBlocks(rows: readonly BlockChange[]): Promise<void>;
  /** Replaces the rows of an item in lists and in full text; they are written before the commit, or by `writeListed`. */
  list(item: number, rows: ListedRows): void;
  /** Writes the rows of the items that were listed so far, for many: what follows is computed meanwhile. */
  writeListed(): Promise<void>;
  /** Lets a job list all items of a project, also those that other transactions of the commit list. */
  listAgain(project: number): void;
  /** Replaces what full text has under the numbers of assets. */
  replaceText(rows: readonly TextRow[]): Promise<void>;
  /** Takes `count` new numbers. @returns the first */
  numbers(table: Numbered, count?: number): Promise<number>;
  /** Sets the project's sequence to that of this transaction when it commits. */
  stamp(project: number): void;
  /** Appends to the change log; the entries of one transaction share its sequence. */
  change(entry: ChangeEntry): void;
  /** A change was appended, so there will be a commit of this sequence. */
  readonly logged: boolean;
  /** Events for webhooks of the project were written; the commit announces them to the dispatcher. */
  announce(project: number): void;
}

/**
 * A write that may share a transaction with others that wait, and so its statements. Where that transaction fails, nothing of
 * it remains and each is written alone.
 */
export interface BatchedWrite<Value> {
  /** Those of one share with the same key may be written together: their `work` does the same. */
  readonly key: string;
  /** What is written; a transaction has each once. */
  readonly object: string;
  readonly input: unknown;
  /** @returns the values of the inputs, in their order */
  readonly work: (tx: Transaction, inputs: readonly unknown[]) => Promise<readonly Value[]>;
}

/** A position in the order of commits. */
export interface CommitState {
  readonly sequence: number;
  readonly epoch: string;
}

export interface CommittedChanges extends CommitState {
  /** When it was committed, or shortly before (`performance.now()`). */
  readonly time: number;
  readonly entries: readonly ChangeEntry[];
  /** Storage numbers of projects with new events for webhooks. */
  readonly announced: readonly number[];
}

/** Reads for one scope: they wait in its queue, and end when its signal fires. */
export interface Reader {
  /** Reads outside a snapshot: each statement sees the newest commit. */
  readonly sql: Sql;
  /** Random id of the data; a restore changes it. */
  readonly epoch: string;
  /**
   * Several reads over one snapshot. For delivery and management, `work` may be preempted by shorter reads and run
   * again, so it must have its side effects at its end.
   * `stream`: runs once, on connections that short reads do not use.
   */
  snapshot<T>(
    work: (sql: Sql & PageReads) => Promise<T>,
    options?: { readonly stream?: boolean },
  ): Promise<T>;
  /** One page of a listing in one statement: which documents, not their bytes. */
  page(plan: PagePlan): Promise<PageResult>;
  /** Documents by number, in any order, without those that were replaced since. */
  documents(numbers: readonly number[]): Promise<StoredDocument[]>;
  /** The documents a view shows of the items, and the project's sequence of that state. */
  resolve(project: number, view: number, items: readonly number[]): Promise<ResolvedItems>;
}

export interface WriteFigures {
  readonly waiting: number;
  /** Transactions that began, and the sum of their waits for their turn. */
  readonly begun: number;
  readonly waitSeconds: number;
  /** Groups of transactions with one commit, and how long their first statements took, which lock out other writers. */
  readonly groups: number;
  readonly lockSeconds: number;
  /** Because the queue was full. */
  readonly refused: number;
}

/** How this process follows the commits of others. */
export interface FollowingFigures {
  /** Milliseconds since the time until which the listeners have every commit. */
  readonly age: number;
  /** Reads of the change log that failed. */
  readonly failures: number;
}

/** A server that follows the primary. */
export interface ReplicaReads {
  /** All that is read is at least as new. */
  readonly sequence: number;
  reader(scope: ReadScope): Reader;
  /** A read has to be repeated on the primary. */
  failed(): void;
}

export interface ReplicaFigures {
  /** Host and port. */
  readonly address: string;
  /** Milliseconds for which it has lacked a commit; undefined = not known. */
  readonly behind: number | undefined;
  readonly isUsable: boolean;
  /** Why it is not known how far it is behind. */
  readonly failure: string;
  readonly reads: number;
  /** Those that had to be repeated on the primary. */
  readonly failed: number;
}

export interface StorageFigures {
  readonly replicas?: readonly ReplicaFigures[];
  readonly reads: Readonly<Record<ReadClass | 'stream' | 'export', ReadFigures>>;
  readonly writes: WriteFigures;
  /** Undefined where no other process commits. */
  readonly following: FollowingFigures | undefined;
}

/** Whether all pages of a copy are checked: by default; `compared` = the caller compares the rows of both ends. */
export type Integrity = 'checked' | 'compared';

/** Its own reads are of the class `background`. */
export interface Storage extends Reader {
  readonly owner: Owner;
  /** Undefined where only one core can run. */
  readonly registry: CoreRegistry | undefined;
  /**
   * A replica that is less than 500 ms behind; undefined where there is none. Reads of it throw where it cannot serve them:
   * when it is stopped, cancels a statement, has an older model, and for snapshots.
   */
  replica?(): ReplicaReads | undefined;
  /**
   * A process has seen the commit of a sequence that does not exist: gives the data a new epoch and a higher sequence.
   * Undefined where only one core can run.
   */
  renewEpoch?(seen: number): Promise<void>;
  /**
   * A reader for one scope, cheap to create. Its reads throw `unavailable` when the queue of the class is full, the
   * signal fires, a statement takes too long or the store closes.
   */
  reader(scope: ReadScope): Reader;
  /**
   * Runs `work` as the only writer and makes it durable before the promise resolves; queued transactions may share a
   * commit. If `work` throws, nothing of it remains.
   * @param share a project; writes of one share wait for each other, and their queue is bounded
   * @param check is called when the turn of `work` comes; where it throws, `work` does not begin
   * @param batched does the same as `work`, for several writers at once
   * @throws unavailable when the queue is full, or the store closes before `work` is durable
   */
  write<T>(
    work: (tx: Transaction) => Promise<T>,
    share?: string,
    check?: () => void,
    batched?: BatchedWrite<T>,
  ): Promise<T>;
  /**
   * Runs `accept` while no other core of the installation starts. If it does not throw, this core counts as running until
   * the store closes, unless it is that of a command.
   * @param accept its argument: other cores run
   */
  startCore(
    accept: (othersRun: boolean) => Promise<void>,
    options?: { readonly isCommand?: boolean },
  ): Promise<void>;
  /**
   * Calls `committed` for each commit of any process that changed something, once and in order; for those of this process
   * before `write` resolves. Calls `reset` instead where all data were replaced, or commits were missed that cannot be
   * delivered any more: what was read before is outdated.
   */
  onCommit(committed: (changes: CommittedChanges) => void, reset?: (position: CommitState) => void): void;
  /** The newest commit that the listeners have. */
  readonly sequence: number;
  /** Time (`performance.now()`) until which the listeners have every commit; Infinity where no other process commits. */
  readonly completeUntil: number;
  /**
   * Resolves when the listeners have all commits up to a sequence; `now` means all that were committed at the time of the
   * call. Undefined where they have them already. A sequence that does not exist yet is not waited for.
   * @throws unavailable where the database cannot be read in time, or the signal has fired
   */
  caughtUp(to: number | 'now', signal?: CancelSignal): Promise<void> | undefined;
  /** The wall clock that the times in the data are from: the database's, unless another one was passed. */
  now(): Date;
  /** The SQLite file that has the data, where there is one: a copy by itself while nothing is written. */
  readonly file?: string;
  /** Writes a snapshot of the whole store into a new file and flushes it; reads and writes continue meanwhile. */
  copyTo(file: string, integrity?: Integrity): Promise<void>;
  /**
   * Replaces all data by that of a copy, in one commit, under a new epoch. The admin token stays, and so does the note that
   * the sample was loaded. Migrates a copy of an older version first, in the file itself.
   * @param check runs on the copy before any data changes
   * @param progress its argument: rows so far
   * @returns for `compared`, the digests of the rows that were read; undefined where they did not pass through this process
   * @throws StartError for a file that is no copy, is damaged or newer
   */
  replaceWith(
    file: string,
    check?: (copy: Sql) => Promise<void>,
    integrity?: Integrity,
    progress?: (rows: number) => void,
  ): Promise<readonly TableDigest[] | undefined>;
  /**
   * Counts and digests of the rows of every table, over one snapshot; equal on every database for equal data. Without
   * what `replaceWith` sets: sequences, the epoch, the admin token, states of jobs.
   * @param progress its argument: rows so far
   */
  digests(progress?: (rows: number) => void): Promise<readonly TableDigest[]>;
  /**
   * Runs `work`, which writes so many items. In a command, a database that no one reads meanwhile writes its largest indexes
   * at the end of it, or of the next start where that end was not reached.
   * @param indexing is called when it begins to write them
   */
  load<T>(items: number, work: () => Promise<T>, indexing?: () => void): Promise<T>;
  /** Counts the rows of all tables, for a database whose query plans depend on that; called after an import and `replaceWith`. */
  gatherStatistics(): Promise<void>;
  figures(): StorageFigures;
  /**
   * Interrupts reads. Queued transactions have half a second; then the rest is refused and the running one is
   * undone.
   */
  close(): Promise<void>;
}

/** Reads of compiled documents step by step: for linked items in depth, projection, streams. */
export interface PageReads {
  /** Numbers of the items of the listing in order, from `plan.skip`, at most `plan.limit`. */
  items(plan: PagePlan): Promise<number[]>;
  count(plan: PagePlan): Promise<number>;
  /** Estimated cost of the plan, in the units of `query-cost.ts`; applies no limit. */
  cost(plan: PagePlan): Promise<number>;
  /** Documents that the view shows of the items, in the given order, without items that it lacks. */
  documents(view: number, items: readonly number[]): Promise<DocumentRow[]>;
  /** The same as bytes: the bodies joined by commas. */
  joined(view: number, items: readonly number[]): Promise<JoinedDocuments>;
  /**
   * `"codename":{…}` of the documents and their components, joined by commas.
   * @param bare items whose components are omitted
   */
  joinedByCodename(view: number, items: readonly number[], bare: readonly number[]): Promise<Uint8Array>;
  /** `"codename":{…}` of the components of the documents, joined by commas. */
  joinedComponents(view: number, items: readonly number[]): Promise<Uint8Array>;
  /** Items of the view that the documents of `items` link to, without repetition. */
  linked(view: number, items: readonly number[]): Promise<number[]>;
  /** Those of the documents that are older than something they were compiled from. */
  stale(project: number, documents: readonly number[]): Promise<ReadonlyMap<number, StaleExtent>>;
  /** Sequences of the project in this snapshot, and whether it has stale documents. */
  project(project: number): Promise<{ sequence: number; modelSequence: number; pending: boolean }>;
}

export interface ResolvedItems {
  readonly sequence: number;
  /** Document by item, without items that the view lacks. */
  readonly documents: ReadonlyMap<number, number>;
}

export interface JoinedDocuments {
  readonly count: number;
  readonly bodies: Uint8Array;
  /** Items whose documents have components. */
  readonly withComponents: readonly number[];
}
