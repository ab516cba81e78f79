import type { CommitDelivery, LogPart } from './commit-delivery.ts';
import { FairQueue, type Share } from './fair-queue.ts';
import { LIST_AGAIN, listedPieces } from './listed-rows.ts';
import type { BatchedWrite, CommitState, Transaction, WriteFigures } from './ports.ts';
import { Busy, type ReadScope, shuttingDown } from './read-scope.ts';
import type { TaskConnection } from './task-connection.ts';
import { timestamp } from './timestamp.ts';
import { type Group, type GroupMarks, newGroup } from './write-group.ts';
import { LOG_COLUMNS, type Writer, WriteTransaction } from './write-transaction.ts';

/** Transactions that may share one commit: a write waits for no more than these. */
const GROUP = 64;
/** A group takes no more transactions after this time, so that a small change waits for one batch of an import at most. */
const GROUP_MS = 100;
/** Transactions that may wait: of one share, and of all shares. */
const WAITING_OF_SHARE = 2000;
const WAITING = 10_000;
/** Once a group has failed, what has waited as long is refused with it. */
const LONGEST_WAIT_MS = 5000;
/** Writers that may share a transaction. */
const BATCH = 16;
/** Writes of a share that are written alone after a transaction of several failed, so that few are done twice. */
const ALONE = 32;
/** Time that queued transactions have when the store closes. */
const LAST_MS = 500;
const INTERRUPT_AGAIN_MS = 20;

const NO_LIMITS: ReadScope = { class: 'background' };
const ANY = () => true;
const NO_CHECK = () => {};

