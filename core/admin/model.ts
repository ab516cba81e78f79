import { updateLanguage } from '../content/languages.ts';
import { replaceSitemap } from '../content/sitemap.ts';
import { archiveTaxonomy, restoreTaxonomy } from '../content/taxonomies.ts';
import type { SitemapNode } from '../model/model.ts';
import { type Call, NOTHING, ok, refuse, route } from './call.ts';

export const modelRoutes = [
  route('GET', 'projects/:project/sitemap', async ({ operations, at }) =>
    ok({ nodes: await operations.read(at('project'), async ({ model }) => model.sitemap.map(toJson)) }),
  ),
  route('PUT', 'projects/:project/sitemap', async ({ operations, at, body }) => {
    const { nodes } = await body();
    if (!Array.isArray(nodes))
      return refuse("'nodes' must be an array; an empty one empties the sitemap.", 'nodes');
    const tree = await operations.inProject(at('project'), null, (transaction) =>
      replaceSitemap(transaction, nodes),
    );
    return ok({ nodes: tree.map(toJson) });
  }),
  route('POST', 'projects/:project/taxonomies/:taxonomy/archive', async ({ operations, at }) => {
    await operations.inProject(at('project'), null, (transaction) =>
      archiveTaxonomy(transaction, { id: at('taxonomy') }),
    );
    return NOTHING;
  }),
  route('POST', 'projects/:project/taxonomies/:taxonomy/restore', async ({ operations, at }) => {
    await operations.inProject(at('project'), null, (transaction) =>
      restoreTaxonomy(transaction, at('taxonomy')),
    );
    return NOTHING;
  }),
  route('POST', 'projects/:project/languages/:language/deactivate', (call) => switchLanguage(call, false)),
  route('POST', 'projects/:project/languages/:language/activate', (call) => switchLanguage(call, true)),
];

async function switchLanguage({ operations, at }: Call, is_active: boolean) {
  await operations.inProject(at('project'), null, (transaction) =>
    updateLanguage(transaction, { id: at('language') }, { is_active }),
  );
  return NOTHING;
}

function toJson({ id, name, codename, nodes }: SitemapNode): unknown {
  return { id, name, codename, nodes: nodes.map(toJson) };
}
