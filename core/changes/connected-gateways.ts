import type { ProcessReport, ProcessState } from '../process-identity.ts';
import { FEED_LOST_MS } from './change-feed.ts';
import type { QueuedMessage } from './feed-message.ts';
import type { FeedQueue } from './feed-queue.ts';

/**
 * A gateway that has not confirmed a commit uses no cached key after `FEED_LOST_MS`. It may take the time that a heartbeat was
 * on its way for part of that.
 */
export const UNCONFIRMED_MS = FEED_LOST_MS + 50;
/** The links of a gateway that confirms nothing for so long are ended, so that no further operation waits for it. */
const SILENT_MS = 10_000;

/** A gateway that follows this core, or did a moment ago. */
export class ConnectedGateway {
  /** Undefined until its first confirmation. */
  process: ProcessState | undefined;
  /** Those of them that deliver commits are in `links`. */
  connections = 0;
  readonly links = new Set<FeedQueue>();
  confirmed = -1;
  /** Since when it has had something to confirm; Infinity = it has confirmed everything. */
  waitingSince = 0;
  /** Set while it has no link: it uses what it has cached until then. */
  forget: NodeJS.Timeout | undefined;

  confirm(sequence: number, newest: number): void {
    this.confirmed = sequence;
    this.waitingSince = sequence >= newest ? Number.POSITIVE_INFINITY : performance.now();
    for (const link of this.links) link.confirmed(sequence);
  }

  /** Undefined until its first confirmation. */
  get report(): ProcessReport | undefined {
    const { process, confirmed: sequence, waitingSince } = this;
    return process && { ...process, sequence, behind: Math.max(0, performance.now() - waitingSince) };
  }
}

/** The gateways of this core, each with its links. */
export class ConnectedGateways {
  readonly #gateways = new Map<string, ConnectedGateway>();
  readonly #forgotten: () => void;
  readonly #silentMilliseconds: number;

  /** @param forgotten is called when a gateway does not count any more */
  constructor(forgotten: () => void, silentMilliseconds = SILENT_MS) {
    this.#forgotten = forgotten;
    this.#silentMilliseconds = silentMilliseconds;
  }

  get size(): number {
    return this.#gateways.size;
  }

  get all(): readonly (readonly [id: string, gateway: ConnectedGateway])[] {
    return [...this.#gateways];
  }

  /** All of them have the commits until here. */
  get confirmed(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { confirmed } of this.#gateways.values()) least = Math.min(least, confirmed);
    return least;
  }

  has(id: string): boolean {
    return this.#gateways.has(id);
  }

  get(id: string): ConnectedGateway | undefined {
    return this.#gateways.get(id);
  }

  /** A gateway begins a link. */
  connect(id: string): ConnectedGateway {
    const gateway = this.#gateways.get(id) ?? new ConnectedGateway();
    this.#gateways.set(id, gateway);
    clearTimeout(gateway.forget);
    gateway.connections += 1;
    // It confirms at least where the link starts.
    gateway.waitingSince = performance.now();
    return gateway;
  }

  disconnect(id: string, gateway: ConnectedGateway, link: FeedQueue): void {
    gateway.links.delete(link);
    gateway.connections -= 1;
    if (gateway.connections > 0) return;
    gateway.forget = setTimeout(() => {
      this.#gateways.delete(id);
      this.#forgotten();
    }, UNCONFIRMED_MS).unref();
  }

  /** @param isCarried whether a stream probably brings it, too */
  send(message: QueuedMessage, isCarried: boolean): void {
    const now = performance.now();
    for (const gateway of this.#gateways.values()) {
      gateway.waitingSince = Math.min(gateway.waitingSince, now);
      const isSilent = now - gateway.waitingSince > this.#silentMilliseconds;
      for (const link of gateway.links) {
        if (isSilent) link.end();
        else link.add(message, isCarried);
      }
    }
  }

  /** Ends all links. */
  end(): void {
    for (const { links } of this.#gateways.values()) for (const link of links) link.end();
  }
}
