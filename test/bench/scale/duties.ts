import { readdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { LANGUAGE, type ManagedService, tenElements } from '../management/managed-service.ts';
import type { Receiver } from '../webhooks/parts.ts';

/** `queues`: each has sent something; `empty`: each has sent everything. */
export const DUTIES = ['queues', 'empty', 'schedule', 'mail', 'job'] as const;
export type Duty = (typeof DUTIES)[number];

const POLL_MS = 20;
/** What has not happened by then is reported as this. */
const LONGEST_MS = 30_000;
/** The schedule becomes due after the core was killed. */
const DUE_MS = 1000;
/** What the killed core has sent has arrived by then. */
const UNDER_WAY_MS = 50;
/** Of items that are published here. */
const OWN_TYPE = 'news';
/** An element that all other types get and lose: their documents are compiled, which takes longer than new names. */
const ELEMENT = { type: 'text', name: 'Subtitle', codename: 'subtitle' } as const;
const now = () => performance.timeOrigin + performance.now();

interface Parts {
  readonly service: ManagedService;
  readonly receiver: Receiver;
  /** Ids of webhooks at the receiver. */
  readonly webhooks: readonly string[];
  /** Folder of the mails of all cores. */
  readonly mails: string;
  /** Notifications of a webhook. */
  readonly backlog: number;
}

/** Work of a core besides answering: begun before it is killed, continued by another one. */
export class Duties {
  readonly #parts: Parts;
  #due = 0;
  #done = 0;
  #mails = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Pending notifications, a schedule and a job; returns at once when all of them have begun. */
  async begin(round: number): Promise<void> {
    const { service, webhooks, backlog, mails, receiver } = this.#parts;
    const enable = (state: 'enable' | 'disable') =>
      Promise.all(webhooks.map((id) => service.call('PUT', `/webhooks/${id}/${state}`)));
    await enable('disable');
    const queued = await this.#item(`queued ${round}`);
    const last = await this.#item(`last ${round}`);
    const scheduled = await this.#item(`scheduled ${round}`);
    for (let count = 1; count < backlog; count += 1) {
      await service.call('PUT', `${queued}/publish`);
      await service.call('PUT', `${queued}/new-version`);
    }
    await service.call('PUT', `${last}/publish`);
    await receiver.child.ask({ do: 'take' });
    this.#mails = (await readdir(mails)).length;
    this.#due = now() + DUE_MS;
    await service.call('PUT', `${scheduled}/publish`, { scheduled_to: new Date(this.#due).toISOString() });
    const change =
      round % 2 === 0
        ? { op: 'addInto', path: '/elements', value: ELEMENT }
        : { op: 'remove', path: `/elements/codename:${ELEMENT.codename}` };
    const { types } = (await service.call('GET', '/types')) as { types: readonly { codename: string }[] };
    const changed = types.filter(({ codename }) => codename !== OWN_TYPE && codename !== 'block');
    await enable('enable');
    await Promise.all(
      changed.map(({ codename }) => service.call('PATCH', `/types/codename/${codename}`, [change])),
    );
    const changedAt = now();
    // The core that has the duty begins a moment later.
    const began = await until(changedAt, async () => {
      const { running, done } = await this.#progress();
      this.#done = done;
      return running > 0;
    });
    if (began >= LONGEST_MS) throw new Error('The recompilation ended before the core could be killed.');
  }

  /** @returns milliseconds from now until each of them continued; the schedule's from its time */
  async continued(round: number): Promise<Record<Duty, number>> {
    const { service, receiver, webhooks, mails } = this.#parts;
    const since = now();
    const began = new Map<string, number>();
    const ended = new Set<string>();
    const [empty, schedule, mail, job] = await Promise.all([
      until(since, async () => {
        for (const [path, name, at] of (await receiver.child.ask({ do: 'take' })).received) {
          if (at > since + UNDER_WAY_MS && !began.has(path)) began.set(path, at - since);
          if (name === `last_${round}`) ended.add(path);
        }
        return ended.size === webhooks.length;
      }),
      until(Math.max(since, this.#due), async () => {
        const url = service.itemsPath('').replace('items?', `items/scheduled_${round}`);
        const answer = await fetch(`http://127.0.0.1:${service.port}${url}`);
        await answer.arrayBuffer();
        return answer.ok;
      }),
      (async () => {
        // The mail about it is due at once.
        const key = { user_id: service.user, expires_in_days: 4 };
        await service.admin(`projects/${service.project}/management-keys`, key);
        return until(since, async () => (await readdir(mails)).length > this.#mails);
      })(),
      until(since, async () => (await this.#progress()).done > this.#done),
    ]);
    const queues = began.size < webhooks.length ? LONGEST_MS : Math.max(...began.values());
    return { queues, empty, schedule, mail, job };
  }

  /** A draft. @returns its path */
  async #item(name: string): Promise<string> {
    const { service } = this.#parts;
    const item = `/items/external-id/${name.replaceAll(' ', '-')}`;
    const variant = `${item}/variants/${LANGUAGE}`;
    await service.call('PUT', item, { name, type: { codename: OWN_TYPE } });
    await service.call('PUT', variant, tenElements());
    return variant;
  }

  /** Recompilations that are not done, and the documents that all of them have written so far. */
  async #progress(): Promise<{ readonly running: number; readonly done: number }> {
    const { jobs } = await this.#parts.service.admin('jobs');
    const all = (jobs as Job[]).filter(({ kind }) => kind === 'recompile');
    return {
      running: all.filter(({ state }) => state === 'running').length,
      done: all.reduce((sum, { done }) => sum + done, 0),
    };
  }
}

interface Job {
  readonly kind: string;
  readonly state: string;
  readonly done: number;
}

/** @returns milliseconds since then */
async function until(since: number, happened: () => Promise<boolean>): Promise<number> {
  while (now() - since < LONGEST_MS) {
    // A core that was just killed may still be called.
    if (await happened().catch(() => false)) return Math.max(0, now() - since);
    await setTimeout(POLL_MS);
  }
  return LONGEST_MS;
}
