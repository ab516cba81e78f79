import { get, query } from '../../api.ts';
import type { ManagedElement } from './managed.ts';

/** Since when changes of the source are shown: since the translation was saved last, or published last. */
export type Since = 'saved' | 'published';

interface Entry {
  readonly at: string;
  readonly operation: string;
  readonly version: number | null;
}

interface Page {
  readonly history: readonly Entry[];
  readonly pagination: { readonly next: string | null };
}

/** Pages of a history that are searched. */
const MOST_PAGES = 5;

/**
 * The values of the source at the time when the translation was made from it.
 * @param source, translation paths of the variants in the admin API
 * @param saved when the translation was saved last
 * @returns undefined where that is not known any more
 */
export async function sourceBefore(
  source: string,
  translation: string,
  since: Since,
  saved: string,
  signal: AbortSignal,
): Promise<readonly ManagedElement[] | undefined> {
  const until =
    since === 'saved'
      ? saved
      : (await newest(translation, ({ operation }) => operation === 'publish', signal))?.at;
  if (until === undefined) return undefined;
  const limit = Date.parse(until);
  const found = await newest(
    source,
    ({ at, version }) => version !== null && Date.parse(at) <= limit,
    signal,
  );
  if (!found) return undefined;
  const { elements } = await get<{ readonly elements: readonly ManagedElement[] }>(
    `${source}/versions/${found.version}`,
    signal,
  );
  return elements;
}

async function newest(
  path: string,
  isWanted: (entry: Entry) => boolean,
  signal: AbortSignal,
): Promise<Entry | undefined> {
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { history, pagination } = await get<Page>(`${path}/history${query({ after })}`, signal);
    const found = history.find(isWanted);
    if (found || pagination.next === null) return found;
    after = pagination.next;
  }
  return undefined;
}
