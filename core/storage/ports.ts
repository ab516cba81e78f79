/**
 * What core asks of a database. Each adapter (`sqlite/`; others implement the same port) passes the shared
 * suite in `test/03-adapters`. SQL outside the adapters keeps to what SQLite and PostgreSQL both run:
 * `?` placeholders, no dialect functions; everything that needs dialect is a method here.
 */

import type { CompiledRows } from './compiled-rows.ts';
import type { DocumentRow, PagePlan, PageResult, StoredDocument } from './page-plan.ts';
import type { ReadClass, ReadFigures, ReadScope } from './read-scope.ts';
import type { Sql, SqlValue } from './sql.ts';

/** Tables whose rows get their numbers from the store. */
export type Numbered =
  | 'project'
  | 'language'
  | 'content_type'
  | 'snippet'
  | 'taxonomy'
  | 'field'
  | 'item'
  | 'variant'
  | 'version'
  | 'asset'
  | 'document'
  | 'webhook_lane'
  | 'webhook_notification';

/** What a transaction tells the change log; see `changes/`. */
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
  run(text: string, parameters?: readonly SqlValue[]): Promise<number>;
  /** Inserts any number of rows in one go; values in the order of `columns`. */
  insert(table: string, columns: readonly string[], rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** The same, and rows whose key is there already get the new values. */
  upsert(
    table: string,
    key: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<void>;
  /**
   * Replaces all that is compiled of `items`: their documents with index rows and uses, and what `views`
   * resolve them to.
   */
  replaceDocuments(items: readonly number[], views: readonly number[], rows: CompiledRows): Promise<void>;
  /** Takes `count` fresh numbers; answers the first. */
  numbers(table: Numbered, count?: number): Promise<number>;
  /** Sets the project's sequence to this one as of the commit. */
  stamp(project: number): void;
  /** Appends to the change log; the entries of one transaction share its sequence. */
  change(entry: ChangeEntry): void;
  /** Something was appended, so there is a commit of this sequence. */
  readonly logged: boolean;
  /** Something for webhooks was written for the project; whoever sends it is told with the commit. */
  announce(project: number): void;
}

export interface CommittedChanges {
  readonly sequence: number;
  readonly epoch: string;
  readonly entries: readonly ChangeEntry[];
  /** Storage numbers of projects whose webhooks are to be told something. */
  readonly announced: readonly number[];
}

/** Reads for one scope: they wait in its queue, and end when its reason to read is gone. */
export interface Reader {
  /** Reads outside a snapshot: each statement sees the newest commit. */
  readonly sql: Sql;
  /** Of the data: another one after it was replaced. */
  readonly epoch: string;
  /**
   * Several reads over one snapshot. For delivery and management `work` may be run again from its start, when it gave way to shorter
   * reads: what it does outside, it does at its end.
   * `stream`: run once; a long walk over everything, which must not displace or occupy what short reads use.
   */
  snapshot<T>(
    work: (sql: Sql & PageReads) => Promise<T>,
    options?: { readonly stream?: boolean },
  ): Promise<T>;
  /** One page of a listing in one statement: which documents, not their bytes. */
  page(plan: PagePlan): Promise<PageResult>;
  /** Documents by number, in any order; those that were replaced since are left out. */
  documents(numbers: readonly number[]): Promise<StoredDocument[]>;
  /** The documents a view resolves items to, and the project's sequence they are true for. */
  resolve(project: number, view: number, items: readonly number[]): Promise<ResolvedItems>;
}

/** Of writes. */
export interface WriteFigures {
  readonly waiting: number;
  /** Because the queue was full. */
  readonly refused: number;
}

export interface StorageFigures {
  readonly reads: Readonly<Record<ReadClass | 'stream' | 'export', ReadFigures>>;
  readonly writes: WriteFigures;
}

/** Its own reads are of the class `background`. */
export interface Storage extends Reader {
  /**
   * A reader for one scope; costs nothing to make. Its reads throw `unavailable` when the queue of the class is full,
   * the signal fires, a statement takes too long or the store closes. The connection stays usable, its snapshot is
   * closed.
   */
  reader(scope: ReadScope): Reader;
  /**
   * Runs `work` alone among writers and makes it durable before the promise resolves; queued transactions
   * may share a commit. If `work` throws, nothing of it remains.
   * @param share whose turn it is, a project: those of one share wait for each other, and their queue is bounded
   * @throws unavailable when the queue is full, or the store closes before `work` is durable
   */
  write<T>(work: (tx: Transaction) => Promise<T>, share?: string): Promise<T>;
  /** Called after each commit that changed something, in sequence order. */
  onCommit(listener: (changes: CommittedChanges) => void): void;
  /** Writes the whole store as of one moment into a new file, while others read and write; it is on the disk then. */
  copyTo(file: string): Promise<void>;
  /**
   * Puts what a copy holds in the place of everything there is, in one commit, under a new epoch. A copy of an
   * older version is brought up to date first, in place.
   * @param check looks at the copy before anything changes
   * @throws StorageStartError for a file that is no copy, is damaged or newer
   */
  replaceWith(file: string, check?: (copy: Sql) => Promise<void>): Promise<void>;
  figures(): StorageFigures;
  /**
   * Interrupts what reads. Transactions that are queued have a moment to be done; then the rest is refused and what
   * runs is undone.
   */
  close(): Promise<void>;
}

/** Reads of the compiled side in steps, where one statement does not do: deep links, projection, streams. */
export interface PageReads {
  /** Numbers of the items of the listing in order, from `plan.skip`, at most `plan.limit`. */
  items(plan: PagePlan): Promise<number[]>;
  count(plan: PagePlan): Promise<number>;
  /** What the plan is estimated to cost, in the units of `query-cost.ts`; refuses nothing. */
  cost(plan: PagePlan): Promise<number>;
  /** Documents the view resolves for the items, in the order given; items without one are left out. */
  documents(view: number, items: readonly number[]): Promise<DocumentRow[]>;
  /**
   * The bodies of the same as ready bytes, joined by commas. `components` holds those of all the documents; `count`
   * is how many documents there were.
   */
  joined(view: number, items: readonly number[]): Promise<JoinedDocuments>;
  /** Items of the view that the documents of `items` link to, each once. */
  linked(view: number, items: readonly number[]): Promise<number[]>;
  /** Those of the documents that are older than something they were compiled from. */
  stale(project: number, documents: readonly number[]): Promise<Set<number>>;
  /** Sequences of the project in this snapshot, and whether recompiling is under way. */
  project(project: number): Promise<{ sequence: number; modelSequence: number; pending: boolean }>;
}

export interface ResolvedItems {
  readonly sequence: number;
  /** Document by item; items the view does not have are left out. */
  readonly documents: ReadonlyMap<number, number>;
}

export interface JoinedDocuments {
  readonly count: number;
  readonly bodies: Uint8Array;
  readonly components: Uint8Array;
}
