import { setMaxListeners } from 'node:events';
import type { CommittedChanges } from '../../storage/ports.ts';
import type { LeasedLane, Outcome, Recorded, WaitingLane } from '../lanes/lane-types.ts';
import { EVENTS_A_SEQUENCE } from '../lanes/open-lane.ts';
import { signingSecrets } from '../prepare.ts';
import type { DispatchClock } from './dispatch-clock.ts';
import { DispatchCounters, type DispatchFigures } from './dispatch-counters.ts';
import type { DispatcherOptions } from './dispatcher-options.ts';
import { DueTimes } from './due-times.ts';
import { GroupWork } from './group-work.ts';
import { Lane, type Ready } from './lane.ts';
import { LaneFinder } from './lane-finder.ts';
import { outcomeOf } from './outcome-of.ts';
import { delayAfter } from './schedule.ts';
import { Slots } from './slots.ts';

/** Over what an attempt may take, a lease lasts this much longer, ms: it is renewed with every result. */
const LEASE_BEYOND = 90_000;
/** An attempt ends so long before its lease, ms. */
const LEASE_MARGIN = 5_000;
/** What was signed longer ago is signed anew: receivers of Standard Webhooks refuse what is 5 minutes old. */
const SIGNED_FOR = 30_000;
/** Pause after the database failed, ms. */
const AFTER_FAILURE = 1000;