interface Queued {
  readonly work: (tx: Transaction) => Promise<unknown>;
  readonly batched: BatchedWrite<unknown> | undefined;
  readonly check: () => void;
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The writer's connection of an adapter, and how it groups transactions. */
export interface WriteEngine extends Writer {
  readonly connection: TaskConnection;
  /**
   * Begins a group and its first transaction.
   * @returns the newest commit, with those that other processes made after `known`; undefined where no other process commits
   */
  beginGroup(known: CommitState): Promise<LogPart | undefined>;
  /** Keeps what the transaction wrote; the next one may be undone alone. */
  keepWork(): Promise<void>;
  /** Undoes what the transaction wrote; the next one can begin. */
  undoWork(): Promise<void>;
  commitGroup(marks: GroupMarks): Promise<void>;
  /** Never throws. */
  undoGroup(): Promise<void>;
  close(): Promise<void>;
}

/** Whether the caller still wants the write, whose turn has come. */
function isWanted({ check, reject }: Queued): boolean {
  try {
    check();
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}

/**
 * The one writer. Transactions run one after another, with fair turns between shares. Those that queue while one runs
 * join its commit (group commit): under load they share a sync to disk, and one that fails undoes only itself.
 */
export class WriteQueue<E extends WriteEngine> {
  readonly engine: E;
  readonly delivery: CommitDelivery;
  readonly now: () => Date;
  readonly #queue = new FairQueue<Queued>();
  /** Writes that are written alone yet, by share. */
  readonly #alone = new WeakMap<Share<Queued>, number>();
  readonly #exclusive: (() => Promise<void>)[] = [];
  #running: Promise<void> | null = null;
  /** While a commit may be visible to readers that the listeners do not have yet. */
  #committing: Promise<void> | undefined;
  #closed = false;
  #isExclusive = false;
  #refused = 0;
  readonly #counts = { begun: 0, waitMilliseconds: 0, groups: 0, lockMilliseconds: 0 };

  /** @param now the clock of transactions */
  constructor(engine: E, delivery: CommitDelivery, now: () => Date) {
    this.engine = engine;
    this.delivery = delivery;
    this.now = now;
  }

  /**
   * Runs `work` on the connection between two commits, outside any transaction. It replaces all data and returns the state
   * that the queue continues from.
   */
  runExclusive(work: (engine: E, sequence: number) => Promise<CommitState>): Promise<void> {
    if (this.#closed) return Promise.reject(shuttingDown());
    return new Promise((resolve, reject) => {
      this.#exclusive.push(async () => {
        if (this.#closed) return reject(shuttingDown());
        this.engine.connection.acquire(NO_LIMITS);
        this.#isExclusive = true;
        try {
          const replaced = await work(this.engine, this.delivery.state.sequence);
          if (replaced.sequence > this.delivery.state.sequence) this.delivery.reset(replaced);
          resolve();
        } catch (error) {
          reject(error);
        } finally {
          this.#isExclusive = false;
          this.engine.connection.release();
        }
      });
      this.#running ??= this.#drain();
    });
  }

  write<T>(
    work: (tx: Transaction) => Promise<T>,
    name = '',
    check = NO_CHECK,
    batched?: BatchedWrite<T>,
  ): Promise<T> {
    if (this.#closed) return Promise.reject(shuttingDown());
    const share = this.#queue.share(name);
    // The service's own writes are few; they have no share and no limit.
    if (name !== '' && (share.waiting.length >= WAITING_OF_SHARE || this.#queue.length >= WAITING)) {
      this.#refused++;
      return Promise.reject(new Busy());
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(share, {
        work,
        batched,
        check,
        since: performance.now(),
        resolve: resolve as (value: unknown) => void,
        reject,
      });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when the listeners have what is visible to readers now; undefined where they have it. */
  get committing(): Promise<void> | undefined {
    return this.#committing;
  }

  figures(): WriteFigures {
    const { begun, waitMilliseconds, groups, lockMilliseconds } = this.#counts;
    return {
      waiting: this.#queue.length,
      begun,
      waitSeconds: waitMilliseconds / 1000,
      groups,
      lockSeconds: lockMilliseconds / 1000,
      refused: this.#refused,
    };
  }

  /** Queued transactions have LAST_MS; then the rest is refused and the running one is undone. A restore is undone at once. */
  async close(): Promise<void> {
    this.#closed = true;
    let again: NodeJS.Timeout | undefined;
    const last = setTimeout(
      () => {
        this.#queue.remove(({ reject }) => {
          reject(shuttingDown());
          return true;
        });
        again = setInterval(() => this.engine.connection.cancel(shuttingDown()), INTERRUPT_AGAIN_MS);
      },
      this.#isExclusive ? 0 : LAST_MS,
    );
    await this.#running;
    clearTimeout(last);
    clearInterval(again);
  }

  /** Ends in the turn in which it finds the queue empty, so that no write is missed in between. */
  async #drain(): Promise<void> {
    try {
      for (;;) {
        const exclusive = this.#exclusive.shift();
        if (exclusive) await exclusive();
        else if (this.#queue.length > 0) await this.#group();
        else break;
      }
    } finally {
      this.#queue.removeIdle();
      this.#running = null;
    }
  }

  async #group(): Promise<void> {
    const { engine, delivery } = this;
    const began = performance.now();
    let { state } = delivery;
    let now = began;
    let committing = () => {};
    let group: Group = newGroup(state);
    engine.connection.acquire(NO_LIMITS);
    try {
      const unseen = await engine.beginGroup(state);
      this.#counts.groups++;
      this.#counts.lockMilliseconds += performance.now() - began;
      if (unseen) {
        delivery.deliverPart(unseen, began);
        state = unseen;
        group = newGroup(state);
      }
      for (let done = 0; done < GROUP && now - began < GROUP_MS; ) {
        const next = this.#queue.take(ANY);
        if (!next) break;
        const taken = this.#together(next.share, next.entry, GROUP - done);
        done += taken.length;
        const entries = taken.filter(isWanted);
        if (entries.length === 0) continue;
        this.#queue.begin(next.share);
        try {
          const written = await this.#runTogether(next.share, entries, group);
          this.#counts.begun += written.length;
          for (const { since } of written) this.#counts.waitMilliseconds += Math.max(0, now - since);
        } finally {
          const from = now;
          now = performance.now();
          this.#queue.end(next.share, now - from);
        }
      }
      const { committed, stamps } = group;
      await this.#logAndList(committed, group.kept);
      this.#committing = new Promise((resolve) => {
        committing = resolve;
      });
      await engine.commitGroup({ sequence: committed.at(-1)?.sequence ?? null, stamps });
    } catch (error) {
      this.#endCommit(committing);
      await engine.undoGroup();
      for (const reject of group.rejects) reject(error);
      this.#refuseLate(error, group.rejects.length === 0);
      return;
    } finally {
      engine.connection.release();
    }
    const { epoch } = state;
    const time = performance.now();
    for (const { sequence, entries, announced } of group.committed)
      delivery.deliver({ sequence, epoch, time, entries, announced: [...announced] });
    this.#endCommit(committing);
    for (const settle of group.settled) settle();
  }

  /** The entry, with those behind it that can share its transaction. */
  #together(share: Share<Queued>, first: Queued, most: number): Queued[] {
    const { batched } = first;
    const entries = [first];
    if (batched === undefined) return entries;
    const alone = this.#alone.get(share) ?? 0;
    if (alone > 0) {
      this.#alone.set(share, alone - 1);
      return entries;
    }
    const objects = new Set([batched.object]);
    const joins = (entry: Queued) => entry.batched?.key === batched.key && !objects.has(entry.batched.object);
    while (entries.length < Math.min(BATCH, most)) {
      const entry = this.#queue.takeNext(share, joins);
      if (!entry) break;
      objects.add(entry.batched?.object ?? '');
      entries.push(entry);
    }
    return entries;
  }

