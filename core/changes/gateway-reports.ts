import { randomUUID } from 'node:crypto';

/** What operators ask gateways for. */
export interface ReportRequest {
  /** `state`: pipeline, settings, figures and health. `requests`: the last requests. */
  readonly what: 'state' | 'requests';
  /** Of requests: those from this time on, ISO 8601; all that are kept when it is null. */
  readonly after: string | null;
}

/** A gateway's report as JSON; core passes it on. */
export type ReportSource = (request: ReportRequest) => Promise<unknown>;

/** Asks a gateway over its link; the answer comes back as the call `gateway-report`. */
export interface ReportMessage extends ReportRequest {
  readonly kind: 'report';
  readonly request: string;
}

/** A gateway that takes longer is left out. */
const LONGEST_MS = 2000;

/** By the id of the gateway's process: one that follows several cores is there once. */
export type CollectedReports = ReadonlyMap<string, unknown>;

/** Asks all gateways of this core at once: that of this process, and those in other processes. */
export class GatewayReports {
  readonly #id = randomUUID();
  readonly #links = new Map<string, Set<(message: ReportMessage) => void>>();
  /** By request and gateway. */
  readonly #waiting = new Map<string, (report: unknown) => void>();
  #own: ReportSource | undefined;

  /** The gateway of this process answers by this. */
  serve(source: ReportSource): void {
    this.#own = source;
  }

  /** @returns the function that forgets the link */
  connected(gateway: string, send: (message: ReportMessage) => void): () => void {
    const links = this.#links.get(gateway) ?? new Set();
    this.#links.set(gateway, links.add(send));
    return () => {
      links.delete(send);
      if (links.size === 0) this.#links.delete(gateway);
    };
  }

  /** The reports of the gateways that answer in time. */
  async collect(asked: ReportRequest): Promise<CollectedReports> {
    const request = randomUUID();
    const reports = [...this.#links].map(async ([gateway, links]) => {
      const key = `${request} ${gateway}`;
      const answered = new Promise<unknown>((resolve) => this.#waiting.set(key, resolve));
      for (const send of links) {
        send({ kind: 'report', request, ...asked });
        break;
      }
      const report = await inTime(answered).finally(() => this.#waiting.delete(key));
      return [gateway, report] as const;
    });
    if (this.#own) reports.unshift(inTime(this.#own(asked)).then((report) => [this.#id, report] as const));
    return new Map((await Promise.all(reports)).filter(([, report]) => report !== null));
  }

  /** What a gateway in another process has answered. */
  received(gateway: string, request: string, report: unknown): void {
    this.#waiting.get(`${request} ${gateway}`)?.(report);
  }
}

/** Null where there is no report in time. */
export async function inTime(report: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), LONGEST_MS);
  });
  try {
    return await Promise.race([report, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
