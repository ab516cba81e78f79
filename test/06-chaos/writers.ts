import { setTimeout } from 'node:timers/promises';

const AGAIN_MS = 50;

/** One item that one writer publishes again and again, with a number as its title. */
export interface WrittenItem {
  readonly externalId: string;
  readonly codename: string;
  id: string;
  /** The number of the last publish that was acknowledged, -1 for none, and its sequence. */
  acknowledged: number;
  sequences: number[];
  /** The number of the last publish that was sent. */
  sent: number;
}

export type ManageCall = (method: string, path: string, body?: unknown) => Promise<ManageAnswer>;

export interface ManageAnswer {
  readonly status: number;
  readonly sequence: number;
  readonly body: Record<string, unknown>;
}

/** Publishes until `isOver`; what was not acknowledged may have happened or not. */
export async function write(item: WrittenItem, call: ManageCall, isOver: () => boolean): Promise<void> {
  const path = `/items/external-id/${item.externalId}`;
  const variant = `${path}/variants/codename/default`;
  /** Undefined: no answer, or one that says the service cannot answer now. */
  const attempt = async (method: string, at: string, body?: unknown): Promise<ManageAnswer | undefined> => {
    const answer = await call(method, at, body).catch(() => undefined);
    if (answer !== undefined && answer.status < 500) return answer;
    await setTimeout(AGAIN_MS);
    return undefined;
  };
  let number = 0;
  while (!isOver()) {
    const made = await attempt('PUT', path, {
      name: item.externalId,
      type: { codename: 'piece' },
      sitemap_locations: [],
    });
    if (made === undefined) continue;
    item.id = String(made.body['id']);
    break;
  }
  while (!isOver()) {
    // 400 where it is a draft already: the writer may not know whether its last call took effect.
    if (number > 0 && (await attempt('PUT', `${variant}/new-version`)) === undefined) continue;
    const elements = [{ element: { codename: 'title' }, value: `${number}` }];
    const saved = await attempt('PUT', variant, { elements });
    if (saved === undefined || saved.status >= 300) continue;
    item.sent = number;
    const published = await attempt('PUT', `${variant}/publish`);
    if (published !== undefined && published.status < 300) {
      item.acknowledged = number;
      item.sequences.push(published.sequence);
    }
    number += 1;
  }
}
