import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessReport, ProcessState } from '../process-identity.ts';
import type { CoreRegistry } from '../storage/core-registry.ts';
import type { CommittedChanges, Storage } from '../storage/ports.ts';
import { changesByProject, type FeedPosition, SequenceWaiters } from './change-feed.ts';
import type { ReadCommits } from './change-log.ts';
import type { CommitStream } from './commit-stream.ts';
import { type ConnectedGateway, ConnectedGateways, UNCONFIRMED_MS } from './connected-gateways.ts';
import type { FeedMessage } from './feed-message.ts';
import { FeedQueue } from './feed-queue.ts';
import { GatewayReports } from './gateway-reports.ts';
import { OtherCores, type PublishedCore } from './other-cores.ts';
import { InstallationReports } from './process-reports.ts';

export interface FollowRequest {
  /** Random id of the gateway's process. */
  readonly gateway: string;
  /** The last commit that it has. */
  readonly after?: FeedPosition | undefined;
  /** It reads the stream of commits, too. */
  readonly hasStream?: boolean;
  /** It answers requests for reports. */
  readonly canReport?: boolean;
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
/** A gateway that has seen more commits than this after the newest one followed another installation. */
const MOST_LOST = 1_000_000_000;
export interface GatewayFeedOptions {
  readonly storage: Pick<Storage, 'completeUntil'>;
  readonly read: ReadCommits;
  readonly silentMilliseconds?: number | undefined;
  /** What the admin API lists of this process; by default it does not list it. */
  readonly self?: (() => ProcessState) | undefined;
  readonly installation?: FeedInstallation | undefined;
  readonly stream?: CommitStream | undefined;
}

/** What the feed needs where several cores may run. */
export interface FeedInstallation {
  readonly registry: CoreRegistry;
  /** Resolves when the feed has all commits until the call. */
  readonly caughtUp: () => Promise<void> | undefined;
  /** See `Storage.renewEpoch`. */
  readonly renewEpoch: (seen: number) => Promise<void>;
  /** Whether a gateway in this process uses the commits as they are published. */
  readonly hasGateway: boolean;
  readonly failed: (error: unknown) => void;
}

/** Delivers commits to gateways in other processes, each over links of its own. */
export class GatewayFeed {
  /** What operators ask the gateways of this core for. */
  readonly reports = new GatewayReports();
  /** What they ask all processes for. */
  readonly installationReports: InstallationReports;
  readonly #storage: Pick<Storage, 'completeUntil'>;
  readonly #read: ReadCommits;
  readonly #gateways: ConnectedGateways;
  readonly #self: (() => ProcessState) | undefined;
  readonly #installation: FeedInstallation | undefined;
  readonly #others: OtherCores | undefined;
  readonly #stream: CommitStream | undefined;
  /** Names this process, as a core and as a gateway. */
  readonly #id = randomUUID();
  readonly #waiting = new SequenceWaiters();
  #newest: FeedPosition;
  #isClosed = false;
  /** Until then gateways that followed the core before may use what they have cached (`performance.now()`). */
  #unknownUntil = Number.NEGATIVE_INFINITY;

