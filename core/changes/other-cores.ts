import { setTimeout as pause } from 'node:timers/promises';
import { isOlder } from '../../config/program-version.ts';
import { LastingFailure } from '../lasting-failure.ts';
import type { ProcessReport } from '../process-identity.ts';
import { type CoreRegistry, REGISTERED_MS } from '../storage/core-registry.ts';
import { CoalescedRun } from '../turns/coalesced-run.ts';
import { FEED_LOST_MS } from './change-feed.ts';

/** A gateway that follows a core. */
export interface FollowingGateway {
  readonly id: string;
  /** Undefined until its first confirmation. */
  readonly report?: ProcessReport | undefined;
}

/** A core, as it publishes itself. */
export interface PublishedCore {
  /** Undefined where the admin API does not list it. */
  readonly report: ProcessReport | undefined;
  readonly gateways: readonly FollowingGateway[];
  /** All of its gateways have the commits until here. */
  readonly confirmed: number;
}

interface OtherCore {
  readonly state: string;
  readonly gateways: readonly string[];
  confirmed: number;
  /** When it was written (`performance.now()`). */
  readonly written: number;
}

/** Interval of looks at the registry, and of writes of what changed. */
const LOOK_MS = 500;
/** What has not changed is written again after this time. */
const WRITE_AGAIN_MS = 1500;
/**
 * Its gateways may use their caches for so long after a write, and `FEED_LOST_MS` more; other cores count them until
 * `REGISTERED_MS`.
 */
const VALID_MS = REGISTERED_MS - 2500;
/** The links of a core have ended before it writes so. */
const ENDED_MS = FEED_LOST_MS + 500;
/** The first version whose cores answer questions of others; to wait for older ones takes `ASKED_MS` each time. */
const ANSWERS_FROM = '0.3.0';
/** Between two announcements. */
const ANNOUNCE_MS = 10;

/**
 * The other cores of the installation and their gateways, which commits of this core are not sent to. Each core publishes
 * itself in the registry.
 *
 * Why no gateway is missed: a core publishes a gateway before it catches up, and catches up before the gateway may use what
 * it has cached. So a commit is either part of what the gateway begins with, or it came after the gateway was published, and
 * `refresh` after the commit finds it. A core that cannot publish for `VALID_MS` has no gateway that uses its cache.
 */
export class OtherCores {
  readonly #registry: CoreRegistry;
  readonly #own: () => PublishedCore;
  readonly #changed: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #write = new CoalescedRun(() => this.#writeOwn());
  readonly #read = new CoalescedRun(() => this.#readOthers());
  #others: ReadonlyMap<string, OtherCore> = new Map();
  #timer: NodeJS.Timeout | undefined;
  readonly #failure = new LastingFailure();
  #written = { text: '', at: Number.NEGATIVE_INFINITY, gateways: new Set<string>() };
  /** The highest that was announced. */
  #announced = -1;
  #isAnnouncing = false;
  /** Whether another core lacks one of the gateways of this one. */
  #hasOwnGateways = false;

  /**
   * @param own what this core publishes
   * @param changed is called when another core has other gateways, or they have confirmed more
   */
  constructor(
    registry: CoreRegistry,
    own: () => PublishedCore,
    changed: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#registry = registry;
    this.#own = own;
    this.#changed = changed;
    this.#failed = failed;
  }

