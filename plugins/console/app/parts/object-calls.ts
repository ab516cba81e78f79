/** Objects beside content, as GETs of the APIs. */
import type { ApiCall } from './api-snippets.ts';

export type ObjectKind =
  | 'assets'
  | 'types'
  | 'snippets'
  | 'taxonomies'
  | 'sitemap'
  | 'languages'
  | 'webhooks';

interface Identified {
  readonly id: string;
  readonly codename?: string;
}

/** How published clients call the APIs; `one` is behind what identifies the object. */
interface Clients {
  readonly list: string;
  readonly one: string;
}

const MANAGE: Readonly<Record<Exclude<ObjectKind, 'sitemap'>, Clients>> = {
  assets: { list: '.listAssets()', one: '.viewAsset().byAssetId' },
  types: { list: '.listContentTypes()', one: '.viewContentType().byTypeId' },
  snippets: { list: '.listContentTypeSnippets()', one: '.viewContentTypeSnippet().byTypeId' },
  taxonomies: { list: '.listTaxonomies()', one: '.getTaxonomy().byTaxonomyId' },
  languages: { list: '.listLanguages()', one: '.viewLanguage().byLanguageId' },
  webhooks: { list: '.listWebhooks()', one: '.getWebhook().byId' },
};

/** Delivery and preview have these; single ones are identified by their codenames. */
const DELIVERY: Partial<Readonly<Record<ObjectKind, Clients>>> = {
  types: { list: '.types()', one: '.type' },
  taxonomies: { list: '.taxonomies()', one: '.taxonomy' },
};

const call = (client: string, identifier: string) => `${client}(${JSON.stringify(identifier)})`;

/** @param query of the listing of the admin API, which knows the filters of the screen; absent: it has no other listing */
export function listingCalls(kind: ObjectKind, query?: string): readonly ApiCall[] {
  const path = `/${kind}`;
  const calls: ApiCall[] = [];
  const delivered = DELIVERY[kind];
  const client = delivered && { client: delivered.list };
  if (client || kind === 'languages')
    calls.push({ api: 'delivery', path, ...client }, { api: 'preview', path, ...client });
  if (kind === 'sitemap') return [{ api: 'admin', path }];
  calls.push({ api: 'manage', path, client: MANAGE[kind].list });
  if (query !== undefined) calls.push({ api: 'admin', path: query === '' ? path : `${path}?${query}` });
  return calls;
}

export function objectCalls(
  kind: Exclude<ObjectKind, 'sitemap'>,
  { id, codename }: Identified,
): readonly ApiCall[] {
  const delivered = DELIVERY[kind];
  const calls: ApiCall[] = [];
  if (delivered && codename !== undefined) {
    const shared = { path: `/${kind}/${codename}`, client: call(delivered.one, codename) };
    calls.push({ api: 'delivery', ...shared }, { api: 'preview', ...shared });
  }
  calls.push({ api: 'manage', path: `/${kind}/${id}`, client: call(MANAGE[kind].one, id) });
  if (kind === 'assets' || kind === 'webhooks') calls.push({ api: 'admin', path: `/${kind}/${id}` });
  return calls;
}
