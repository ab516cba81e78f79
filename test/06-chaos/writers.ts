import { setTimeout } from 'node:timers/promises';

const AGAIN_MS = 50;

/** A publish that was acknowledged. */
export interface Publish {
  readonly title: string;
  readonly sequence: number;
  readonly acknowledged: number;
}

/** One item that one writer publishes again and again, with a number as its title. */
export interface WrittenItem {
  readonly project: string;
  readonly externalId: string;
  readonly codename: string;
  id: string;
  readonly publishes: Publish[];
}

/** @returns undefined where no answer arrived */
export type ManageCall = (method: string, path: string, body?: unknown) => Promise<ManageAnswer | undefined>;

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
    const answer = await call(method, at, body);
    if (answer !== undefined && answer.status < 500) return answer;
    await setTimeout(AGAIN_MS);
    return undefined;
  };
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
  let hasVariant = false;
  for (let number = 0; !isOver(); number += 1) {
    // 400 where it is a draft already: the writer may not know whether its last call took effect.
    if (hasVariant && (await attempt('PUT', `${variant}/new-version`)) === undefined) continue;
    const title = `${number}`;
    const saved = await attempt('PUT', variant, {
      elements: [{ element: { codename: 'title' }, value: title }],
    });
    if (saved === undefined || saved.status >= 300) continue;
    hasVariant = true;
    const published = await attempt('PUT', `${variant}/publish`);
    if (published === undefined || published.status >= 300) continue;
    item.publishes.push({ title, sequence: published.sequence, acknowledged: performance.now() });
  }
}
