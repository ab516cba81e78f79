/** Clients that the attack must not affect: a few steady calls of another project, of admin and of health. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { ADMIN_TOKEN, type AttackService } from './attack-service.ts';

export type Call = 'item' | 'preview' | 'management' | 'admin' | 'ready';

export interface CallResult {
  /** In milliseconds, in the order of the calls. */
  readonly took: number[];
  readonly errors: string[];
}

/** Where they call; the project is not the one that is attacked. */
export type OthersTarget = Pick<AttackService, 'url' | 'others'>;

export type OthersResult = Readonly<Record<Call, CallResult>>;

const EVERY_MS: Readonly<Record<Call, number>> = {
  item: 25,
  ready: 50,
  preview: 200,
  admin: 250,
  // A key has ten calls a second and 400 a minute.
  management: 400,
};
const TIMEOUT_MS = 10_000;

/** Each item is requested once in each depth, so that nothing comes out of a cache of answers. */
export class OtherClients {
  readonly #service: OthersTarget;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  #number = 0;

  constructor(service: OthersTarget) {
    this.#service = service;
  }

  async run(seconds: number): Promise<OthersResult> {
    const until = performance.now() + seconds * 1000;
    const calls = Object.keys(EVERY_MS) as Call[];
    const results = await Promise.all(calls.map((call) => this.#steadily(call, until)));
    return Object.fromEntries(calls.map((call, at) => [call, results[at]!])) as OthersResult;
  }

  /** At its pace, whether or not the one before has been answered. */
  async #steadily(call: Call, until: number): Promise<CallResult> {
    const result: CallResult = { took: [], errors: [] };
    const running: Promise<void>[] = [];
    for (let at = performance.now(); at < until; at += EVERY_MS[call]) {
      await pause(Math.max(0, at - performance.now()));
      running.push(this.#ask(call, result));
    }
    await Promise.all(running);
    return result;
  }

  async #ask(call: Call, result: CallResult): Promise<void> {
    const { path, key } = this.#request(call);
    const began = performance.now();
    const outcome = await this.#get(path, key).catch((error: Error) => error.message);
    result.took.push(performance.now() - began);
    if (outcome !== 200) result.errors.push(`${path}: ${outcome}`);
  }

  #request(call: Call): { readonly path: string; readonly key?: string } {
    const { project, items, previewKey, managementKey } = this.#service.others;
    this.#number += 1;
    // One generated item in fifty, the last of each, is never published.
    const published = this.#number % Math.floor((items * 49) / 50);
    const item = `item_${published + Math.floor(published / 49)}`;
    const depth = Math.floor(this.#number / items);
    switch (call) {
      case 'item':
        return { path: `/delivery/${project}/items/${item}?depth=${depth}` };
      case 'preview':
        return { path: `/preview/${project}/items/${item}?depth=${depth}`, key: previewKey };
      case 'management':
        return { path: `/manage/v2/projects/${project}/items/codename/${item}`, key: managementKey };
      case 'admin':
        return { path: `/admin/projects/${project}`, key: ADMIN_TOKEN };
      case 'ready':
        return { path: '/health/ready' };
    }
  }

  #get(path: string, key: string | undefined): Promise<number> {
    return new Promise((resolve, reject) => {
      const asking = request(
        `${this.#service.url}${path}`,
        {
          agent: this.#agent,
          timeout: TIMEOUT_MS,
          ...(key && { headers: { authorization: `Bearer ${key}` } }),
        },
        (answer) => {
          answer.on('error', reject);
          answer.on('end', () => resolve(answer.statusCode ?? 0));
          answer.resume();
        },
      );
      asking.on('timeout', () => asking.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
      asking.on('error', reject);
      asking.end();
    });
  }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
