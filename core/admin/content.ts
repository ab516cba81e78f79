import { deleteItem, restoreItem } from '../content/items.ts';
import { deleteVariant, restoreVariant } from '../content/variants.ts';
import { ServiceError } from '../errors.ts';
import { findReferred } from '../model/reference.ts';
import { assetUsedIn, itemUsedIn, type UsedIn } from '../publishing/used-in.ts';
import {
  findItemStates,
  type ItemStates,
  listItemStates,
  VARIANT_STATES,
  type VariantState,
} from '../publishing/variant-states.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import {
  type Answer,
  afterOf,
  type Call,
  limitOf,
  NOTHING,
  ok,
  pageAnswer,
  referenceTo,
  route,
} from './call.ts';

const ITEM = 'projects/:project/items/:item';
const VARIANT = `${ITEM}/variants/:language`;

export const contentRoutes = [
  route('GET', 'projects/:project/items', listItems),
  route('GET', ITEM, async ({ operations, at }) =>
    ok(
      await operations.read(at('project'), async (view) => itemJson(await findItemStates(view, at('item')))),
    ),
  ),
  route('POST', `${ITEM}/archive`, async ({ operations, at }) => {
    await operations.inProject(at('project'), null, (transaction) =>
      deleteItem(transaction, { id: at('item') }),
    );
    return NOTHING;
  }),
  route('POST', `${ITEM}/restore`, async ({ operations, at }) => {
    await operations.inProject(at('project'), null, (transaction) => restoreItem(transaction, at('item')));
    return NOTHING;
  }),
  route('POST', `${VARIANT}/archive`, async ({ operations, at }) => {
    await operations.inProject(at('project'), null, (transaction) =>
      deleteVariant(transaction, { id: at('item') }, { id: at('language') }),
    );
    return NOTHING;
  }),
  route('POST', `${VARIANT}/restore`, async ({ operations, at }) => {
    await operations.inProject(at('project'), null, (transaction) =>
      restoreVariant(transaction, { id: at('item') }, { id: at('language') }),
    );
    return NOTHING;
  }),
  route('GET', `${ITEM}/used-in`, (call) => usedIn(call, itemUsedIn, call.at('item'))),
  route('GET', 'projects/:project/assets/:asset/used-in', (call) =>
    usedIn(call, assetUsedIn, call.at('asset')),
  ),
];

async function listItems({ operations, at, query }: Call): Promise<Answer> {
  const [after] = afterOf(query, [0]);
  const limit = limitOf(query);
  const state = stateOf(query);
  const text = query.get('text') ?? '';
  const rows = await operations.read(at('project'), (view) => {
    const type = partOf(query, 'type', view, 'typeNotFound');
    const language = partOf(query, 'language', view, 'languageNotFound');
    return listItemStates(view, {
      after,
      limit: limit + 1,
      ...(state !== undefined && { state }),
      ...(type && { type }),
      ...(language && { language }),
      ...(text !== '' && { text }),
    });
  });
  return pageAnswer('items', rows, limit, ({ number }) => [number], itemJson);
}

async function usedIn({ operations, at, query }: Call, read: typeof itemUsedIn, id: string): Promise<Answer> {
  const after = afterOf(query, [0, 0] as readonly [number, number]);
  const limit = limitOf(query);
  const rows = await operations.read(at('project'), (view) => read(view, id, { after, limit: limit + 1 }));
  return pageAnswer('used_in', rows, limit, (row) => row.at, usedInJson);
}

function stateOf(query: URLSearchParams): VariantState | undefined {
  const given = query.get('state');
  if (given === null || given === '') return undefined;
  const state = VARIANT_STATES.find((one) => one === given);
  if (state) return state;
  throw new ServiceError('badRequest', `'state' must be one of ${VARIANT_STATES.join(', ')}.`);
}

const PARTS = {
  type: ({ model }: ProjectView) => model.types,
  language: ({ model }: ProjectView) => model.languages,
};

function partOf<Name extends keyof typeof PARTS>(
  query: URLSearchParams,
  name: Name,
  view: ProjectView,
  error: 'typeNotFound' | 'languageNotFound',
): ReturnType<(typeof PARTS)[Name]>[number] | undefined {
  const given = query.get(name);
  if (given === null || given === '') return undefined;
  const all = PARTS[name](view) as readonly ReturnType<(typeof PARTS)[Name]>[number][];
  const found = findReferred(all, referenceTo(given));
  if (found) return found;
  throw new ServiceError(error, `There is no ${name} '${given}'.`);
}

function itemJson(item: ItemStates) {
  return {
    id: item.id,
    name: item.name,
    codename: item.codename,
    type: { id: item.type.id, name: item.type.name, codename: item.type.codename },
    external_id: item.externalId,
    created: item.created,
    last_modified: item.lastModified,
    archived: item.archived,
    languages: item.languages.map(({ language, state, lastModified, scheduledTo }) => ({
      language: { id: language.id, name: language.name, codename: language.codename },
      state,
      last_modified: lastModified,
      scheduled_to: scheduledTo,
    })),
  };
}

function usedInJson({ item, language, published, latest }: UsedIn) {
  return {
    item: { id: item.id, name: item.name, codename: item.codename },
    language: { id: language.id, name: language.name, codename: language.codename },
    published,
    latest,
  };
}