  /** @param newest the last commit when the store was opened */
  constructor(newest: FeedPosition, options: GatewayFeedOptions) {
    const { storage, read, silentMilliseconds, self, installation, stream } = options;
    this.#newest = newest;
    this.#storage = storage;
    this.#read = read;
    this.#gateways = new ConnectedGateways(() => this.#settle(), silentMilliseconds);
    this.#self = self;
    this.#installation = installation;
    this.#stream = stream;
    stream?.onConfirmed((gateway, position) => this.#confirmedInStream(gateway, position));
    this.#others =
      installation &&
      new OtherCores(
        installation.registry,
        () => this.#published(),
        () => this.#settle(),
        installation.failed,
      );
    this.installationReports = new InstallationReports(
      this.reports,
      installation?.registry,
      () => this.#others?.answering ?? 0,
    );
  }

  /** Publishes this core for others. Gateways may connect afterwards. */
  async start(): Promise<void> {
    await this.#others?.start();
  }

  /** Ends all links. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#gateways.end();
    await this.#others?.close();
  }

  /** Time (`performance.now()`) until which gateways of this core may use what they have cached. */
  get completeUntil(): number {
    const { completeUntil } = this.#storage;
    return this.#others ? Math.min(completeUntil, this.#others.validUntil) : completeUntil;
  }

  /** Gateways may connect from now on; some may have followed the core before its restart. */
  open(): void {
    this.#unknownUntil = performance.now() + UNCONFIRMED_MS;
    setTimeout(() => this.#settle(), UNCONFIRMED_MS + 1).unref();
  }

  publish(changes: CommittedChanges): void {
    const { sequence, epoch, time } = changes;
    this.#newest = { sequence, epoch };
    if (this.#installation?.hasGateway) this.#others?.advanced();
    if (this.#gateways.size === 0 && this.#stream === undefined) return;
    const commit = { sequence, epoch, time, changes: changesByProject(changes) };
    const isCarried = this.#stream?.append({ ...commit, core: this.#id }) ?? false;
    this.#gateways.send({ kind: 'commit', ...commit }, isCarried);
  }

  /** Commits until the position were missed, or all data were replaced: the links start again there. */
  reset(position: FeedPosition): void {
    this.#newest = position;
    this.#stream?.clear(position);
    this.#gateways.send({ kind: 'start', time: performance.now(), ...position }, false);
  }

  /**
   * Resolves once every gateway of the installation has confirmed `sequence`, or after a second: a gateway without contact
   * for so long stops using its caches. Operations on projects, keys and users are answered after this, so that a replaced
   * key is invalid from then on.
   */
  confirmed(sequence: number): Promise<void> {
    if (this.#others && sequence <= this.#newest.sequence)
      return this.#confirmedByAll(sequence, this.#others);
    return this.confirmedWithin(sequence, UNCONFIRMED_MS);
  }

  /** The same for the gateways that this core knows of, and for a time of its own. */
  confirmedWithin(sequence: number, milliseconds: number): Promise<void> {
    if (this.isConfirmed(sequence)) return Promise.resolve();
    return this.#waiting.wait(sequence, milliseconds);
  }

  async #confirmedByAll(sequence: number, others: OtherCores): Promise<void> {
    const ends = performance.now() + UNCONFIRMED_MS;
    const isRead = others.refresh().then(
      () => true,
      () => false,
    );
    // The database may take longer than any gateway uses its caches.
    const read = new AbortController();
    const late = pause(UNCONFIRMED_MS, false, { ref: false, signal: read.signal });
    const isKnown = await Promise.race([isRead, late]).finally(() => read.abort());
    const rest = Math.max(0, ends - performance.now());
    await (isKnown ? this.confirmedWithin(sequence, rest) : pause(rest));
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
    this.#confirmed(gateway, sequence);
  }

  #confirmedInStream(id: string, { sequence, epoch }: FeedPosition): void {
    const gateway = this.#gateways.get(id);
    if (gateway && epoch === this.#newest.epoch && sequence > gateway.confirmed)
      this.#confirmed(gateway, sequence);
  }

  #confirmed(gateway: ConnectedGateway, sequence: number): void {
    gateway.confirm(sequence, this.#newest.sequence);
    this.#settle();
    this.#others?.advanced();
  }

  /** The gateways that are connected, and have confirmed something. */
  get gateways(): ProcessReport[] {
    return this.#gateways.all.flatMap(([, { report }]) => report ?? []);
  }

  /** The cores of the installation, this one first, and their gateways, each once. */
  async processes(): Promise<ProcessReport[]> {
    await this.#others?.refresh();
    const cores = [this.#published(), ...(this.#others?.running ?? [])];
    const gateways = new Map<string, ProcessReport>();
    for (const { id, report } of cores.flatMap((core) => core.gateways))
      if (report && report.sequence > (gateways.get(id)?.sequence ?? -1)) gateways.set(id, report);
    return [...cores.flatMap(({ report }) => report ?? []), ...gateways.values()];
  }

  #published(): PublishedCore {
    const gateways = this.#gateways.all.map(([id, { report }]) => ({ id, report }));
    const confirmed = Math.min(this.#newest.sequence, this.#gateways.confirmed);
    return {
      report: this.#self && { ...this.#self(), sequence: this.#newest.sequence, behind: 0 },
      gateways: this.#installation?.hasGateway
        ? [...gateways, { id: this.#id, report: undefined }]
        : gateways,
      confirmed,
    };
  }

  /**
   * All commits after a position, then new ones as they are committed, until the reader stops.
   *
   * @param disconnect is called when the reader is too slow or confirms nothing
   * @throws Error then, and when the change log has lost its order: the gateway has to connect again
   */
  async *follow(
    { gateway: id, after, hasStream, canReport }: FollowRequest,
    disconnect: () => void,
  ): AsyncGenerator<FeedMessage> {
    const queue = new FeedQueue(disconnect, hasStream);
    const gateway = this.#gateways.connect(id);
    const forget = canReport ? this.reports.connected(id, (message) => queue.ask(message)) : undefined;
    try {
      if (this.#others) {
        // In this order; see `OtherCores`.
        await this.#others.publish();
        await this.#installation?.caughtUp();
        const lost = (after?.sequence ?? 0) - this.#newest.sequence;
        // What the gateway has cached of lost commits would be taken for newer than what follows.
        if (after && lost > 0 && lost < MOST_LOST) await this.#installation?.renewEpoch(after.sequence);
      }
      // From now on new commits are in the queue; those until `newest` are in the log.
      const newest = this.#newest;
      gateway.links.add(queue);
      const start = await this.#startAfter(after, newest);
      yield { kind: 'start', time: performance.now(), core: this.#id, ...start };
      yield* this.#replay(start, newest);
      for (let next = 0; !this.#isClosed; ) {
        yield* queue.take();
        yield* queue.takeReports();
        const now = performance.now();
        if (now >= next) {
          const complete = Math.min(now, this.#storage.completeUntil);
          next = Math.max(
            now + SHORTEST_HEARTBEAT_MS,
            Math.min(now, complete + AFTER_POLL_MS) + HEARTBEAT_MS,
          );
          yield {
            kind: 'heartbeat',
            time: Math.min(queue.completeUntil ?? complete, this.completeUntil),
            sent: now,
          };
        }
        await queue.wait(next - performance.now());
      }
    } finally {
      forget?.();
      this.#gateways.disconnect(id, gateway, queue);
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

  #settle(): void {
    this.#waiting.settle((sequence) => this.isConfirmed(sequence));
  }

  /** Also what changed nothing: the sequence of such a transaction is that of the next commit. */
  isConfirmed(sequence: number): boolean {
    if (sequence > this.#newest.sequence) return true;
    if (performance.now() < this.#unknownUntil) return false;
    if (this.#gateways.confirmed < sequence) return false;
    return this.#others?.isConfirmed(sequence, (id) => this.#gateways.has(id)) ?? true;
  }
}
