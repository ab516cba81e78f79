import { roundedMilliseconds } from '../../core/contract.ts';
import type { Exchange, RecentRequest } from '../contract.ts';
import { requestPath } from '../http/request-path.ts';

const KEPT = 1000;
const LONGEST_PATH = 300;
/** Requests are kept for so long after they were asked for. */
const WATCHED_MS = 30_000;

/** The last requests, kept in memory while somebody watches. No query, no header and no body. */
export class RequestWatch {
  /** Nothing is kept while it is false. */
  isOn = false;
  #kept: RecentRequest[] = [];
  /** Where the oldest one is, once as many as possible are kept. */
  #oldest = 0;
  #number = 0;
  #timer: NodeJS.Timeout | undefined;

  add({ req, state }: Exchange, now: Date): void {
    const { surface, client, outcome, requestId = null } = state;
    const path = requestPath(req.url ?? '/');
    this.#number += 1;
    const request: RecentRequest = {
      number: this.#number,
      at: now.toISOString(),
      id: requestId,
      surface: surface.name,
      method: req.method ?? '',
      path: path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path,
      status: outcome.status,
      ms: roundedMilliseconds(outcome.milliseconds),
      bytes: outcome.bytes ?? null,
      cache: outcome.cache ?? null,
      limiter: outcome.limiter ?? null,
      key: outcome.key ?? null,
      client: client.address,
    };
    if (this.#kept.length < KEPT) this.#kept.push(request);
    else {
      this.#kept[this.#oldest] = request;
      this.#oldest = (this.#oldest + 1) % KEPT;
    }
  }

  /** Those from a time on, the oldest first; keeps further ones for a while. */
  read(after: string | null): RecentRequest[] {
    this.isOn = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stop(), WATCHED_MS).unref();
    const all = [...this.#kept.slice(this.#oldest), ...this.#kept.slice(0, this.#oldest)];
    return after === null ? all : all.filter(({ at }) => at >= after);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.isOn = false;
    this.#kept = [];
    this.#oldest = 0;
  }
}
