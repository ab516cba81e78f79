import { updateLanguage } from '../content/languages.ts';
import { replaceSitemap } from '../content/sitemap.ts';
import { archiveTaxonomy, restoreTaxonomy } from '../content/taxonomies.ts';
import { arrayOf, closed, id, open, schema, text } from '../http/openapi-shapes.ts';
import { WHOLE } from '../http/route.ts';
import type { SitemapNode } from '../model/model.ts';
import { type Call, change, ok, refuse } from './call.ts';
import { routesOf, shows } from './route.ts';

const route = routesOf({ read: 'view-content', write: 'manage-languages' });

export const modelRoutes = [
  route('GET projects/:project/sitemap', {
    id: 'getSitemap',
    tagged: WHOLE,
    summary: 'Read the sitemap',
    answers: shows('AdminSitemap'),
    handler: async ({ operations, at }) =>
      ok({ nodes: await operations.read(at('project'), async ({ model }) => model.sitemap.map(toJson)) }),
  }),
  route('PUT projects/:project/sitemap', {
    id: 'replaceSitemap',
    summary: 'Replace the sitemap; nodes with known ids or codenames are kept',
    permission: 'manage-sitemap',
    body: open({ nodes: arrayOf({ type: 'object' }) }, undefined, ['nodes']),
    answers: shows('AdminSitemap'),
    handler: async ({ operations, at, body }) => {
      const { nodes } = await body();
      if (!Array.isArray(nodes))
        return refuse("'nodes' must be an array; an empty one empties the sitemap.", 'nodes');
      const tree = await operations.inProject(at('project'), null, (transaction) =>
        replaceSitemap(transaction, nodes),
      );
      return ok({ nodes: tree.map(toJson) });
    },
  }),
  route('POST projects/:project/taxonomies/:taxonomy/archive', {
    id: 'archiveTaxonomy',
    summary: 'Archive a taxonomy group',
    permission: 'manage-taxonomies',
    conflict: true,
    handler: (call) =>
      change(call, (transaction) => archiveTaxonomy(transaction, { id: call.at('taxonomy') })),
  }),
  route('POST projects/:project/taxonomies/:taxonomy/restore', {
    id: 'restoreTaxonomy',
    summary: 'Restore a taxonomy group',
    permission: 'manage-taxonomies',
    conflict: true,
    handler: (call) => change(call, (transaction) => restoreTaxonomy(transaction, call.at('taxonomy'))),
  }),
  route('POST projects/:project/languages/:language/deactivate', {
    id: 'deactivateLanguage',
    summary: 'Deactivate a language',
    handler: (call) => setActive(call, false),
  }),
  route('POST projects/:project/languages/:language/activate', {
    id: 'activateLanguage',
    summary: 'Activate a language',
    handler: (call) => setActive(call, true),
  }),
];

function setActive(call: Call, is_active: boolean) {
  return change(call, (transaction) =>
    updateLanguage(transaction, { id: call.at('language') }, { is_active }),
  );
}

function toJson({ id, name, codename, nodes }: SitemapNode): unknown {
  return { id, name, codename, nodes: nodes.map(toJson) };
}

export const modelSchemas = {
  AdminSitemapNode: closed(
    {
      id: id('Id of the node.'),
      name: text('Name.'),
      codename: text('Codename.'),
      nodes: arrayOf(schema('AdminSitemapNode'), 'Nodes below it.'),
    },
    'A node of the sitemap.',
  ),
  AdminSitemap: closed(
    { nodes: arrayOf(schema('AdminSitemapNode'), 'The roots.') },
    'The sitemap of a project.',
  ),
};
