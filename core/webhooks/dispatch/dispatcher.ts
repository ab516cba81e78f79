import { setMaxListeners } from 'node:events';
import type { CommittedChanges } from '../../storage/ports.ts';
import { signingSecrets } from '../prepare.ts';
import { EVENTS_PER_SEQUENCE } from '../queues/create-queue.ts';
import type { LeasedQueue, Outcome, RecordedAttempt, WaitingQueue } from '../queues/queue-types.ts';
import { AttemptSlots } from './attempt-slots.ts';
import { Batcher } from './batcher.ts';
import type { DispatchClock } from './dispatch-clock.ts';
import { DispatchCounters, type DispatchFigures } from './dispatch-counters.ts';
import { DispatchQueue, type Ready } from './dispatch-queue.ts';
import type { DispatcherOptions } from './dispatcher-options.ts';
import { DueTimes } from './due-times.ts';
import { FailurePauses } from './failure-pauses.ts';
import { outcomeOf } from './outcome-of.ts';
import { QueueFinder } from './queue-finder.ts';
import { QueueLeases } from './queue-leases.ts';
import { delayAfter } from './schedule.ts';

/** Pause of a queue while other processes may take it over, ms. */
const NOT_OWNER_PAUSE = 1_000;
/** Older signatures are renewed, ms: receivers of Standard Webhooks refuse signatures of 5 minutes. */
const SIGNATURE_MAX_AGE = 30_000;

