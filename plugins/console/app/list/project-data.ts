/** What the filters of a project offer. */
import { queryOptions, useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { byName } from './by-name.ts';

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
}

export interface Element {
  readonly name?: string;
  readonly codename: string;
  readonly type: string;
}

export interface ContentType extends Named {
  readonly elements: readonly Element[];
}

interface SitemapNode extends Named {
  readonly nodes: readonly SitemapNode[];
}

interface Term extends Named {
  readonly terms: readonly Term[];
}

/** A node of a tree with its distance from the root. */
export interface Leveled extends Named {
  readonly level: number;
}

async function all<T>(path: string, key: string): Promise<T[]> {
  const found: T[] = [];
  for (let token = ''; ; ) {
    const page = await get<Record<string, T[]> & { pagination?: { continuation_token: string | null } }>(
      `${path}${token === '' ? '' : `?continuationToken=${encodeURIComponent(token)}`}`,
    );
    found.push(...(page[key] ?? []));
    token = page.pagination?.continuation_token ?? '';
    if (token === '') return found;
  }
}

export const typesQuery = (project: string) =>
  queryOptions({
    queryKey: [project, 'types'],
    queryFn: async () => byName(await all<ContentType>(`manage/projects/${project}/types`, 'types')),
    staleTime: 60_000,
  });

export const useTypes = (project: string) => useQuery(typesQuery(project));

export const languagesQuery = (project: string) =>
  queryOptions({
    queryKey: [project, 'languages'],
    queryFn: async () =>
      (
        await all<Named & { readonly is_active: boolean; readonly is_default: boolean }>(
          `manage/projects/${project}/languages`,
          'languages',
        )
      ).filter((language) => language.is_active),
    staleTime: 60_000,
  });

export const useLanguages = (project: string) => useQuery(languagesQuery(project));

/** Those who may have written something, as far as a choice can list them. */
export function useAuthors(project: string, enabled: boolean) {
  return useQuery({
    queryKey: [project, 'authors'],
    queryFn: async () =>
      (
        await get<{ readonly found: readonly Omit<Named, 'codename'>[] }>(
          `admin/projects/${project}/find?kind=user&limit=100`,
        )
      ).found,
    meta: { follows: ['user'] },
    enabled,
  });
}

export function useLocations(project: string, enabled: boolean) {
  return useQuery({
    queryKey: [project, 'sitemap'],
    queryFn: async () => {
      const { nodes } = await get<{ readonly nodes: readonly SitemapNode[] }>(
        `admin/projects/${project}/sitemap`,
      );
      return leveled(nodes, (node) => node.nodes);
    },
    enabled,
  });
}

export function useTerms(project: string, enabled: boolean) {
  return useQuery({
    queryKey: [project, 'terms'],
    queryFn: async () =>
      (
        await all<Named & { readonly terms: readonly Term[] }>(
          `manage/projects/${project}/taxonomies`,
          'taxonomies',
        )
      ).map(({ name, terms }) => ({ name, terms: leveled(terms, (term) => term.terms) })),
    enabled,
  });
}

function leveled<T extends Named>(
  nodes: readonly T[],
  childrenOf: (node: T) => readonly T[],
  level = 0,
): Leveled[] {
  return nodes.flatMap((node) => [
    { id: node.id, name: node.name, codename: node.codename, level },
    ...leveled(childrenOf(node), childrenOf, level + 1),
  ]);
}
