import { useQuery } from '@tanstack/preact-query';
import { get } from '../../api.ts';
import { byName } from '../../list/by-name.ts';
import type { ContentModel } from './form-groups.ts';
import type { ContentType, Definition, Language, Term } from './managed.ts';

/** Loads the content model of a project. */
export function useContentModel(project: string) {
  return useQuery({
    queryKey: [project, 'model'],
    meta: { follows: ['content_type', 'snippet', 'taxonomy', 'language'] },
    queryFn: async ({ signal }): Promise<ContentModel> => {
      const at = `manage/projects/${project}`;
      const [types, snippets, taxonomies, languages] = await Promise.all([
        all<ContentType>(`${at}/types`, 'types', signal),
        all<Definition>(`${at}/snippets`, 'snippets', signal),
        all<Term>(`${at}/taxonomies`, 'taxonomies', signal),
        all<Language>(`${at}/languages`, 'languages', signal),
      ]);
      return {
        types: byId(byName(types)),
        snippets: byId(byName(snippets)),
        taxonomies: byId(byName(taxonomies)),
        languages,
      };
    },
  });
}

/** All pages of a listing. */
async function all<T>(path: string, name: string, signal: AbortSignal): Promise<T[]> {
  const found: T[] = [];
  let token: string | null = '';
  while (token !== null) {
    const query: string = token === '' ? '' : `?continuationToken=${encodeURIComponent(token)}`;
    const page: unknown = await get(path + query, signal);
    if (Array.isArray(page)) return page as T[];
    const { [name]: entries, pagination } = page as Readonly<Record<string, readonly T[]>> & {
      readonly pagination?: { readonly continuation_token: string | null };
    };
    found.push(...(entries ?? []));
    token = pagination?.continuation_token ?? null;
  }
  return found;
}

function byId<T extends { readonly id: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.id, one]));
}