/**
 * Delivers the notifications of all queues: each queue in order, one notification at a time, all queues in parallel.
 * A queue sends its next notification when the result of the one before is durable; results of many queues share a
 * commit.
 *
 * A busy queue runs one loop (`#work`). An idle dispatcher has one timer if a retry is due, and does not poll:
 * commits wake it.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #clock: DispatchClock;
  readonly #queues = new Map<number, DispatchQueue>();
  /** Queues whose head waits; `others` represents queues that another owner has leased. */
  readonly #due: DueTimes<DispatchQueue | 'others'>;
  readonly #finder: QueueFinder;
  readonly #slots: AttemptSlots;
  readonly #leases: QueueLeases;
  readonly #records: Batcher<Outcome, RecordedAttempt>;
  readonly #counters = new DispatchCounters();
  readonly #abort = new AbortController();
  readonly #idle: (() => void)[] = [];
  /** The leases of other owners have ended: all queues are claimed. */
  #claimsAll = false;
  /** Commits whose notifications wait for something. */
  #announced = 0;
  readonly #failures: FailurePauses;
  #working = 0;
  #closed = false;

  constructor(options: DispatcherOptions) {
    const { clock, store } = options;
    this.#options = options;
    // Every running attempt listens.
    setMaxListeners(0, this.#abort.signal);
    this.#clock = clock;
    this.#failures = new FailurePauses(clock, options.failed);
    this.#due = new DueTimes(clock, (queue) => {
      if (queue !== 'others') return this.#startWork(queue);
      this.#claimsAll = true;
      this.#finder.find('all', 0);
    });
    this.#finder = new QueueFinder(
      store,
      (queue) => this.#found(queue),
      (error) => this.#failures.pause(error),
      () => {
        this.#claimsAll = false;
        this.#resolveIdle();
      },
    );
    this.#slots = new AttemptSlots(options.parallel);
    this.#leases = new QueueLeases(options);
    this.#records = new Batcher(
      async (outcomes) => {
        const ends = this.#leases.nextEnd();
        const recorded = await store.record(this.#leases.length, outcomes);
        for (const { queue } of recorded) {
          const known = this.#queues.get(queue);
          if (known) known.leaseEnds = ends;
        }
        return recorded;
      },
      (waiting) => waiting < this.#slots.inUse && !this.#closed,
    );
  }

  /** Starts all queues that have something to send. */
  start(): void {
    this.#finder.find('all', 0);
  }

  /**
   * Must be called after each commit. Returns at once.
   * @param after notifications are sent once this resolves
   */
  committed(
    { sequence, entries, announced }: Pick<CommittedChanges, 'sequence' | 'entries' | 'announced'>,
    after?: Promise<void>,
  ): void {
    for (const { project, type } of entries)
      if (project !== null && type === 'webhook') this.#forget(project);
    const find = () => {
      for (const project of announced) this.#finder.find(project, sequence * EVENTS_PER_SEQUENCE);
    };
    if (after === undefined) {
      find();
      return;
    }
    this.#announced += 1;
    after.then(() => {
      this.#announced -= 1;
      find();
      this.#resolveIdle();
    });
  }

  /** Must be called when commits were missed, or all data were replaced. */
  reset(): void {
    for (const queue of this.#queues.values()) this.#forgetQueue(queue);
    this.#finder.find('all', 0);
  }

  /** Must be called when another owner has ended: its queues are free. */
  takeOver(): void {
    this.#finder.find('all', 0);
  }

  figures(): DispatchFigures {
    return {
      ...this.#counters.read(),
      underWay: this.#slots.inUse,
      busyQueues: this.#working,
      waitingForRetry: this.#due.size - Number(this.#due.has('others')),
    };
  }

  /** Resolves when no attempt is running; all other notifications are due later. */
  async settled(): Promise<void> {
    while (this.#isBusy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Starts no attempts and waits for running ones. Nothing is lost: an attempt without a result is repeated. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#due.clear();
    this.#finder.close();
    this.#failures.close();
    const cancelAbort = this.#clock.after(this.#options.drain, () => this.#abort.abort());
    await this.settled();
    cancelAbort();
  }

  #queue({ queue: number, project }: Pick<WaitingQueue, 'queue' | 'project'>): DispatchQueue {
    const known = this.#queues.get(number);
    if (known) return known;
    const queue = new DispatchQueue(number, project);
    this.#queues.set(number, queue);
    return queue;
  }

  #found(found: WaitingQueue): void {
    if (this.#closed) return;
    // That process learns of the same commits.
    if (found.isElsewhere && !this.#claimsAll) {
      this.#retryClaims();
      return;
    }
    const queue = this.#queue(found);
    const { due, attempts } = found;
    queue.more = true;
    // The due time of a blocked queue is kept by the monotonic clock.
    if (queue.busy || this.#due.has(queue)) return;
    const wait = due === null ? 0 : Date.parse(due) - this.#clock.now();
    if (wait <= 0) this.#startWork(queue);
    // Bounded by the schedule: the clock may have been set back.
    else this.#waitUntil(queue, this.#clock.elapsed() + Math.min(wait, delayAfter(Math.max(1, attempts))));
  }

  #waitUntil(queue: DispatchQueue, elapsed: number): void {
    queue.failing = true;
    if (!this.#closed) this.#due.set(queue, elapsed);
  }

  #startWork(queue: DispatchQueue): void {
    if (queue.busy || this.#closed) return;
    queue.busy = true;
    this.#working++;
    void this.#work(queue)
      .catch(async (error: unknown) => {
        queue.reset();
        await this.#failures.pause(error);
      })
      .then(() => {
        queue.busy = false;
        this.#working--;
        // A commit may have arrived after the last read.
        if (queue.more && !this.#due.has(queue) && this.#queues.get(queue.number) === queue)
          this.#startWork(queue);
        this.#resolveIdle();
      });
  }

  /** Sends until the queue is empty or its head has to wait. */
  async #work(queue: DispatchQueue): Promise<void> {
    while (!this.#closed) {
      if (queue.stale) queue.reset();
      const leased = await this.#lease(queue);
      if (!leased) return;
      const next = queue.ready[0] ?? (queue.more ? await this.#read(queue, leased) : undefined);
      // The webhook was changed or the dispatcher closed in the meantime: send nothing.
      if (queue.stale || this.#closed || (!next && queue.more)) continue;
      if (!next) return;
      if (this.#clock.elapsed() - next.preparedAt > SIGNATURE_MAX_AGE) {
        queue.forget();
        continue;
      }
      const isRetry = next.notification.attempts > 0;
      const wait = this.#slots.take(isRetry);
      if (wait) {
        await wait;
        // Lease and signature may have expired.
        if (this.#closed || queue.stale || !this.#leases.isValid(queue)) {
          this.#slots.release(isRetry);
          continue;
        }
      }
      queue.ready.shift();
      const outcome = await this.#attempt(queue, leased, next).finally(() => this.#slots.release(isRetry));
      const ended = this.#clock.elapsed();
      if (!outcome && !this.#closed) {
        // Another process may have sent it meanwhile.
        queue.reset();
        continue;
      }
      const recorded = outcome && (await this.#record(outcome));
      if (!recorded) return;
      this.#report(queue, leased, outcome, recorded);
      if (recorded.lease === 'lost') queue.reset();
      else if (outcome.result.state === 'pending') {
        queue.forget();
        this.#waitUntil(queue, ended + delayAfter(outcome.notification.attempts + 1));
        return;
      } else if (isRetry) {
        queue.failing = false;
        queue.forget();
      }
    }
  }

  async #lease(queue: DispatchQueue): Promise<LeasedQueue | undefined> {
    if (queue.leased && this.#leases.isValid(queue)) return queue.leased;
    if (!this.#leases.isOwner) {
      if (!this.#closed) this.#due.set(queue, this.#clock.elapsed() + NOT_OWNER_PAUSE);
      return undefined;
    }
    const leased = await this.#leases.claim(queue);
    if (leased && !leased.stopped) return leased;
    // Another owner has the queue, or the webhook is paused or deleted.
    this.#queues.delete(queue.number);
    queue.leased = undefined;
    if (!leased) this.#retryClaims();
    return undefined;
  }

  /** Retries claims when the lease of another owner ends: that owner may have crashed. */
  #retryClaims(): void {
    if (this.#due.has('others') || this.#closed) return;
    this.#due.set('others', this.#leases.nextEnd());
  }

  async #read(queue: DispatchQueue, leased: LeasedQueue): Promise<Ready | undefined> {
    const { limit } = queue;
    queue.more = false;
    const upcoming = await this.#options.store.upcoming(queue.number, limit);
    // Commits during the read have set `more`.
    const woken = queue.more;
    queue.onRead(upcoming, limit);
    queue.more ||= woken;
    const now = new Date(this.#clock.now());
    const preparedAt = this.#clock.elapsed();
    const prepared = await this.#options.prepare(
      upcoming.map(({ message, body, attempts }) => ({
        message,
        body,
        secrets: signingSecrets(leased.secrets, now, attempts, queue.newSecretAccepted),
      })),
      now,
    );
    queue.onPrepared(upcoming, prepared, preparedAt);
    return queue.ready[0];
  }

  /** Returns undefined for an attempt that was aborted or did not begin. */
  async #attempt(
    queue: DispatchQueue,
    leased: LeasedQueue,
    { notification, prepared }: Ready,
  ): Promise<Outcome | undefined> {
    const began = this.#clock.now();
    const elapsed = this.#clock.elapsed();
    const { body, headers } = prepared;
    const request = { url: leased.url, headers, body: Buffer.from(body) };
    let isLost = false;
    const answer = await this.#options.send(request, this.#abort.signal, () => {
      isLost = !this.#leases.isOwned(queue);
      return !isLost;
    });
    if (isLost || (this.#abort.signal.aborted && !answer.accepted)) return undefined;
    const durationMs = Math.round(this.#clock.elapsed() - elapsed);
    const outcome = outcomeOf(queue.number, notification, body, answer, { began, durationMs });
    this.#counters.attempted(outcome, this.#clock.now());
    return outcome;
  }

  /**
   * Resolves when the record is durable; retries while the database fails. Returns undefined when closed before that.
   */
  async #record(outcome: Outcome): Promise<RecordedAttempt | undefined> {
    for (;;) {
      try {
        return await this.#records.add(outcome);
      } catch (error) {
        const pause = this.#failures.pause(error);
        if (this.#closed) return undefined;
        await pause;
      }
    }
  }

  #report(queue: DispatchQueue, leased: LeasedQueue, outcome: Outcome, recorded: RecordedAttempt): void {
    const accepted = outcome.result.state === 'delivered';
    // See `signingSecrets` for the order of two secrets.
    if (accepted && leased.secrets.previous !== null && outcome.notification.attempts % 2 === 1)
      queue.newSecretAccepted = true;
    this.#options.onAttemptRecorded?.({
      ...recorded,
      webhook: leased.webhook,
      project: leased.project,
      accepted,
    });
  }

  /** Rereads the queues of a project after a change of one of its webhooks. */
  #forget(project: number): void {
    for (const queue of this.#queues.values()) if (queue.project === project) this.#forgetQueue(queue);
    this.#finder.find(project, 0);
  }

  #forgetQueue(queue: DispatchQueue): void {
    if (queue.busy) queue.stale = true;
    else {
      this.#due.delete(queue);
      this.#queues.delete(queue.number);
    }
  }

  get #isBusy(): boolean {
    return this.#working > 0 || this.#announced > 0 || this.#finder.isRunning;
  }

  #resolveIdle(): void {
    if (this.#isBusy) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
