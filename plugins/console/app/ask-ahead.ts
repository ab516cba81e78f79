import type { QueryClient } from '@tanstack/preact-query';
import { BASE, ownHeaders } from './api.ts';
import { askEarly, earlyAnswersRead } from './early-answers.ts';
import { DEFAULT_LANGUAGE, itemData, modelData } from './first-data.ts';
import { languagesQuery, type Named, typesQuery } from './list/project-data.ts';
import type { ScreenPath } from './screen-name.ts';

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
  const { project } = screen;
  const languages = queries.getQueryData<readonly Named[]>([project, 'languages']) ?? [];
  const language =
    given === null ? DEFAULT_LANGUAGE : languages.find(({ codename }) => codename === given)?.id;
  const isModelKnown = queries.getQueryData([project, 'model']) !== undefined;
  askEarly(
    `${BASE}/api`,
    [...itemData(screen, language), ...(isModelKnown ? [] : modelData(project))],
    ownHeaders(),
  );
}