  /** Publishes this core, which gateways may follow from then on. */
  async start(): Promise<void> {
    this.#registry.listen(
      (id, confirmed) => this.#confirmed(id, confirmed),
      () => this.#refreshInBackground(),
    );
    await this.publish();
    await this.refresh();
    this.#timer = setInterval(() => {
      this.#refreshInBackground();
      if (this.#isWriteDue()) this.#inBackground(this.publish());
    }, LOOK_MS).unref();
  }

  /** Until then (`performance.now()`) other cores count the gateways of this one. */
  get validUntil(): number {
    return this.#written.at + VALID_MS;
  }

  /** Publishes this core as it is now. */
  publish(): Promise<void> {
    return this.#write.run();
  }

  /** Reads what other cores have published until now. */
  refresh(): Promise<void> {
    return this.#read.run();
  }

  /** The gateways of this core may have confirmed more. */
  advanced(): void {
    if (this.#isAnnouncing || !this.#hasOwnGateways) return;
    this.#isAnnouncing = true;
    const announcing = this.#announce().finally(() => {
      this.#isAnnouncing = false;
    });
    this.#inBackground(announcing);
  }

  /** @param isFollowing whether a gateway follows this core too, which then has its confirmations itself */
  isConfirmed(sequence: number, isFollowing: (gateway: string) => boolean): boolean {
    const now = performance.now();
    for (const { state, confirmed, gateways, written } of this.#others.values()) {
      const counts = now - written < (state === '' ? ENDED_MS : REGISTERED_MS);
      if (confirmed < sequence && counts && !gateways.every(isFollowing)) return false;
    }
    return true;
  }

  /** Those that run, and all of their gateways. */
  get running(): readonly Omit<PublishedCore, 'confirmed'>[] {
    const now = performance.now();
    return [...this.#others.values()].flatMap(({ state, written }) => {
      if (state === '') return [];
      const { report, gateways }: PublishedCore = JSON.parse(state);
      const aged = <R extends ProcessReport | undefined>(of: R) =>
        of && of.behind > 0 ? { ...of, behind: of.behind + now - written } : of;
      return [
        { report: aged(report), gateways: gateways.map((one) => ({ ...one, report: aged(one.report) })) },
      ];
    });
  }

  /** How many of those that run answer questions. */
  get answering(): number {
    return this.running.filter(({ report }) => report && !isOlder(report.version, ANSWERS_FROM)).length;
  }

  /** Its gateways count until they cannot use their caches any more. */
  async close(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const { confirmed, gateways } = this.#own();
    const ids = gateways.map(({ id }) => id);
    await this.publish().catch(() => {});
    await this.#registry.write({ state: '', gateways: ids, confirmed }).catch(() => {});
  }

  async #writeOwn(): Promise<void> {
    const at = performance.now();
    const { report, gateways, confirmed } = this.#own();
    const ids = gateways.map(({ id }) => id);
    const state = JSON.stringify({ report, gateways });
    await this.#registry.write({ state, gateways: ids, confirmed });
    this.#written = { text: `${confirmed} ${state}`, at, gateways: new Set(ids) };
    this.#compare();
  }

  #isWriteDue(): boolean {
    const { report, gateways, confirmed } = this.#own();
    const { text, at } = this.#written;
    return (
      performance.now() - at > WRITE_AGAIN_MS ||
      text !== `${confirmed} ${JSON.stringify({ report, gateways })}`
    );
  }

  async #readOthers(): Promise<void> {
    const began = performance.now();
    const found = await this.#registry.read();
    this.#others = new Map(
      found.map(({ id, state, gateways, confirmed, age }) => [
        id,
        {
          state,
          gateways,
          // An announcement may have arrived after the row was written.
          confirmed: Math.max(confirmed, this.#others.get(id)?.confirmed ?? confirmed),
          written: began - age,
        },
      ]),
    );
    this.#compare();
    this.#changed();
  }

  #compare(): void {
    const { gateways: own } = this.#written;
    this.#hasOwnGateways = [...this.#others.values()].some(({ state, gateways }) => {
      const theirs = new Set(gateways);
      return state !== '' && [...own].some((id) => !theirs.has(id));
    });
    this.advanced();
  }

  #confirmed(id: string, confirmed: number): void {
    const other = this.#others.get(id);
    if (other === undefined) this.#refreshInBackground();
    else if (confirmed > other.confirmed) {
      other.confirmed = confirmed;
      this.#changed();
    }
  }

  async #announce(): Promise<void> {
    while (this.#hasOwnGateways && this.#timer !== undefined) {
      const { confirmed } = this.#own();
      if (confirmed <= this.#announced) return;
      await this.#registry.announce(confirmed);
      this.#announced = confirmed;
      await pause(ANNOUNCE_MS, undefined, { ref: false });
    }
  }

  #refreshInBackground(): void {
    this.#inBackground(this.refresh());
  }

  /** Reports the first of several failures. */
  #inBackground(work: Promise<void>): void {
    work.then(
      () => this.#failure.end(),
      (error: unknown) => {
        if (this.#failure.begin()) this.#failed(error);
      },
    );
  }
}
