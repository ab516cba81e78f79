import type { ProcessReport, ProcessState } from '../process-identity.ts';
import type { CommittedChanges, Storage } from '../storage/ports.ts';
import { changesByProject, FEED_LOST_MS, type FeedPosition, SequenceWaiters } from './change-feed.ts';
import type { ReadCommits } from './change-log.ts';
import type { FeedMessage, QueuedMessage } from './feed-message.ts';
import { FeedQueue } from './feed-queue.ts';

export interface FollowRequest {
  /** Random id of the gateway's process. */
  readonly gateway: string;
  /** The last commit that it has. */
  readonly after?: FeedPosition | undefined;
}

const HEARTBEAT_MS = 250;
/**
 * A heartbeat follows the next poll of the database, which takes less than this, so that what a gateway knows is not older by
 * another interval.
 */
const AFTER_POLL_MS = 20;
/** Between two heartbeats, where the poll is late. */
const SHORTEST_HEARTBEAT_MS = 50;

/** A gateway that missed more commits starts at the newest one. */
const LONGEST_REPLAY = 10_000;
/** Commits that one statement reads. */
const REPLAY_PIECE = 500;
/**
 * A gateway that has not confirmed a commit uses no cached key after `FEED_LOST_MS`. It may take the time that a heartbeat was
 * on its way for part of that.
 */
const UNCONFIRMED_MS = FEED_LOST_MS + 50;
/** The links of a gateway that confirms nothing for so long are ended, so that no further operation waits for it. */
const SILENT_MS = 10_000;

interface Gateway {
  /** Undefined until its first confirmation. */
  process: ProcessState | undefined;
  readonly links: Set<FeedQueue>;
  confirmed: number;
  /** Since when it has had something to confirm; Infinity = it has confirmed everything. */
  waitingSince: number;
  /** Set while it has no link: it uses what it has cached until then. */
  forget: NodeJS.Timeout | undefined;
}

export interface GatewayFeedOptions {
  readonly storage: Pick<Storage, 'completeUntil'>;
  readonly read: ReadCommits;
  readonly silentMilliseconds?: number | undefined;
}

/** Delivers commits to gateways in other processes, each over links of its own. */
export class GatewayFeed {
  readonly #storage: Pick<Storage, 'completeUntil'>;
  readonly #read: ReadCommits;
  readonly #silentMilliseconds: number;
  readonly #gateways = new Map<string, Gateway>();
  readonly #waiting = new SequenceWaiters();
  #newest: FeedPosition;
  /** Until then gateways that followed the core before may use what they have cached (`performance.now()`). */
  #unknownUntil = Number.NEGATIVE_INFINITY;

  /** @param newest the last commit when the store was opened */
  constructor(newest: FeedPosition, { storage, read, silentMilliseconds = SILENT_MS }: GatewayFeedOptions) {
    this.#newest = newest;
    this.#storage = storage;
    this.#read = read;
    this.#silentMilliseconds = silentMilliseconds;
  }

