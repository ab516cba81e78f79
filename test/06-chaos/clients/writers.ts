import type { Requests } from './requests.ts';
import type { Answer } from './sent.ts';

/** A call may take effect that long after its caller has seen it fail: the longest stall, and the deadline of a write. */
const LATE_MS = 40_000;

/** A publish that was acknowledged. */
export interface Publish {
  readonly title: string;
  /** Of the answer. */
  readonly sequence: number;
  /**
   * The publish may be older than the answer's sequence: nginx may have sent the call twice, or an earlier one that was not
   * acknowledged took effect after this draft was written.
   */
  readonly mayBeRepeated: boolean;
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

/** Publishes until `isOver`; what was not acknowledged may have happened or not. */
export async function writeItem(
  item: WrittenItem,
  key: string,
  requests: Requests,
  isOver: () => boolean,
): Promise<void> {
  const path = `/manage/v2/projects/${item.project}/items/external-id/${item.externalId}`;
  const variant = `${path}/variants/codename/default`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  /** Undefined: no answer, or one that says the service cannot answer now. */
  const put = async (
    at: string,
    body?: unknown,
  ): Promise<(Answer & { readonly via: string }) | undefined> => {
    const { answer, via } = await requests.send('manage', at, {
      method: 'PUT',
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answer !== undefined && answer.status < 500 ? { ...answer, via } : undefined;
  };
  const isDone = (answer: Answer | undefined) => answer !== undefined && answer.status < 300;
  while (!isOver()) {
    const made = await put(path, {
      name: item.externalId,
      type: { codename: 'piece' },
      sitemap_locations: [],
    });
    if (made === undefined || !isDone(made)) continue;
    item.id = (JSON.parse(made.body) as { id: string }).id;
    break;
  }
  let hasVariant = false;
  let unanswered = Number.NEGATIVE_INFINITY;
  for (let number = 0; !isOver(); number += 1) {
    // 400 where it is a draft already: the writer may not know whether its last call took effect.
    if (hasVariant && (await put(`${variant}/new-version`)) === undefined) continue;
    const title = `${number}`;
    if (!isDone(await put(variant, { elements: [{ element: { codename: 'title' }, value: title }] })))
      continue;
    hasVariant = true;
    const published = await put(`${variant}/publish`);
    if (published === undefined) unanswered = performance.now();
    if (published === undefined || !isDone(published)) continue;
    const sequence = Number(published.headers['x-svc-content-sequence']);
    const acknowledged = performance.now();
    const mayBeRepeated = published.via === 'nginx' || acknowledged - unanswered < LATE_MS;
    item.publishes.push({ title, sequence, mayBeRepeated, acknowledged });
    await requests.rest();
  }
}
