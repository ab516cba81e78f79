import type { QueryClient } from '@tanstack/preact-query';
import { BASE, ownHeaders } from './api.ts';
import { askEarly, earlyAnswersRead } from './early-answers.ts';
import { DEFAULT_LANGUAGE, itemData, modelData } from './first-data.ts';
import { languagesQuery, type Named, typesQuery } from './list/project-data.ts';
import type { ScreenPath } from './screen-name.ts';

/** Time in which what was read is not read again, in milliseconds. */
export const STALE_TIME = 5000;

/** Reads what every screen of this kind begins with, so that it is there when the screen is first drawn. */
export async function readAhead(queries: QueryClient, screen: ScreenPath | undefined): Promise<void> {
  if (screen?.name !== 'content-list') return;
  const { project } = screen;
  await Promise.all([
    earlyAnswersRead(),
    queries.prefetchQuery(typesQuery(project)),
    queries.prefetchQuery(languagesQuery(project)),
  ]);
}

/**
 * Asks for what the form of an item reads, while the form is not drawn yet: the variant with the rest, not behind it.
 * @param given language in the address, as codename
 */
export function askForItem(queries: QueryClient, screen: ScreenPath, given: string | null): void {
  const { project, object } = screen;
  const languages = queries.getQueryData<readonly Named[]>([project, 'languages']) ?? [];
  const language =
    given === null ? DEFAULT_LANGUAGE : languages.find(({ codename }) => codename === given)?.id;
  const isModelKnown = queries.getQueryData([project, 'model']) !== undefined;
  const item = queries.getQueryCache().find({ queryKey: [project, 'item', object] });
  // A screen that has it takes no answer: a later read would get the one from before a write.
  const [itemPath, ...variants] = itemData(screen, language);
  const ofItem = item?.isStaleByTime(STALE_TIME) === false ? variants : [itemPath!, ...variants];
  askEarly(`${BASE}/api`, [...ofItem, ...(isModelKnown ? [] : modelData(project))], ownHeaders());
}
