import type { CommitDelivery } from '../commit-delivery.ts';
import { ConnectionPool } from '../connection-pool.ts';
import type { Listings } from '../listings/listings.ts';
import type { PagePlan, PageResult } from '../page-plan.ts';
import { PooledReader, type ReaderParts } from '../pooled-reader.ts';
import type { CommitState, Reader, ReplicaFigures } from '../ports.ts';
import { Busy, type ReadScope } from '../read-scope.ts';
import type { PostgresConnection } from './connection.ts';
import { Connections } from './connections.ts';
import { READER_SESSION } from './reader-session.ts';
import { Servers } from './servers.ts';
import { addressOf } from './start-errors.ts';

/** Interval of the looks at a replica, while it lacks a commit, and after a failure. */
const LOOK_MS = 100;
const LOOK_SOON_MS = 20;
const LOOK_AGAIN_MS = 1000;
/** A replica that takes longer for one row serves no reads. */
const ANSWER_MS = 1000;
/** A replica that has missed a commit for so long serves no reads. */
const MOST_BEHIND_MS = 500;
/** One that has not answered for so long may stall. */
const SILENT_MS = 400;
/** A statement that takes longer is repeated on the primary. */
const STATEMENT_MS = 1000;
/** Commits within this time count as one, from the first. */
const TOGETHER_MS = 20;
/** Of those, kept for a replica that does not answer. */
const MOST_KEPT = 500;
const CONNECTIONS = 5;
const BOUNDS = { share: 1000, total: 5000, milliseconds: 1000 };

/**
 * A server that follows the primary, for plain reads of delivery. How far it is behind is known by the sequences: one that has
 * the newest commit is not behind, however long ago that was.
 */
export class Replica implements ReaderParts<PostgresConnection> {
  readonly address: string;
  readonly listings: Listings;
  readonly #connections: Connections;
  readonly #delivery: CommitDelivery;
  readonly #looker: PostgresConnection;
  readonly #pool: ConnectionPool<PostgresConnection>;
  #state: CommitState | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;
  /** When the first commit that it lacks was made; Infinity = it lacks none. */
  #lacksSince = Number.POSITIVE_INFINITY;
  /** Commits that it may lack: sequence and time, in order. */
  readonly #recent: { sequence: number; time: number }[] = [];
  #reads = 0;
  #failed = 0;
  #failure = 'it has not answered yet';
  /** Until the next look; undefined during one. */
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(
    url: string,
    connections: Connections,
    pool: ConnectionPool<PostgresConnection>,
    listings: Listings,
    delivery: CommitDelivery,
  ) {
    this.address = addressOf(url);
    this.listings = listings;
    this.#connections = connections;
    this.#pool = pool;
    this.#delivery = delivery;
    this.#looker = connections.reader('SET jit = off');
    this.#look();
  }

  /** Connects to nothing yet: a replica that is down delays no start. */
  static async open(
    url: string,
    application: string | undefined,
    listings: Listings,
    delivery: CommitDelivery,
  ): Promise<Replica> {
    const connections = Connections.lazily(new Servers(url, { acceptsStandby: true }), application);
    const pool = await ConnectionPool.open(async () => connections.reader(READER_SESSION), {
      connections: CONNECTIONS,
      bounds: BOUNDS,
    });
    return new Replica(url, connections, pool, listings, delivery);
  }

  get epoch(): string {
    return this.#delivery.state.epoch;
  }

  /** What it surely has. */
  get sequence(): number {
    return this.#state?.sequence ?? 0;
  }

  /** Milliseconds for which it has lacked a commit; undefined = not known. */
  get behind(): number | undefined {
    const now = performance.now();
    if (now - this.#seenAt > SILENT_MS || this.#state?.epoch !== this.epoch) return undefined;
    if (this.#lacksSince === Number.NEGATIVE_INFINITY) return undefined;
    return Math.max(0, now - this.#lacksSince);
  }

  get isUsable(): boolean {
    return (this.behind ?? MOST_BEHIND_MS) < MOST_BEHIND_MS;
  }

  figures(): ReplicaFigures {
    const { address, behind, isUsable } = this;
    const failure = this.#failure || 'it does not answer';
    return { address, behind, isUsable, failure, reads: this.#reads, failed: this.#failed };
  }

  pool(): ConnectionPool<PostgresConnection> {
    return this.#pool;
  }

  reader(scope: ReadScope): Reader {
    this.#reads++;
    const { statementMilliseconds } = scope;
    return new ReplicaReader(this, {
      ...scope,
      statementMilliseconds: Math.min(statementMilliseconds ?? STATEMENT_MS, STATEMENT_MS),
    });
  }

  /** A read has to be repeated on the primary. */
  failed(): void {
    this.#failed++;
  }

  committed(sequence: number, time: number): void {
    const last = this.#recent.at(-1);
    if (!last && this.#timer && this.#state) this.#lookIn(LOOK_SOON_MS);
    if (last && time - last.time < TOGETHER_MS) last.sequence = sequence;
    else this.#recent.push({ sequence, time });
    if (this.#recent.length > MOST_KEPT) {
      const [first, second] = this.#recent;
      if (first && second) this.#recent.splice(0, 2, { sequence: second.sequence, time: first.time });
    }
    this.#lacksSince = Math.min(this.#lacksSince, time);
  }

  reset(): void {
    this.#recent.length = 0;
    this.#state = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#pool.close(), this.#looker.close(), this.#connections.control.close()]);
  }

  #lookIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#isClosed ? undefined : setTimeout(() => this.#look(), milliseconds).unref();
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    const began = performance.now();
    try {
      this.#looker.acquire({ class: 'background' });
      const row = await this.#looker.within(
        ANSWER_MS,
        this.#looker.get<CommitState>('SELECT sequence, epoch FROM installation WHERE id = 1'),
      );
      this.#saw(row, began);
      this.#lookIn(this.#recent.length > 0 ? LOOK_SOON_MS : LOOK_MS);
    } catch (error) {
      this.#state = undefined;
      this.#failure = (error as Error).message;
      this.#lookIn(LOOK_AGAIN_MS);
    }
  }

  #saw(state: CommitState | undefined, began: number): void {
    this.#state = state;
    this.#seenAt = began;
    const { sequence } = this;
    const lacks = this.#recent.findIndex((commit) => commit.sequence > sequence);
    this.#recent.splice(0, lacks === -1 ? this.#recent.length : lacks);
    // It lacks commits that came before this process looked: their time is not known.
    const isOld = this.#recent.length === 0 && sequence < this.#delivery.state.sequence;
    this.#failure =
      state?.epoch !== this.epoch ? 'it has other data' : isOld ? 'it lacks earlier commits' : '';
    this.#lacksSince = isOld ? Number.NEGATIVE_INFINITY : (this.#recent[0]?.time ?? Number.POSITIVE_INFINITY);
  }
}

/** Reads that take one statement; the rest is for the primary. */
class ReplicaReader extends PooledReader<PostgresConnection> {
  override async page(plan: PagePlan): Promise<PageResult> {
    const page = await super.page(plan);
    // Here the model is an older one.
    if (page.modelChanged) throw new Busy();
    return page;
  }

  override snapshot(): Promise<never> {
    return Promise.reject(new Busy());
  }
}
