import { setTimeout } from 'node:timers/promises';
import { conforms } from '../support/openapi-conformance.ts';
import type { Random } from '../support/random/random.ts';
import { ADMIN_TOKEN, type ChaosCluster } from './chaos-cluster.ts';
import type { ImportCall } from './imports.ts';
import type { ManageAnswer, ManageCall, WrittenItem } from './writers.ts';

/**
 * Longest time of a request: a write waits for its turn, the lock of the installation, and the outcome of a lost commit;
 * the time that the part in front of it is stalled included.
 */
const DEADLINE_MS = 20_000;
/** The same of an import, whose writes wait one after another. */
const IMPORT_DEADLINE_MS = 60_000;
const READ_PAUSE_MS = 30;
const AGAIN_MS = 100;

export type ReadKind = 'plain' | 'waiting' | 'sequence';
const KINDS: readonly ReadKind[] = ['plain', 'waiting', 'sequence'];

/** What a reader was shown. */
export interface Read {
  readonly kind: ReadKind;
  readonly item: WrittenItem;
  readonly gateway: string;
  readonly began: number;
  readonly ended: number;
  /** Undefined: there is no such item. */
  readonly title: string | undefined;
  readonly isFlagged: boolean;
  /** The gateway could not get an answer of core. */
  readonly isWithoutCore: boolean;
  /** Publishes that were acknowledged when it began. */
  readonly acknowledged: number;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

interface Shown {
  readonly item: { readonly elements: { readonly title: { readonly value: string } } };
}

/** The clients of a cluster: each request through a random gateway, each answer checked. */
export class Requests {
  readonly #cluster: ChaosCluster;
  readonly #random: Random;
  /** What must not have happened. */
  readonly findings: string[] = [];
  readonly reads: Read[] = [];
  /** Answers by surface and status; `lost` where none arrived. */
  readonly counts: Record<string, number> = {};

  constructor(cluster: ChaosCluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  /** @returns calls of the management API with the key */
  manage(project: string, key: string): ManageCall {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return async (method, path, body): Promise<ManageAnswer | undefined> => {
      const { answer } = await this.#send('manage', `/manage/v2/projects/${project}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (answer === undefined) return undefined;
      const { status, body: text } = answer;
      // 400 where a writer does not know whether its last call took effect.
      if (status >= 300 && status !== 400 && status !== 503)
        this.#found(`${method} ${path}: ${status} ${text}`);
      const sequence = Number(answer.headers.get('x-svc-content-sequence'));
      return { status, sequence, body: text === '' ? {} : JSON.parse(text) };
    };
  }

  /** Imports an archive as a new project. */
  readonly importArchive: ImportCall = async (project, archive) => {
    const { answer } = await this.#send('admin', `/admin/projects/import?id=${project}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/x-tar' },
      body: archive,
      deadline: IMPORT_DEADLINE_MS,
    });
    if (answer && answer.status !== 201 && answer.status !== 503)
      this.#found(`An import: ${answer.status} ${answer.body}`);
    return answer?.status === 201;
  };

  /** @returns how many notifications the webhook has still to send, undefined if that is not known */
  async waiting(project: string, webhook: string): Promise<number | undefined> {
    const { answer } = await this.#send('admin', `/admin/projects/${project}/webhooks/${webhook}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    return answer?.status === 200 ? (JSON.parse(answer.body) as { waiting: number }).waiting : undefined;
  }

  /** Reads an item again and again. */
  async read(item: WrittenItem, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const kind = this.#random.pick(KINDS);
      const acknowledged = item.publishes.length;
      const sequence = item.publishes.at(-1)?.sequence ?? 0;
      const { answer, ...how } = await this.#send(
        'delivery',
        `/delivery/${item.project}/items/${item.codename}`,
        {
          headers: {
            ...(kind === 'waiting' && { 'x-svc-wait-for-loading-new-content': 'true' }),
            ...(kind === 'sequence' && { 'x-svc-content-sequence': `${sequence}` }),
          },
        },
      );
      if (answer?.status === 200 || answer?.status === 404)
        this.reads.push({
          kind,
          item,
          ...how,
          title:
            answer.status === 404 ? undefined : (JSON.parse(answer.body) as Shown).item.elements.title.value,
          isFlagged: answer.headers.get('x-stale-content') === '1',
          isWithoutCore: answer.headers.get('cache-status')?.includes('stale-if-error') ?? false,
          acknowledged,
        });
      else if (answer) {
        if (answer.status !== 503) this.#found(`A read by ${how.gateway}: ${answer.status} ${answer.body}`);
        await setTimeout(AGAIN_MS);
      }
      await setTimeout(READ_PAUSE_MS);
    }
  }

  /** An answer that breaks off is none. */
  async #send(
    surface: 'delivery' | 'manage' | 'admin',
    path: string,
    { deadline = DEADLINE_MS, ...init }: RequestInit & { readonly deadline?: number },
  ) {
    const { port, name: gateway } = this.#random.pick(this.#cluster.gateways);
    const url = `http://127.0.0.1:${port}${path}`;
    const { method = 'GET' } = init;
    const began = performance.now();
    const answer = await fetchWithin(deadline, url, init).catch(() => undefined);
    const ended = performance.now();
    const took = ended - began;
    if (took >= deadline) this.#found(`${method} ${path} by ${gateway} took ${took.toFixed(0)} ms.`);
    const outcome = `${surface} ${answer?.status ?? 'lost'}`;
    this.counts[outcome] = (this.counts[outcome] ?? 0) + 1;
    if (answer === undefined) await setTimeout(AGAIN_MS);
    else if (answer.status >= 400) {
      try {
        conforms({ method, url, ...answer }, surface);
      } catch (error) {
        this.#found((error as Error).message);
      }
    }
    return { answer, gateway, began, ended };
  }

  #found(what: string): void {
    this.findings.push(what);
  }
}

async function fetchWithin(milliseconds: number, url: string, init: RequestInit): Promise<Answer> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(milliseconds) });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}