/**
 * Sends what the lanes hold: each in order and one at a time, side by side with all others. An attempt goes out
 * when the result of the one before it in its lane is durable; results of many lanes share a commit.
 *
 * Awake it works off one loop a lane (`#work`). At rest it has one timer if anything is due later, and asks nothing:
 * commits wake it.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #clock: DispatchClock;
  readonly #lanes = new Map<number, Lane>();
  /** Lanes whose head has to wait; `others` for those that somebody else holds. */
  readonly #due: DueTimes<Lane | 'others'>;
  readonly #finder: LaneFinder;
  readonly #slots: Slots;
  readonly #claims: GroupWork<number, { readonly leased: LeasedLane | undefined; readonly ends: number }>;
  readonly #records: GroupWork<Outcome, Recorded>;
  readonly #counters = new DispatchCounters();
  readonly #broken = new AbortController();
  readonly #idle: (() => void)[] = [];
  readonly #pauses = new Set<() => void>();
  #failedLast: unknown;
  #working = 0;
  #closed = false;

  constructor(options: DispatcherOptions) {
    const { clock, store, owner, timeout } = options;
    const leaseMs = timeout + LEASE_BEYOND;
    this.#options = options;
    // Every attempt under way listens.
    setMaxListeners(0, this.#broken.signal);
    this.#clock = clock;
    this.#due = new DueTimes(clock, (lane) =>
      lane === 'others' ? this.#finder.look('all', 0) : this.#go(lane),
    );
    this.#finder = new LaneFinder(
      store,
      (lane) => this.#found(lane),
      (error) => this.#failed(error),
      () => this.#tellIdle(),
    );
    this.#slots = new Slots(options.parallel);
    this.#claims = new GroupWork(async (numbers) => {
      const ends = clock.elapsed() + leaseMs;
      const leased = new Map((await store.claim(numbers, owner, leaseMs)).map((one) => [one.lane, one]));
      return numbers.map((number) => ({ leased: leased.get(number), ends }));
    });
    this.#records = new GroupWork(
      async (outcomes) => {
        const ends = clock.elapsed() + leaseMs;
        const recorded = await store.record(owner, leaseMs, outcomes);
        for (const { lane } of recorded) {
          const known = this.#lanes.get(lane);
          if (known) known.leaseEnds = ends;
        }
        return recorded;
      },
      (waiting) => waiting < this.#slots.taken && !this.#closed,
    );
  }

  /** Takes up whatever waits. */
  start(): void {
    this.#finder.look('all', 0);
  }

  /** To be called after each commit. Returns at once. */
  committed({
    sequence,
    entries,
    announced,
  }: Pick<CommittedChanges, 'sequence' | 'entries' | 'announced'>): void {
    for (const { project, type } of entries) {
      if (type === 'installation') this.#forgetAll();
      else if (project !== null && type === 'webhook') this.#forget(project);
    }
    for (const project of announced) this.#finder.look(project, sequence * EVENTS_A_SEQUENCE);
  }

  figures(): DispatchFigures {
    return {
      ...this.#counters.read(),
      underWay: this.#slots.taken,
      busyLanes: this.#working,
      waitingForRetry: this.#due.size,
    };
  }

  /** Resolves when nothing is under way: what is left is due later. */
  async settled(): Promise<void> {
    while (this.#working > 0 || this.#finder.isLooking)
      await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Sends nothing more, and waits for what is under way. Nothing is lost: what has no result is sent again. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#due.clear();
    this.#finder.close();
    for (const end of this.#pauses) end();
    const disarm = this.#clock.after(this.#options.drain, () => this.#broken.abort());
    await this.settled();
    disarm();
  }

  #lane({ lane: number, project }: WaitingLane): Lane {
    const known = this.#lanes.get(number);
    if (known) return known;
    const lane = new Lane(number, project);
    this.#lanes.set(number, lane);
    return lane;
  }

  #found(found: WaitingLane): void {
    if (this.#closed) return;
    const lane = this.#lane(found);
    const { due, attempts } = found;
    lane.more = true;
    // Blocked by its head, which knows its time better than the wall clock does.
    if (lane.busy || this.#due.has(lane)) return;
    const wait = due === null ? 0 : Date.parse(due) - this.#clock.now();
    if (wait <= 0) this.#go(lane);
    // Never longer than it was to wait from the start: the clock may have been set back meanwhile.
    else this.#waitUntil(lane, this.#clock.elapsed() + Math.min(wait, delayAfter(Math.max(1, attempts))));
  }

  #waitUntil(lane: Lane, elapsed: number): void {
    lane.failing = true;
    if (!this.#closed) this.#due.set(lane, elapsed);
  }

  #go(lane: Lane): void {
    if (lane.busy || this.#closed) return;
    lane.busy = true;
    this.#working++;
    void this.#work(lane)
      .catch(async (error: unknown) => {
        lane.startOver();
        await this.#failed(error);
      })
      .then(() => {
        lane.busy = false;
        this.#working--;
        // Something came in between the last look and now.
        if (lane.more && !this.#due.has(lane) && this.#lanes.get(lane.number) === lane) this.#go(lane);
        this.#tellIdle();
      });
  }

  /** Works a lane off until nothing is left or its head has to wait. */
  async #work(lane: Lane): Promise<void> {
    while (!this.#closed) {
      if (lane.stale) lane.startOver();
      const leased = await this.#lease(lane);
      if (!leased) return;
      const next = lane.ready[0] ?? (lane.more ? await this.#read(lane, leased) : undefined);
      // Its webhook was changed, or this closed, while the lane was claimed or read: nothing goes out any more.
      if (lane.stale || this.#closed || (!next && lane.more)) continue;
      if (!next) return;
      if (this.#clock.elapsed() - next.preparedAt > SIGNED_FOR) {
        lane.forget();
        continue;
      }
      const again = next.notification.attempts > 0;
      const wait = this.#slots.take(again);
      if (wait) {
        await wait;
        // Time has passed: lease and signature are looked at again.
        if (this.#closed || lane.stale || this.#isLeaseShort(lane)) {
          this.#slots.release(again);
          continue;
        }
      }
      lane.ready.shift();
      const outcome = await this.#attempt(lane, leased, next).finally(() => this.#slots.release(again));
      const ended = this.#clock.elapsed();
      const recorded = outcome && (await this.#record(outcome));
      if (!recorded) return;
      this.#tell(lane, leased, outcome, recorded);
      if (recorded.lease === 'lost') lane.startOver();
      else if (outcome.result.state === 'pending') {
        lane.forget();
        this.#waitUntil(lane, ended + delayAfter(outcome.notification.attempts + 1));
        return;
      } else if (again) {
        lane.failing = false;
        lane.forget();
      }
    }
  }

  #isLeaseShort(lane: Lane): boolean {
    return lane.leaseEnds - this.#clock.elapsed() < this.#options.timeout + LEASE_MARGIN;
  }

  async #lease(lane: Lane): Promise<LeasedLane | undefined> {
    if (lane.leased && !this.#isLeaseShort(lane)) return lane.leased;
    const { leased, ends } = await this.#claims.add(lane.number);
    if (!leased || leased.stopped) {
      // Somebody else has it and goes on with it; or nothing may be sent until its webhook is changed.
      this.#lanes.delete(lane.number);
      lane.leased = undefined;
      if (!leased) this.#lookAgain();
      return undefined;
    }
    lane.leased = leased;
    lane.leaseEnds = ends;
    return leased;
  }

  /** The one who has a lane may be dead: its lease ends. */
  #lookAgain(): void {
    if (this.#due.has('others') || this.#closed) return;
    this.#due.set('others', this.#clock.elapsed() + this.#options.timeout + LEASE_BEYOND);
  }

  async #read(lane: Lane, leased: LeasedLane): Promise<Ready | undefined> {
    const { limit } = lane;
    lane.more = false;
    const upcoming = await this.#options.store.upcoming(lane.number, limit);
    // Commits that came while it was read have set `more`.
    const woken = lane.more;
    lane.hasRead(upcoming, limit);
    lane.more ||= woken;
    const now = new Date(this.#clock.now());
    const preparedAt = this.#clock.elapsed();
    const prepared = await this.#options.prepare(
      upcoming.map(({ message, body, attempts }) => ({
        message,
        body,
        secrets: signingSecrets(leased.secrets, now, attempts, lane.newSecretAccepted),
      })),
      now,
    );
    lane.hasPrepared(upcoming, prepared, preparedAt);
    return lane.ready[0];
  }

  /** Undefined when it was broken off: nothing is known of it. */
  async #attempt(
    lane: Lane,
    leased: LeasedLane,
    { notification, prepared }: Ready,
  ): Promise<Outcome | undefined> {
    const began = this.#clock.now();
    const elapsed = this.#clock.elapsed();
    const { body, headers } = prepared;
    const parcel = { url: leased.url, headers, body: Buffer.from(body) };
    const answer = await this.#options.send(parcel, this.#broken.signal);
    if (this.#broken.signal.aborted && !answer.taken) return undefined;
    const durationMs = Math.round(this.#clock.elapsed() - elapsed);
    const outcome = outcomeOf(lane.number, notification, body, answer, { began, durationMs });
    this.#counters.attempted(outcome, this.#clock.now());
    return outcome;
  }

  /** Durable when it resolves; a database that fails is asked until it does not. Undefined: closed before that. */
  async #record(outcome: Outcome): Promise<Recorded | undefined> {
    for (;;) {
      try {
        return await this.#records.add(outcome);
      } catch (error) {
        const pause = this.#failed(error);
        if (this.#closed) return undefined;
        await pause;
      }
    }
  }

  #tell(lane: Lane, leased: LeasedLane, outcome: Outcome, recorded: Recorded): void {
    const taken = outcome.result.state === 'delivered';
    // Which of two secrets signed first goes by turns, see `signingSecrets`.
    if (taken && leased.secrets.previous !== null && outcome.notification.attempts % 2 === 1)
      lane.newSecretAccepted = true;
    this.#options.told?.({ ...recorded, webhook: leased.webhook, project: leased.project, taken });
  }

  /** A webhook of the project was changed: what is known of its lanes is read anew. */
  #forget(project: number): void {
    for (const lane of this.#lanes.values()) if (lane.project === project) this.#forgetLane(lane);
    this.#finder.look(project, 0);
  }

  #forgetAll(): void {
    for (const lane of this.#lanes.values()) this.#forgetLane(lane);
    this.#finder.look('all', 0);
  }

  #forgetLane(lane: Lane): void {
    if (lane.busy) lane.stale = true;
    else {
      this.#due.delete(lane);
      this.#lanes.delete(lane.number);
    }
  }

  /** Lanes that fail together fail of the same thing: a full disk is told once a second, not by each of them. */
  #failed(error: unknown): Promise<void> {
    if (error !== this.#failedLast) this.#options.failed(error);
    this.#failedLast = error;
    return this.#pause();
  }

  /** Ends at once when closed. */
  #pause(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const disarm = this.#clock.after(AFTER_FAILURE, () => end());
      const end = () => {
        disarm();
        this.#pauses.delete(end);
        resolve();
      };
      this.#pauses.add(end);
    });
  }

  #tellIdle(): void {
    if (this.#working > 0 || this.#finder.isLooking) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
