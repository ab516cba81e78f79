import type { CancelSignal } from '../turns/cancel-signal.ts';
import type { CoreRegistry } from './core-registry.ts';
import type { Listings } from './listings/listings.ts';
import type { Owner } from './owner.ts';
import type { PagePlan, PageResult, StoredDocument } from './page-plan.ts';
import { PooledReader, type ReadConnection, type ReaderParts } from './pooled-reader.ts';
import type {
  BatchedWrite,
  CommitState,
  CommittedChanges,
  PageReads,
  Reader,
  ResolvedItems,
  Storage,
  StorageFigures,
  Transaction,
} from './ports.ts';
import { closeReadPools, type ReadPools } from './read-pools.ts';
import { type ReadScope, shuttingDown } from './read-scope.ts';
import type { Sql } from './sql.ts';
import type { TableDigest } from './table-rows.ts';
import type { WriteEngine, WriteQueue } from './write-queue.ts';

/** A store with read connections for each class and one writer: what the adapters share. */
export abstract class PooledStorage<C extends ReadConnection, E extends WriteEngine>
  implements Storage, ReaderParts<C>
{
  abstract readonly owner: Owner;
  readonly registry: CoreRegistry | undefined = undefined;
  readonly listings: Listings;
  protected readonly queue: WriteQueue<E>;
  /** Ends work outside the queues. */
  protected readonly closing = new AbortController();
  readonly #pools: ReadPools<C>;
  readonly #own: Reader;

  constructor(listings: Listings, queue: WriteQueue<E>, pools: ReadPools<C>) {
    this.listings = listings;
    this.queue = queue;
    this.#pools = pools;
    this.#own = this.reader({ class: 'background' });
  }

  get epoch(): string {
    return this.queue.delivery.state.epoch;
  }

  get sequence(): number {
    return this.queue.delivery.state.sequence;
  }

  get completeUntil(): number {
    return this.queue.delivery.completeUntil;
  }

  now(): Date {
    return this.queue.now();
  }

  get sql(): Sql {
    return this.#own.sql;
  }

  reader(scope: ReadScope): Reader {
    return new PooledReader(this, scope);
  }

  pool(scope: ReadScope, isStream: boolean) {
    if (!isStream) return this.#pools[scope.class];
    return scope.class === 'delivery' ? this.#pools.stream : this.#pools.export;
  }

  snapshot<T>(
    work: (sql: Sql & PageReads) => Promise<T>,
    options: { readonly stream?: boolean } = {},
  ): Promise<T> {
    return this.#own.snapshot(work, options);
  }

  page(plan: PagePlan): Promise<PageResult> {
    return this.#own.page(plan);
  }

  documents(numbers: readonly number[]): Promise<StoredDocument[]> {
    return this.#own.documents(numbers);
  }

  resolve(project: number, view: number, items: readonly number[]): Promise<ResolvedItems> {
    return this.#own.resolve(project, view, items);
  }

  write<T>(
    work: (tx: Transaction) => Promise<T>,
    share?: string,
    check?: () => void,
    batched?: BatchedWrite<T>,
  ): Promise<T> {
    return this.queue.write(work, share, check, batched);
  }

  figures(): StorageFigures {
    const pools = this.#pools;
    return {
      reads: {
        lookup: pools.lookup.figures(),
        delivery: pools.delivery.figures(),
        stream: pools.stream.figures(),
        management: pools.management.figures(),
        background: pools.background.figures(),
        export: pools.export.figures(),
      },
      writes: this.queue.figures(),
      following: undefined,
    };
  }

  onCommit(
    committed: (changes: CommittedChanges) => void,
    reset: (position: CommitState) => void = () => {},
  ): void {
    this.queue.delivery.listen(committed, reset);
  }

  abstract caughtUp(to: number | 'now', signal?: CancelSignal): Promise<void> | undefined;

  abstract startCore(
    accept: (othersRun: boolean) => Promise<void>,
    options?: { readonly isCommand?: boolean },
  ): Promise<void>;

  abstract digests(progress?: (rows: number) => void): Promise<readonly TableDigest[]>;

  abstract gatherStatistics(): Promise<void>;

  abstract load<T>(items: number, work: () => Promise<T>, indexing?: () => void): Promise<T>;

  abstract copyTo(...to: Parameters<Storage['copyTo']>): Promise<void>;

  abstract replaceWith(...copy: Parameters<Storage['replaceWith']>): ReturnType<Storage['replaceWith']>;

  async close(): Promise<void> {
    this.closing.abort(shuttingDown());
    await Promise.all([this.queue.close(), closeReadPools(this.#pools)]);
    await this.queue.engine.close();
  }
}
