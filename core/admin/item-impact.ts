import { mayManageApis } from '../access/permissions.ts';
import { ITEM_RULES, type Item, type ItemChanges, updateItem } from '../content/items.ts';
import { arrayOf, closed, id, open, schema, text } from '../http/openapi-shapes.ts';
import { dryRun } from '../model-impact/dry-run.ts';
import { readTargets } from '../publishing/act-targets.ts';
import { readPublished } from '../publishing/find-effects.ts';
import { findShowing } from '../publishing/find-showing.ts';
import { USE } from '../storage/stale.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { webhooksOfAct } from '../webhooks/plan/webhooks-of-act.ts';
import { shownByJson } from './act-plan.ts';
import { noticedProperties } from './act-schemas.ts';
import { type Answer, type Call, ok } from './call.ts';
import { named } from './named.ts';
import { routesOf, shows } from './route.ts';

const route = routesOf({ read: 'view-content', write: 'create-content' });

export const itemImpactRoutes = [
  route('POST projects/:project/items/:item/impact', {
    id: 'planItemChange',
    summary: 'Find what a change of an item does for readers',
    description:
      'Changes nothing. Takes the body of `PUT items/<item>` of the management API, version 2, and refuses what that would refuse.',
    body: open(
      {
        name: text('Name.'),
        codename: text('Another codename; a generated one follows the name when it is absent.'),
        sitemap_locations: arrayOf(closed({ id: id('Id of the node.') }), 'Nodes of the sitemap.'),
      },
      undefined,
      ['name', 'sitemap_locations'],
    ),
    answers: shows('AdminItemImpact'),
    handler: planItemChange,
  }),
];

async function planItemChange({ operations, at, body, person }: Call): Promise<Answer> {
  const { codename, ...given } = await body();
  // As the PUT reads it, an empty codename is none. The operation checks the types of the values.
  const changes = { ...given, ...(codename ? { codename } : {}) } as unknown as ItemChanges;
  const { result: after } = await dryRun(operations, at('project'), (transaction) =>
    updateItem(transaction, { id: at('item') }, changes, ITEM_RULES),
  );
  const namesWebhooks = await mayManageApis(operations.reader.sql, person, at('project'));
  return ok(await operations.read(at('project'), (view) => impactJson(view, after, namesWebhooks)));
}

/** @param after the item as the change makes it */
async function impactJson(view: ProjectView, after: Item, namesWebhooks: boolean) {
  const published = await readPublished(view, [after.number]);
  const languages = view.model.languages.filter(
    ({ number, isActive }) => isActive && published.has(`${after.number}:${number}`),
  );
  const targets = await readTargets(view, [{ item: after.number, language: null }]);
  const isPublic = languages.length > 0;
  const isRenamed = targets.some(({ item }) => item.codename !== after.codename);
  const shownBy = await findShowing(
    view,
    isPublic || isRenamed ? targets.map((target) => ({ ...target, change: 'replace' })) : [],
    // Of an item that is not public, readers see the codename in elements that link it.
    isPublic ? undefined : [USE.linkedItem],
  );
  const webhooks = await webhooksOfAct(
    view,
    'move',
    targets.map((target) => ({
      ...target,
      change: target.item.lastModified === after.lastModified ? 'none' : 'move',
    })),
    isRenamed,
  );
  return {
    name: after.name,
    codename: after.codename,
    sitemap_locations: after.sitemapLocations.map((id) => ({ id })),
    languages: languages.map(named),
    shown_by: shownByJson(shownBy),
    webhook_count: webhooks.length,
    webhooks: namesWebhooks ? webhooks : [],
  };
}

export const itemImpactSchemas = {
  AdminItemImpact: closed<keyof Awaited<ReturnType<typeof impactJson>>>(
    {
      name: text('Name after the change.'),
      codename: text('Codename after the change.'),
      sitemap_locations: arrayOf(closed({ id: id('Id of the node.') }), 'Nodes after the change.'),
      languages: arrayOf(
        schema('AdminNamed'),
        'Languages in which the item is public: their readers notice the change at once.',
      ),
      ...noticedProperties,
    },
    'What a change of an item does for readers.',
  ),
};
