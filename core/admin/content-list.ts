import type { ContentFilter, ContentOrder } from '../content-list/content-filter.ts';
import { listContent } from '../content-list/list-content.ts';
import { type ListedItem, type ListedVariant, readListedItems } from '../content-list/listed-items.ts';
import { ServiceError } from '../errors.ts';
import { arrayOf, closed, count, id, mapOf, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import type { ContentType, Language } from '../model/model.ts';
import { findReferred, type Referable } from '../model/reference.ts';
import { VARIANT_STATES, type VariantState } from '../publishing/variant-states.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type Answer, type Call, limitOf, ok, referenceTo } from './call.ts';
import { query, routesOf, shows } from './route.ts';

const ORDERS = ['relevance', 'name', 'changed', 'type', 'state'] as const;
const ELEMENT = 'elements.';
/** Elements whose values are listed. */
const COLUMNS = 10;

const route = routesOf({ read: 'view-content', write: 'edit-content' });

export const contentListRoutes = [
  route('GET projects/:project/content', {
    id: 'listContent',
    summary: 'List items in one language, in any order, from any position',
    description:
      'Filters are combined; values of one filter, separated by commas, are alternatives. Filters by term and orders by an element see the latest versions of variants that are not archived.',
    parameters: [
      query('language', 'Id or codename of the language; the default one if not given.'),
      query('beside', 'Further languages whose variants are shown, separated by commas.'),
      query('type', 'Content types, separated by commas.'),
      query('state', 'States in `language`, separated by commas; all but `archived` if not given.'),
      query('text', 'Part of the name or codename, or the id of an item.'),
      query('term', 'Id or codename of a taxonomy term.'),
      query('location', 'Id or codename of a sitemap node.'),
      query('author', 'Id of the user who wrote the latest version.'),
      query('changed_from', 'Changed at this time or later; ISO 8601.'),
      query('changed_before', 'Changed before this time.'),
      query(
        'order',
        `One of ${ORDERS.join(', ')}, or \`elements.\` with the codename of an element of the one type.`,
      ),
      query('descending', '`true`: in the opposite order.', { enum: ['true', 'false'] }),
      query('offset', 'Items before the page.', { type: 'integer', minimum: 0 }),
      query('limit', 'Items of the page.', { type: 'integer', minimum: 1, maximum: 100 }),
      query(
        'elements',
        `Codenames of elements whose values are shown, at most ${COLUMNS}, separated by commas.`,
      ),
    ],
    answers: shows(
      closed({
        items: arrayOf(schema('AdminListedItem')),
        total: count('Items that match.'),
      }),
    ),
    handler: list,
  }),
];

async function list({ operations, at, query }: Call): Promise<Answer> {
  const limit = limitOf(query);
  const offset = offsetOf(query);
  const columns = partsOf(query, 'elements').slice(0, COLUMNS);
  const answer = await operations.read(at('project'), async (view) => {
    const filter = filterOf(query, view);
    const { items, total } = await listContent(view, filter, {
      order: orderOf(query, filter),
      descending: query.get('descending') === 'true',
      offset,
      limit,
    });
    const beside = partsOf(query, 'beside').map((given) => languageOf(view, given));
    const languages = [...new Set([filter.language, ...beside])];
    return { items: await readListedItems(view, items, languages, columns), total };
  });
  return ok({ items: answer.items.map(itemJson), total: answer.total });
}

function filterOf(query: URLSearchParams, view: ProjectView): ContentFilter {
  const { model } = view;
  const language = query.get('language') || undefined;
  const term = query.get('term') || undefined;
  const location = query.get('location') || undefined;
  const wanted = query.get('text')?.trim() || undefined;
  const author = query.get('author')?.toLowerCase() || undefined;
  const from = timeOf(query, 'changed_from');
  const before = timeOf(query, 'changed_before');
  const terms = term === undefined ? undefined : termsOf(view, term);
  return {
    language: language === undefined ? defaultLanguage(view) : languageOf(view, language),
    types: partsOf(query, 'type').map((given) => typeOf(view, given)),
    states: partsOf(query, 'state').map(stateOf),
    ...(wanted !== undefined && { text: wanted }),
    ...(terms && { terms }),
    ...(location !== undefined && {
      location: found([...model.sitemapNodeById.values()], location, 'location'),
    }),
    ...(author !== undefined && { author }),
    ...(from !== undefined && { changedFrom: from }),
    ...(before !== undefined && { changedBefore: before }),
  };
}

function orderOf(query: URLSearchParams, { types, text }: ContentFilter): ContentOrder {
  const given = query.get('order') || (text === undefined ? 'name' : 'relevance');
  if (given.startsWith(ELEMENT)) {
    const [type, ...others] = types;
    const field = others.length === 0 ? type?.fieldByCodename.get(given.slice(ELEMENT.length)) : undefined;
    if (field) return field;
    throw new ServiceError('orderAttribute', `An order by an element needs one 'type' that has it.`);
  }
  const order = ORDERS.find((one) => one === given);
  if (order) return order;
  throw new ServiceError('orderAttribute', `'order' must be one of ${ORDERS.join(', ')} or elements.….`);
}

/** Values that commas separate. */
function partsOf(query: URLSearchParams, name: string): string[] {
  const parts = (query.get(name) ?? '').split(',').map((part) => part.trim());
  return [...new Set(parts.filter((part) => part !== ''))];
}

function offsetOf(query: URLSearchParams): number {
  const given = query.get('offset') || '0';
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new ServiceError('notPositiveOrZero', `'offset' must be a whole number from 0.`);
}

function timeOf(query: URLSearchParams, name: string): string | undefined {
  const given = query.get(name) || undefined;
  if (given === undefined) return undefined;
  const time = new Date(given);
  if (!/^\d{4}-\d\d-\d\d/.test(given) || Number.isNaN(time.getTime()))
    throw new ServiceError('badRequest', `'${name}' must be a time: ISO 8601.`);
  return time.toISOString().replace('Z', '0000Z');
}

function stateOf(given: string): VariantState {
  const state = VARIANT_STATES.find((one) => one === given);
  if (state) return state;
  throw new ServiceError('badRequest', `'state' must be one of ${VARIANT_STATES.join(', ')}.`);
}

function defaultLanguage({ model }: ProjectView): Language {
  const language = model.languages.find(({ isDefault }) => isDefault);
  if (language) return language;
  throw new Error('The project has no default language.');
}

function languageOf({ model }: ProjectView, given: string): Language {
  const language = findReferred(model.languages, referenceTo(given));
  if (language?.isActive) return language;
  throw new ServiceError('languageNotFound', `There is no active language '${given}'.`);
}

function typeOf({ model }: ProjectView, given: string): ContentType {
  const type = findReferred(model.types, referenceTo(given));
  if (type) return type;
  throw new ServiceError('typeNotFound', `There is no type '${given}'.`);
}

/** Terms of several groups may have one codename. */
function termsOf({ model }: ProjectView, given: string) {
  const { id, codename } = referenceTo(given);
  const terms = model.taxonomies.flatMap(
    ({ termById, termByCodename }) =>
      (id === undefined ? termByCodename.get(codename ?? '') : termById.get(id)) ?? [],
  );
  if (terms.length > 0) return terms;
  throw new ServiceError('objectNotFound', `There is no term '${given}'.`);
}

function found<T extends Referable>(among: readonly T[], given: string, name: string): T {
  const one = findReferred(among, referenceTo(given));
  if (one) return one;
  throw new ServiceError('objectNotFound', `There is no ${name} '${given}'.`);
}

function itemJson({ item, archived, variants }: ListedItem) {
  return {
    id: item.id,
    name: item.name,
    codename: item.codename,
    type: { id: item.type.id, name: item.type.name, codename: item.type.codename },
    archived,
    variants: variants.map(variantJson),
  };
}

function variantJson(variant: ListedVariant) {
  const { language, state, lastModified, modifiedBy, scheduledTo, elements } = variant;
  return {
    language: { id: language.id, name: language.name, codename: language.codename },
    state,
    last_modified: lastModified,
    modified_by: modifiedBy,
    scheduled_to: scheduledTo,
    elements,
  };
}

const shortValue = closed(
  {
    type: text('Kind of the element.'),
    value: {
      oneOf: [{ type: ['string', 'number', 'null'] }, { type: 'array', items: { type: 'string' } }],
      description: 'Of a text its beginning, of a list the names of its first members; null when empty.',
    },
    length: count('Characters of the whole text, members of the whole list.'),
  },
  'A value, shortened.',
);

export const contentListSchemas = {
  AdminListedItem: closed<keyof ReturnType<typeof itemJson>>(
    {
      id: id('Id of the item.'),
      name: text('Name.'),
      codename: text('Codename.'),
      type: schema('AdminNamed'),
      archived: orNull(time('When it was archived.')),
      variants: arrayOf(schema('AdminListedVariant'), 'That of `language`, then those of `beside`.'),
    },
    'An item of a list.',
  ),
  AdminListedVariant: closed<keyof ReturnType<typeof variantJson>>(
    {
      language: schema('AdminNamed'),
      state: { enum: [...VARIANT_STATES], description: 'State of the variant.' },
      last_modified: orNull(time('When its latest version was written; null without a variant.')),
      modified_by: orNull(
        closed({ id: text('Id of the user.'), name: text('Name.') }, 'Who wrote it, where a user did.'),
      ),
      scheduled_to: orNull(time('When it will be published.')),
      elements: mapOf(shortValue, 'Values of the elements that were asked for and that its type has.'),
    },
    'An item in one language.',
  ),
};