  /** Gateways may connect from now on; some may have followed the core before its restart. */
  open(): void {
    this.#unknownUntil = performance.now() + UNCONFIRMED_MS;
    setTimeout(() => this.#settle(), UNCONFIRMED_MS + 1).unref();
  }

  publish(changes: CommittedChanges): void {
    const { sequence, epoch, time } = changes;
    this.#newest = { sequence, epoch };
    if (this.#gateways.size === 0) return;
    this.#send({ kind: 'commit', sequence, epoch, time, changes: changesByProject(changes) });
  }

  /** Commits until the position were missed, or all data were replaced: the links start again there. */
  reset(position: FeedPosition): void {
    this.#newest = position;
    this.#send({ kind: 'start', time: performance.now(), ...position });
  }

  #send(message: QueuedMessage): void {
    const now = performance.now();
    for (const gateway of this.#gateways.values()) {
      gateway.waitingSince = Math.min(gateway.waitingSince, now);
      const isSilent = now - gateway.waitingSince > this.#silentMilliseconds;
      for (const link of gateway.links) {
        if (isSilent) link.end();
        else link.add(message);
      }
    }
  }

  /**
   * Resolves once every connected gateway has confirmed `sequence`, or after a second: a gateway without contact for so
   * long stops using its caches. Operations on projects, keys and users are answered after this, so that a replaced key
   * is invalid from then on.
   */
  confirmed(sequence: number, milliseconds = UNCONFIRMED_MS): Promise<void> {
    if (this.isConfirmed(sequence)) return Promise.resolve();
    return this.#waiting.wait(sequence, milliseconds);
  }

  /**
   * The gateway has applied all commits until `sequence`.
   *
   * @param process what the gateway is; undefined from versions before it
   */
  confirm(id: string, sequence: number, process?: ProcessState): void {
    const gateway = this.#gateways.get(id);
    if (gateway === undefined) return;
    gateway.process = process;
    gateway.confirmed = sequence;
    gateway.waitingSince = sequence >= this.#newest.sequence ? Number.POSITIVE_INFINITY : performance.now();
    this.#settle();
  }

  /** The gateways that are connected, and have confirmed something. */
  get gateways(): ProcessReport[] {
    const now = performance.now();
    return [...this.#gateways.values()].flatMap(({ process, confirmed, waitingSince }) =>
      process ? [{ ...process, sequence: confirmed, behind: Math.max(0, now - waitingSince) }] : [],
    );
  }

  /**
   * All commits after a position, then new ones as they are committed, until the reader stops.
   *
   * @param disconnect is called when the reader is too slow or confirms nothing
   * @throws Error then, and when the change log has lost its order: the gateway has to connect again
   */
  async *follow({ gateway: id, after }: FollowRequest, disconnect: () => void): AsyncGenerator<FeedMessage> {
    const queue = new FeedQueue(disconnect);
    // From now on new commits are in the queue; those until `newest` are in the log.
    const newest = this.#newest;
    const gateway = this.#connect(id, queue);
    try {
      const start = await this.#startAfter(after, newest);
      yield { kind: 'start', time: performance.now(), ...start };
      yield* this.#replay(start, newest);
      for (let next = 0; ; ) {
        yield* queue.take();
        const now = performance.now();
        if (now >= next) {
          const complete = Math.min(now, this.#storage.completeUntil);
          next = Math.max(
            now + SHORTEST_HEARTBEAT_MS,
            Math.min(now, complete + AFTER_POLL_MS) + HEARTBEAT_MS,
          );
          yield { kind: 'heartbeat', time: queue.completeUntil ?? complete, sent: now };
        }
        await queue.wait(next - performance.now());
      }
    } finally {
      this.#disconnect(id, gateway, queue);
    }
  }

  /** Where the link starts: where the gateway is, unless it missed what the log does not hold. */
  async #startAfter(after: FeedPosition | undefined, newest: FeedPosition): Promise<FeedPosition> {
    if (after?.epoch !== newest.epoch || after.sequence > newest.sequence) return newest;
    if (after.sequence === newest.sequence) return after;
    if (newest.sequence - after.sequence > LONGEST_REPLAY) return newest;
    const [first] = await this.#read(after.sequence, after.sequence + 1);
    return first === undefined ? newest : after;
  }

  async *#replay({ sequence: from, epoch }: FeedPosition, newest: FeedPosition): AsyncGenerator<FeedMessage> {
    for (let last = from; last < newest.sequence; ) {
      const commits = await this.#read(last, Math.min(last + REPLAY_PIECE, newest.sequence));
      if (this.#newest.epoch !== epoch || commits.length === 0)
        throw new Error('The change log was replaced.');
      for (const commit of commits) {
        if (commit.sequence !== last + 1) throw new Error('The change log has a gap.');
        last = commit.sequence;
        yield { kind: 'commit', ...commit };
      }
    }
  }

  #connect(id: string, queue: FeedQueue): Gateway {
    let gateway = this.#gateways.get(id);
    if (gateway === undefined) {
      gateway = { process: undefined, links: new Set(), confirmed: -1, waitingSince: 0, forget: undefined };
      this.#gateways.set(id, gateway);
    }
    clearTimeout(gateway.forget);
    // It confirms at least where the link starts.
    gateway.waitingSince = performance.now();
    gateway.links.add(queue);
    return gateway;
  }

  #disconnect(id: string, gateway: Gateway, queue: FeedQueue): void {
    gateway.links.delete(queue);
    if (gateway.links.size > 0) return;
    gateway.forget = setTimeout(() => {
      this.#gateways.delete(id);
      this.#settle();
    }, UNCONFIRMED_MS).unref();
  }

  #settle(): void {
    this.#waiting.settle((sequence) => this.isConfirmed(sequence));
  }

  /** Also what changed nothing: the sequence of such a transaction is that of the next commit. */
  isConfirmed(sequence: number): boolean {
    if (sequence > this.#newest.sequence) return true;
    if (performance.now() < this.#unknownUntil) return false;
    for (const { confirmed } of this.#gateways.values()) if (confirmed < sequence) return false;
    return true;
  }
}
