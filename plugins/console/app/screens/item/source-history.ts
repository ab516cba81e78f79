import { compareVersions } from '../history/compare-versions.ts';
import { type HistoryEntry, readHistory, readVersion } from '../history/history-data.ts';
import type { ContentModel } from './form-groups.ts';
import type { SourceChanges } from './source-variant.ts';

/** Since when changes of the source are shown: since the translation was saved last, or published last. */
export type Since = 'saved' | 'published';

/** Pages of a history that are searched. */
const MOST_PAGES = 5;

interface Variants {
  /** Path in the admin API. */
  readonly source: string;
  readonly translation: string;
  /** When the translation was saved last. */
  readonly saved: string;
}

/**
 * What changed in the source since the translation was made from it.
 * @returns undefined where the version of that time is not known any more
 */
export async function sourceChanges(
  model: ContentModel,
  { source, translation, saved }: Variants,
  since: Since,
  signal: AbortSignal,
): Promise<SourceChanges | undefined> {
  const until =
    since === 'saved'
      ? saved
      : (await newest(translation, ({ operation }) => operation === 'publish', signal))?.at;
  if (until === undefined) return undefined;
  const limit = Date.parse(until);
  const isVersion = ({ version }: HistoryEntry) => version !== null;
  const [before, after] = await Promise.all([
    newest(source, (entry) => isVersion(entry) && Date.parse(entry.at) <= limit, signal),
    newest(source, isVersion, signal),
  ]);
  if (!before?.version || !after?.version) return undefined;
  const [old, now] = await Promise.all([
    readVersion(source, before.version, signal),
    readVersion(source, after.version, signal),
  ]);
  const changed = await compareVersions(model, old, now, signal);
  return new Map(changed.map(({ definition, parts }) => [definition.id, parts]));
}

async function newest(
  path: string,
  isWanted: (entry: HistoryEntry) => boolean,
  signal: AbortSignal,
): Promise<HistoryEntry | undefined> {
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { history, pagination } = await readHistory(path, after, signal);
    const found = history.find(isWanted);
    if (found || pagination.next === null) return found;
    after = pagination.next;
  }
  return undefined;
}
