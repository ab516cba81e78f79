import { deleteItem, restoreItem } from '../content/items.ts';
import { deleteVariant, restoreVariant } from '../content/variants.ts';
import { arrayOf, closed, count, flag, id, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import { WHOLE } from '../http/route.ts';
import { VARIANT_STATES } from '../model/variant-state.ts';
import { allowedWithItem, allowedWithVariant } from '../publishing/allowed-acts.ts';
import { type DiscardPlan, discardDraft, planDiscard } from '../publishing/discard-draft.ts';
import { assetUsedIn, itemUsedIn, type UsedIn } from '../publishing/used-in.ts';
import { findItemStates, type ItemStates, listItemStates } from '../publishing/variant-states.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { ALLOWED_SCHEMA } from './allowed-schema.ts';
import {
  type Answer,
  afterOf,
  type Call,
  change,
  isOn,
  knownValue,
  limitOf,
  ok,
  pageAnswer,
} from './call.ts';
import { anyLanguageOf, typeOf } from './content-query.ts';
import { named, namedVariant } from './named.ts';
import { language, pages, planOnly, query, routesOf, shows } from './route.ts';

const ITEM = 'projects/:project/items/:item';
const VARIANT = `${ITEM}/variants/:language`;

const route = routesOf({ read: 'view-content', write: 'delete-content' });

export const contentRoutes = [
  route('GET projects/:project/items', {
    id: 'listItemStates',
    summary: 'List items with the state of each language',
    ...pages('items', 'AdminItem', [
      query('type', 'Id or codename of a content type.'),
      query('state', 'State, in `language` or in any.', { enum: [...VARIANT_STATES] }),
      language,
      query('text', 'Part of the name or codename.'),
    ]),
    handler: listItems,
  }),
  route(`GET ${ITEM}`, {
    id: 'getItemStates',
    tagged: WHOLE,
    summary: 'Read an item with the state of each language',
    answers: shows('AdminItem'),
    handler: async ({ operations, at }) =>
      ok(
        await operations.read(at('project'), async (view) =>
          itemJson(view, await findItemStates(view, at('item'))),
        ),
      ),
  }),
  route(`POST ${ITEM}/archive`, {
    id: 'archiveItem',
    summary: 'Archive an item',
    conflict: true,
    handler: (call) => change(call, (transaction) => deleteItem(transaction, { id: call.at('item') })),
  }),
  route(`POST ${ITEM}/restore`, {
    id: 'restoreItem',
    summary: 'Restore an item',
    conflict: true,
    handler: (call) => change(call, (transaction) => restoreItem(transaction, call.at('item'))),
  }),
  route(`POST ${VARIANT}/archive`, {
    id: 'archiveVariant',
    summary: 'Archive a language variant',
    conflict: true,
    handler: (call) =>
      change(call, (transaction) =>
        deleteVariant(transaction, { id: call.at('item') }, { id: call.at('language') }),
      ),
  }),
  route(`POST ${VARIANT}/restore`, {
    id: 'restoreVariant',
    summary: 'Restore a language variant',
    conflict: true,
    handler: (call) =>
      change(call, (transaction) =>
        restoreVariant(transaction, { id: call.at('item') }, { id: call.at('language') }),
      ),
  }),
  route(`POST ${VARIANT}/discard-draft`, {
    id: 'discardDraft',
    summary: 'Discard the draft of a published variant, or plan it',
    permission: 'edit-content',
    conflict: true,
    parameters: [
      planOnly,
      query('version', 'Of the plan: where the draft is another one by now, nothing is discarded.', {
        type: 'integer',
      }),
    ],
    answers: shows('AdminDiscardPlan'),
    handler: async ({ operations, at, query }) => {
      const onlyPlan = isOn(query, 'plan');
      const version = query.get('version');
      const [item, language] = [{ id: at('item') }, { id: at('language') }];
      const plan = onlyPlan
        ? await operations.read(at('project'), (view) => planDiscard(view, item, language))
        : await operations.inProject(at('project'), null, (transaction) =>
            discardDraft(transaction, item, language, version === null ? undefined : Number(version)),
          );
      return ok(discardJson(plan, onlyPlan));
    },
  }),
  route(`GET ${ITEM}/used-in`, {
    id: 'itemUsedIn',
    summary: 'List what refers to an item',
    ...pages('used_in', 'AdminUsedIn'),
    handler: (call) => usedIn(call, itemUsedIn, call.at('item')),
  }),
  route('GET projects/:project/assets/:asset/used-in', {
    id: 'assetUsedIn',
    summary: 'List what refers to an asset',
    ...pages('used_in', 'AdminUsedIn'),
    handler: (call) => usedIn(call, assetUsedIn, call.at('asset')),
  }),
];

async function listItems({ operations, at, query }: Call): Promise<Answer> {
  const [after] = afterOf(query, [0]);
  const limit = limitOf(query);
  const state = query.get('state');
  const known = state ? knownValue(VARIANT_STATES, state, 'state') : undefined;
  const text = query.get('text') ?? '';
  const rows = await operations.read(at('project'), async (view) => {
    const type = query.get('type');
    const language = query.get('language');
    const items = await listItemStates(view, {
      after,
      limit: limit + 1,
      ...(known && { state: known }),
      ...(type && { type: typeOf(view, type) }),
      ...(language && { language: anyLanguageOf(view, language) }),
      ...(text !== '' && { text }),
    });
    return items.map((item) => ({ number: item.number, json: itemJson(view, item) }));
  });
  return pageAnswer(
    'items',
    rows,
    limit,
    ({ number }) => [number],
    ({ json }) => json,
  );
}

async function usedIn({ operations, at, query }: Call, read: typeof itemUsedIn, id: string): Promise<Answer> {
  const after = afterOf(query, [0, 0] as readonly [number, number]);
  const limit = limitOf(query);
  const rows = await operations.read(at('project'), (view) => read(view, id, { after, limit: limit + 1 }));
  return pageAnswer('used_in', rows, limit, (row) => row.at, usedInJson);
}

function itemJson(view: ProjectView, item: ItemStates) {
  return {
    ...named(item),
    type: named(item.type),
    external_id: item.externalId,
    created: item.created,
    last_modified: item.lastModified,
    archived: item.archived,
    allowed: allowedWithItem(view, item.type),
    languages: item.languages.map(({ language, state, lastModified, scheduledTo }) => ({
      language: named(language),
      state,
      last_modified: lastModified,
      scheduled_to: scheduledTo,
      allowed: allowedWithVariant(view, item.type, { language, scheduledTo }),
    })),
  };
}

function usedInJson({ item, language, published, latest }: UsedIn) {
  return {
    ...namedVariant({ item, language }),
    published,
    latest,
  };
}

function discardJson({ elements, written, author, scheduledTo, version }: DiscardPlan, plan: boolean) {
  return {
    plan,
    elements: elements.map(({ element: { id, name }, codename }) => ({ id, name, codename })),
    last_modified: written,
    user: author,
    scheduled_to: scheduledTo,
    version,
  };
}

export const contentSchemas = {
  AdminDiscardPlan: closed<keyof ReturnType<typeof discardJson>>(
    {
      plan: flag('Nothing was changed; the answer is a plan.'),
      elements: arrayOf(schema('AdminNamed'), 'The elements that the published version has otherwise.'),
      last_modified: time('When the draft was written.'),
      user: orNull(
        closed(
          { id: id('Id of the user.'), name: orNull(text('Name of the user.')) },
          'Who wrote the draft; null = the installation.',
        ),
      ),
      scheduled_to: orNull(time('When it would have been published; its schedule is canceled.')),
      version: count('Number of its version, which stays in the history and can be restored.'),
    },
    'What is lost with a draft.',
  ),
  AdminItem: closed<keyof ReturnType<typeof itemJson>>(
    {
      id: id('Id of the item.'),
      name: text('Name.'),
      codename: text('Codename.'),
      type: schema('AdminNamed'),
      external_id: orNull(text('External id, if it has one.')),
      created: time('When it was created.'),
      last_modified: time('When its name or sitemap locations changed last.'),
      archived: orNull(time('When it was archived.')),
      allowed: { ...ALLOWED_SCHEMA, description: 'What you may do with the item in all languages.' },
      languages: arrayOf(
        closed(
          {
            language: schema('AdminNamed'),
            state: { enum: [...VARIANT_STATES], description: 'State of the variant.' },
            last_modified: orNull(time('When the variant changed last.')),
            scheduled_to: orNull(time('When it will be published.')),
            allowed: { ...ALLOWED_SCHEMA, description: 'What you may do with the variant.' },
          },
          'The variant of a language.',
        ),
        'One for each active language, the default one first.',
      ),
    },
    'An item with the state of each language.',
  ),
  AdminUsedIn: closed<keyof ReturnType<typeof usedInJson>>(
    {
      item: schema('AdminNamed'),
      language: schema('AdminNamed'),
      published: flag('The published version refers to it.'),
      latest: flag('The latest version does.'),
    },
    'A variant that refers to the item or asset.',
  ),
};
