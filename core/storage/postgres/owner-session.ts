import { createHash, randomBytes } from 'node:crypto';
import type { Duty, Owner } from '../owner.ts';
import type { PostgresConnection } from './connection.ts';
import type { Connections } from './connections.ts';

/** "HDST": key of the lock of one starting core. */
const STARTING = 0x48445354;
/** "HDRN": the lock that all running cores share, as `LOCKS` returns it. */
const RUNNING = '000000004844524e';
/** "HDEX": first half of the locks of exclusive duties. Locks of owners have the highest bit set. */
const EXCLUSIVE = '48444558';

/** Interval at which the session looks at the locks. */
const LOOK_MS = 500;
/** The server ends a session that has not looked for so long: its process stalls. Needs version 14. */
const IDLE_MS = 5000;
/** A session is given up, and its locks with it, only where the server does not answer at all. */
const ANSWER_MS = 10_000;
/** A process that lost its session has this long to make it again before others take over what it owns. */
const GRACE_MS = 2000;
/** Interval at which exclusive duties look for work that other processes caused. */
const LOOK_AGAIN_MS = 1000;

const SESSION = `SELECT set_config('idle_session_timeout', '${IDLE_MS}ms', false)
  WHERE current_setting('server_version_num')::int >= 140000`;

/** The locks with one key, 16 hexadecimal digits each. */
const LOCKS = `SELECT lpad(to_hex(classid::bigint), 8, '0') || lpad(to_hex(objid::bigint), 8, '0') AS lock,
    pid = pg_backend_pid() AS own
  FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** SQL of the number of running cores. */
export const RUNNING_CORES = `SELECT count(*) FROM (${LOCKS}) l WHERE lock = '${RUNNING}'`;

interface LockRow {
  readonly lock: string;
  readonly own: number;
}

/**
 * The session whose locks show other processes that this one lives, what it owns and which exclusive duties it has. They
 * end with the process, also by a kill. A lost session is made again with the same locks where they are free.
 */
export class OwnerSession implements Owner {
  readonly id = newOwner();
  readonly #session: PostgresConnection;
  readonly #looks: NodeJS.Timeout;
  /** By lock. */
  readonly #duties = new Map<string, SessionDuty>();
  readonly #listeners: (() => void)[] = [];
  /** Other owners, and when their locks were seen last. */
  readonly #seen = new Map<string, number>();
  /** Owners that ended. */
  readonly #gone = new Set<string>();
  #isCore = false;
  /** Sessions that had the lock of the owner. */
  #term = 0;
  /** Own locks. */
  #held: ReadonlySet<string> = new Set();
  /** The session that has them. */
  #holder: number | undefined;
  /** The server does not end the session before. */
  #validUntil = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(session: PostgresConnection) {
    this.#session = session;
    let isLooking = false;
    this.#looks = setInterval(async () => {
      if (isLooking) return;
      isLooking = true;
      await this.#look().catch(() => {});
      isLooking = false;
    }, LOOK_MS).unref();
  }

  static async open(connections: Connections): Promise<OwnerSession> {
    const opened = new OwnerSession(await connections.open(SESSION));
    await opened.#look();
    return opened;
  }

  get term(): number {
    // A session that was just made again has no locks yet.
    return this.#session.pid === this.#holder && performance.now() < this.#validUntil ? this.#term : 0;
  }

  /**
   * Runs `accept` while no other core starts. This process counts as a running core afterwards, unless it is a command.
   * @param accept its argument: other cores run
   */
  async startCore(
    connections: Connections,
    accept: (othersRun: boolean) => Promise<void>,
    { isCommand = false } = {},
  ): Promise<void> {
    // Its end releases the lock of the start.
    const starting = await connections.open(`SET lock_timeout = '10s'`);
    try {
      await starting.run('SELECT pg_advisory_lock(?)', [STARTING]);
      const locks = await this.#inTurn(() => this.#locks());
      await accept(locks.some(({ lock, own }) => lock === RUNNING && own === 0));
      if (isCommand) return;
      this.#isCore = true;
      await this.#look();
    } finally {
      await starting.close();
    }
  }

  async ended(owners: readonly string[]): Promise<ReadonlySet<string>> {
    const others = owners.filter((owner) => owner !== this.id);
    if (!others.every((owner) => this.#isSeen(owner))) await this.#inTurn(() => this.#locks());
    for (const owner of others) {
      // Where the server was restarted a moment ago, an owner that was never seen may be about to make its session again.
      if (!this.#seen.has(owner) && !this.#gone.has(owner)) this.#seen.set(owner, performance.now());
    }
    return new Set(others.filter((owner) => !this.#isSeen(owner)));
  }

  onEnded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async exclusive(name: string): Promise<Duty> {
    const lock = EXCLUSIVE + createHash('sha256').update(name).digest('hex').slice(0, 8);
    const known = this.#duties.get(lock);
    if (known) return known;
    const duty = new SessionDuty(() => (this.#held.has(lock) ? this.term : 0));
    this.#duties.set(lock, duty);
    await this.#look().catch(() => {});
    return duty;
  }

  close(): Promise<void> {
    clearInterval(this.#looks);
    return this.#session.close();
  }

  #look(): Promise<void> {
    return this.#inTurn(async () => {
      const began = performance.now();
      const locks = await this.#locks();
      const held = new Set(locks.flatMap(({ lock, own }) => (own === 1 ? lock : [])));
      const isNew = !held.has(this.id);
      const taken = new Set(locks.map(({ lock }) => lock));
      const free = [this.id, ...this.#duties.keys()].filter((lock) => !taken.has(lock));
      await this.#take(free, held);
      const wasValid = performance.now() < this.#validUntil && !isNew;
      this.#held = held;
      this.#holder = this.#session.pid;
      this.#validUntil = held.has(this.id) ? began + IDLE_MS : 0;
      if (isNew && held.has(this.id)) this.#term++;
      for (const duty of this.#duties.values()) duty.update(wasValid);
      this.#reportEnded();
    });
  }

  /** Takes locks, and adds to `held` those that it got. */
  async #take(free: readonly string[], held: Set<string>): Promise<void> {
    const calls = free.map((lock) => ({ lock, call: `pg_try_advisory_lock(${keyOf(lock)})` }));
    if (this.#isCore && !held.has(RUNNING))
      calls.push({ lock: RUNNING, call: `pg_try_advisory_lock_shared(${keyOf(RUNNING)})` });
    for (const { lock, call } of calls) {
      const row = await this.#answered(this.#session.get<{ is_held: number }>(`SELECT ${call} AS is_held`));
      if (row?.is_held === 1) held.add(lock);
    }
  }

  async #locks(): Promise<readonly LockRow[]> {
    this.#session.acquire({ class: 'background' });
    const locks = await this.#answered(this.#session.all<LockRow>(LOCKS));
    const now = performance.now();
    const isNew = !locks.some(({ lock, own }) => own === 1 && lock === this.id);
    // Where the server was restarted, others lost their sessions too.
    if (isNew) for (const owner of this.#seen.keys()) this.#seen.set(owner, now);
    for (const { lock, own } of locks) {
      if (own === 1 || !isOwner(lock)) continue;
      this.#seen.set(lock, now);
      this.#gone.delete(lock);
    }
    return locks;
  }

  #answered<T>(answer: Promise<T>): Promise<T> {
    return this.#session.within(ANSWER_MS, answer);
  }

  /** It has a session, or lost it a moment ago. */
  #isSeen(owner: string): boolean {
    const seen = this.#seen.get(owner);
    return seen !== undefined && performance.now() - seen < GRACE_MS;
  }

  #reportEnded(): void {
    const ended = [...this.#seen.keys()].filter((owner) => !this.#isSeen(owner));
    for (const owner of ended) {
      this.#seen.delete(owner);
      this.#gone.add(owner);
    }
    if (ended.length > 0) for (const listener of this.#listeners) listener();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

class SessionDuty implements Duty {
  readonly lookAgain = LOOK_AGAIN_MS;
  readonly #termNow: () => number;
  readonly #listeners: (() => void)[] = [];
  /** At the last look. */
  #wasHeld = false;

  constructor(termNow: () => number) {
    this.#termNow = termNow;
  }

  get term(): number {
    return this.#termNow();
  }

  onHeld(listener: () => void): void {
    this.#listeners.push(listener);
    if (this.term > 0) listener();
  }

  /** @param wasValid whether the term did not end since the last look */
  update(wasValid: boolean): void {
    const isHeld = this.term > 0;
    if (isHeld && !(this.#wasHeld && wasValid)) for (const listener of this.#listeners) listener();
    this.#wasHeld = isHeld;
  }
}

function newOwner(): string {
  const bytes = randomBytes(8);
  bytes[0]! |= 0x80;
  return bytes.toString('hex');
}

function isOwner(lock: string): boolean {
  return lock >= '8';
}

/** The key of a lock, as the server takes it. */
function keyOf(lock: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${lock}`));
}
