import { setTimeout } from 'node:timers/promises';
import { Agent, type Dispatcher, fetch } from 'undici';
import type { DocumentedSurface } from '../../support/clients/openapi-conformance.ts';
import { isLongForm } from '../../support/long-form.ts';
import type { Random } from '../../support/random/random.ts';
import { ADMIN_TOKEN, type ChaosCluster } from '../cluster/chaos-cluster.ts';
import type { Answer, Sent } from './sent.ts';

/**
 * Longest time of a request: a write waits for its turn, the lock of the installation, and the outcome of a lost commit.
 * What stands still between the client and core is added.
 */
const DEADLINE_MS = 20_000;
/** No answer comes later, whatever stands still. */
const NEVER_MS = 90_000;
/** Pause after an answer that asks for patience, or none. */
const AGAIN_MS = 100;
/** In `npm test` clients pause longer: they do the same things less often. */
const SLOWER = isLongForm ? 1 : 3;
const REST_MS = isLongForm ? 0 : 100;

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly deadline?: number;
}

interface Target {
  readonly name: string;
  readonly url: string;
  readonly dispatcher: Dispatcher;
}

/** Sends each request through nginx or to a gateway, at random, and records it. */
export class Requests {
  readonly sent: Sent[] = [];
  readonly #cluster: ChaosCluster;
  readonly #targets: readonly Target[];
  readonly #random: Random;
  readonly #plain = new Agent();
  /** Requests without an answer so far. */
  readonly waiting = new Set<string>();

  constructor(cluster: ChaosCluster, random: Random) {
    const { gateways, nginx } = cluster;
    this.#cluster = cluster;
    this.#random = random;
    const direct = gateways.map(
      ({ name, port }): Target => ({ name, url: `http://127.0.0.1:${port}`, dispatcher: this.#plain }),
    );
    const proxied = { name: nginx!.name, url: nginx!.url, dispatcher: nginx!.agent };
    // As often as all gateways together.
    this.#targets = [...direct, ...direct.map(() => proxied)];
  }

  /** An answer that breaks off is none. */
  async send(
    surface: DocumentedSurface,
    path: string,
    { method = 'GET', headers = {}, body, deadline = DEADLINE_MS }: RequestOptions = {},
  ): Promise<Sent> {
    const { name: via, url: origin, dispatcher } = this.#random.pick(this.#targets);
    const url = origin + path;
    const waits = this.#cluster.waits();
    const began = performance.now();
    const signal = AbortSignal.timeout(NEVER_MS);
    const what = `${method} ${path} through ${via}, at ${began.toFixed(0)}`;
    this.waiting.add(what);
    const answer = await complete(
      fetch(url, { method, headers, signal, dispatcher, ...(body !== undefined && { body }) }),
    ).catch(() => undefined);
    this.waiting.delete(what);
    const ended = performance.now();
    const sent = { surface, method, url, via, began, ended, busy: Math.max(...waits()), deadline, answer };
    this.sent.push(sent);
    if (answer === undefined || answer.status === 503) await setTimeout(AGAIN_MS);
    return sent;
  }

  sendAsAdmin(path: string, options: RequestOptions = {}): Promise<Sent> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, ...options.headers };
    return this.send('admin', path, { ...options, headers });
  }

  /** Between two requests of a client. */
  pause(milliseconds: number): Promise<void> {
    return setTimeout(milliseconds * SLOWER);
  }

  /** For a client that does not pause in the long form. */
  rest(): Promise<void> {
    return setTimeout(REST_MS);
  }

  /** @returns how many notifications the webhook has still to send, undefined if that is not known */
  async queued(project: string, webhook: string): Promise<number | undefined> {
    const { answer } = await this.sendAsAdmin(`/admin/projects/${project}/webhooks/${webhook}`);
    return answer?.status === 200 ? (JSON.parse(answer.body) as { waiting: number }).waiting : undefined;
  }

  /** Answers by surface and status; `lost` where none arrived. */
  get counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { surface, answer } of this.sent) {
      const outcome = `${surface} ${answer?.status ?? 'lost'}`;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    return counts;
  }

  close(): Promise<void> {
    return this.#plain.destroy();
  }
}

async function complete(answering: ReturnType<typeof fetch>): Promise<Answer> {
  const answer = await answering;
  const bytes = Buffer.from(await answer.arrayBuffer());
  const headers = Object.fromEntries(answer.headers);
  const isText = /json|text/.test(headers['content-type'] ?? '');
  return { status: answer.status, headers, bytes, body: isText ? bytes.toString() : '' };
}