  /**
   * One failure must not fail the others: after it, each has a transaction of its own, in the next turns of the share.
   * @returns those that were written or refused
   */
  async #runTogether(
    share: Share<Queued>,
    entries: readonly Queued[],
    group: Group,
  ): Promise<readonly Queued[]> {
    const [first] = entries;
    if (first?.batched === undefined || entries.length === 1) {
      for (const entry of entries) await this.#runAlone(entry, group);
      return entries;
    }
    const before = group.rejects.length;
    group.rejects.push(...entries.map(({ reject }) => reject));
    const { work } = first.batched;
    const inputs = entries.map(({ batched }) => batched?.input);
    const done = await this.#run((tx) => work(tx, inputs), group);
    if ('value' in done) {
      for (const [index, { resolve }] of entries.entries())
        group.settled.push(() => resolve(done.value[index]));
      return entries;
    }
    group.rejects.splice(before);
    this.#alone.set(share, ALONE);
    this.#queue.putBack(share, entries);
    return [];
  }

  async #runAlone({ work, resolve, reject }: Queued, group: Group): Promise<void> {
    group.rejects.push(reject);
    const done = await this.#run(work, group);
    group.settled.push(() => ('value' in done ? resolve(done.value) : reject(done.error)));
  }

  /** An item gets the rows of the last transaction that lists it. */
  async #logAndList(
    committed: readonly WriteTransaction[],
    transactions: readonly WriteTransaction[],
  ): Promise<void> {
    const { engine } = this;
    const listed = new Map(transactions.flatMap((tx) => [...tx.listed]));
    let changes = committed.flatMap(({ logRows }) => logRows);
    for (const { items, rows } of listedPieces(listed)) {
      await engine.replaceListed(items, rows, changes);
      changes = [];
    }
    if (changes.length > 0) await engine.insert('change', LOG_COLUMNS, changes);
    // After that, which takes its items as listed: one of the transactions may have had the languages of before.
    const again = new Set(transactions.flatMap((tx) => [...tx.listedAgain]));
    for (const project of again) await engine.run(LIST_AGAIN, [project]);
  }

  #endCommit(resolve: () => void): void {
    this.#committing = undefined;
    resolve();
  }

  /** Refuses what has waited too long behind a group that failed, and the next transaction if none could begin. */
  #refuseLate(error: unknown, refusesNext: boolean): void {
    if (refusesNext) this.#queue.take(ANY)?.entry.reject(error);
    const now = performance.now();
    this.#queue.remove(({ since, reject }) => {
      const isLate = now - since >= LONGEST_WAIT_MS;
      if (isLate) reject(error);
      return isLate;
    });
  }

  /** @returns the error after it was undone: the next one can begin at once */
  async #run<T>(
    work: (tx: Transaction) => Promise<T>,
    group: Group,
  ): Promise<{ readonly value: T } | { readonly error: unknown }> {
    if (group.isUsed) await this.engine.keepWork();
    const sequence = group.state.sequence + group.committed.length + 1;
    const tx = new WriteTransaction(this.engine, sequence, timestamp(this.now()));
    let value: T;
    try {
      value = await work(tx);
      tx.end();
      await tx.finish();
    } catch (error) {
      // Before it is undone: what still runs of it would write into the next one.
      tx.end();
      try {
        await this.engine.undoWork();
      } catch {
        // The database itself has undone the whole group, because its disk is full or the connection is lost: report
        // that error.
        throw error;
      }
      group.isUsed = false;
      return { error };
    }
    group.isUsed = true;
    group.kept.push(tx);
    if (tx.logged) {
      for (const project of tx.stamped) group.stamps.set(project, sequence);
      group.committed.push(tx);
    }
    return { value };
  }
}
