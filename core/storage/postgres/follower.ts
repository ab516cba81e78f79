import type { CancelSignal } from '../../turns/cancel-signal.ts';
import type { CommitDelivery } from '../commit-delivery.ts';
import { cancelled, shuttingDown } from '../read-scope.ts';
import { type CommitLog, type LogRow, readLogSql } from './commit-log.ts';
import type { PostgresConnection } from './connection.ts';
import type { Connections } from './connections.ts';
import { DatabaseLost } from './database-error.ts';
import { mayLackCommits } from './timeline.ts';

const CHANNEL = 'headwater_commit';
/** Statement of a transaction that other processes should see soon. */
export const NOTIFY_COMMIT = `NOTIFY ${CHANNEL}; `;

/**
 * Between the begins of two polls. With 1000 ms the feed of a gateway is lost (`FEED_LOST_MS`). What a gateway knows is as
 * old as the last poll whose heartbeat has arrived: 250 ms, at most 50 until the heartbeat, and the time of the poll and of
 * the message. A heartbeat that comes without regard to polls adds up to 250 ms; 500 ms between polls would leave 250 for
 * everything else.
 */
const POLL_EVERY_MS = 250;
/** A poll that takes longer finds its connection lost. */
const POLL_MS = 2000;
/** Commits that one poll reads. */
const PIECE = 500;
/** Pauses after polls that failed. */
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
/** Longest wait for a poll that succeeds. */
const CATCH_UP_MS = 5000;
/** Once polls have failed for so long, nothing waits for the next: readers with an older answer would wait for it each time. */
const LOST_MS = 2000;

interface Waiter {
  readonly to: number | 'now';
  /** Number of the first poll that began after the call. */
  readonly poll: number;
  readonly settle: (error?: unknown) => void;
}

/**
 * Reads the commits of other processes from the change log: when one of them notifies of a commit, and at intervals, because
 * notifications are lost with a session.
 */
export class Follower {
  readonly #session: PostgresConnection;
  readonly #delivery: CommitDelivery;
  readonly #log: CommitLog;
  readonly #renew: () => Promise<void>;
  readonly #report: (failure: Error | undefined) => void;
  readonly #waiters = new Set<Waiter>();
  /** Polls that failed. */
  failures = 0;
  /** Number of the last poll that began. */
  #poll = 0;
  #running: Promise<void> | undefined;
  /** A poll has to follow the running one at once. */
  #isAwaited = false;
  /** After a failure; 0 = the last poll succeeded. */
  #pause = 0;
  /** When the first of the last polls failed that all did. */
  #failingSince = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * @param isOwn whether a process of the server is the writer of this process
   * @param renew is called where the server may lack commits
   * @param following called with the first of several failures, and with undefined when a poll succeeds again
   */
  constructor(
    connections: Connections,
    delivery: CommitDelivery,
    log: CommitLog,
    isOwn: (pid: number) => boolean,
    renew: () => Promise<void>,
    following: (failure: Error | undefined) => void,
  ) {
    this.#session = connections.lazy(
      `SET jit = off; SET enable_seqscan = off; LISTEN ${CHANNEL}`,
      ({ processId }) => {
        if (!isOwn(processId)) this.poll();
      },
    );
    this.#delivery = delivery;
    this.#log = log;
    this.#renew = renew;
    this.#report = following;
  }

  /** Begins a poll, or has one follow the running one; polls follow at intervals from then on. */
  poll(): void {
    if (this.#isClosed) return;
    if (this.#running) this.#isAwaited = true;
    else if (this.#pause === 0) this.#begin();
  }

  /** See `Storage.caughtUp`. */
  caughtUp(to: number | 'now', signal?: CancelSignal): Promise<void> | undefined {
    if (to !== 'now' && to <= this.#delivery.state.sequence) return undefined;
    if (this.#isClosed) return Promise.reject(shuttingDown());
    if (performance.now() - this.#failingSince > LOST_MS) return Promise.reject(new DatabaseLost(undefined));
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        if (error === undefined) resolve();
        else reject(error);
      };
      // A poll whose answer arrived while this process was busy is in time.
      const timer = setTimeout(() => setImmediate(settle, new DatabaseLost(undefined)), CATCH_UP_MS);
      const waiter = { to, poll: this.#poll + 1, settle };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', () => settle(cancelled()));
      if (signal?.aborted) settle(cancelled());
      else this.poll();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { settle } of this.#waiters) settle(shuttingDown());
    this.#session.destroy(shuttingDown());
    await this.#running;
    await this.#session.close();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#isAwaited = false;
    this.#poll += 1;
    const began = performance.now();
    this.#running = this.#read(began).then(
      (isComplete) => this.#ended(isComplete, began),
      (error: Error) => this.#failed(error),
    );
  }

  /** @returns whether the listeners have everything that was committed when the poll began */
  async #read(began: number): Promise<boolean> {
    const session = this.#session;
    const { state } = this.#delivery;
    const upTo = state.sequence + PIECE;
    session.acquire({ class: 'background' });
    const rows = await session.within(POLL_MS, session.all<LogRow>(POLL, [state.sequence, upTo]));
    const part = this.#log.part(rows, upTo, began);
    const timeline = rows[0]?.timeline ?? null;
    if (mayLackCommits({ sequence: part.sequence, timeline }, session.timeline, state.sequence)) {
      await this.#renew();
      return false;
    }
    return this.#delivery.deliverPart(part, began);
  }

  #ended(isComplete: boolean, began: number): void {
    this.#running = undefined;
    if (this.#pause > 0) this.#report(undefined);
    this.#pause = 0;
    this.#failingSince = Number.POSITIVE_INFINITY;
    const { sequence } = this.#delivery.state;
    for (const { to, poll, settle } of this.#waiters) {
      if ((isComplete && poll <= this.#poll) || (to !== 'now' && to <= sequence)) settle();
    }
    const isDue = !isComplete || this.#isAwaited;
    this.#next(isDue ? 0 : Math.max(0, POLL_EVERY_MS - (performance.now() - began)));
  }

  #failed(error: Error): void {
    this.#running = undefined;
    // The first failure may be that of a session which was lost before.
    for (const { poll, settle } of this.#waiters) if (poll < this.#poll) settle(new DatabaseLost(error));
    if (this.#pause === 0) this.#failingSince = performance.now();
    if (!this.#isClosed) {
      this.failures += 1;
      if (this.#pause === 0) this.#report(error);
    }
    this.#pause = Math.min(Math.max(2 * this.#pause, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#next(this.#pause * (0.75 + Math.random() / 2));
  }

  #next(milliseconds: number): void {
    if (this.#isClosed) return;
    if (milliseconds === 0) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), milliseconds).unref();
  }
}

const POLL = readLogSql('?', '?');
