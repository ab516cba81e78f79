import { countContent, countUnlisted } from '../content-list/count-content.ts';
import { FOUND_KINDS, type FoundObject, findObjects } from '../content-list/find-objects.ts';
import { listContent } from '../content-list/list-content.ts';
import { type ListedItem, type ListedVariant, readListedItems } from '../content-list/listed-items.ts';
import { arrayOf, closed, count, id, mapOf, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import { VARIANT_STATES } from '../model/variant-state.ts';
import { allowedWithItem, allowedWithVariant } from '../publishing/allowed-acts.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { ALLOWED_SCHEMA } from './allowed-schema.ts';
import { type Answer, type Call, isOn, knownValue, limitOf, ok } from './call.ts';
import { filterOf, languageOf, listedLanguage, ORDERS, offsetOf, orderOf, partsOf } from './content-query.ts';
import { named } from './named.ts';
import { lists, query, routesOf, shows, TRUE_OR_FALSE } from './route.ts';

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
      query(
        'language',
        'Id or codename of the language; if not given, the default one, or the first that you may view.',
      ),
      query('beside', 'Further languages whose variants are shown, separated by commas.'),
      query('type', 'Content types, separated by commas.'),
      query('state', 'States in `language`, separated by commas; all but `archived` if not given.'),
      query(
        'text',
        'Words of the name, the codename or any text of the latest version, the last one perhaps incomplete; phrases in double quotes; or the id or codename of an item.',
      ),
      query('term', 'Id or codename of a taxonomy term.'),
      query('location', 'Id or codename of a sitemap node.'),
      query('author', 'Id of the user who wrote the latest version.'),
      query('changed_from', 'Changed at this time or later; ISO 8601; UTC without a zone.'),
      query('changed_before', 'Changed before this time; the same.'),
      query('lacking', '`true`: a required element is empty.', TRUE_OR_FALSE),
      query(
        'order',
        `One of ${ORDERS.join(', ')}, or \`elements.\` with the codename of an element of the one type.`,
      ),
      query('descending', '`true`: in the opposite order.', TRUE_OR_FALSE),
      query('offset', 'Items before the page.', { type: 'integer', minimum: 0 }),
      query('limit', 'Items of the page.', { type: 'integer', minimum: 1, maximum: 100 }),
      query('counts', '`true`: also how many items there are by type and state.', TRUE_OR_FALSE),
      query(
        'elements',
        `Codenames of elements whose values are shown, at most ${COLUMNS}, separated by commas.`,
      ),
    ],
    answers: shows('AdminContentPage'),
    handler: list,
  }),
  route('GET projects/:project/find', {
    id: 'findObjects',
    summary: 'Find items, types, assets and users by a few letters',
    description:
      'Names that begin with the text come first. Items are also found by all their words, their codename or id; without a text, those that changed last.',
    parameters: [
      query('text', 'A few letters.'),
      query('kind', `Of ${FOUND_KINDS.join(', ')}, separated by commas; all if not given.`),
      query(
        'language',
        'Id or codename of the language whose state is shown; if not given, the default one, or the first that you may view.',
      ),
      query('limit', 'Objects of the answer.', { type: 'integer', minimum: 1, maximum: 100 }),
    ],
    answers: lists('found', 'AdminFound'),
    handler: find,
  }),
];

async function find({ operations, at, query }: Call): Promise<Answer> {
  const limit = limitOf(query);
  const kinds = partsOf(query, 'kind').map((given) => knownValue(FOUND_KINDS, given, 'kind'));
  return ok({
    found: await operations.read(at('project'), async (view) => {
      const wanted = {
        text: query.get('text')?.trim() ?? '',
        kinds: FOUND_KINDS.filter((kind) => kinds.length === 0 || kinds.includes(kind)),
        language: listedLanguage(query, view),
        limit,
      };
      return (await findObjects(view, wanted)).map(foundJson);
    }),
  });
}

async function list({ operations, at, query }: Call): Promise<Answer> {
  const limit = limitOf(query);
  const offset = offsetOf(query);
  const columns = partsOf(query, 'elements').slice(0, COLUMNS);
  const descending = isOn(query, 'descending');
  const withCounts = isOn(query, 'counts');
  return ok(
    await operations.read(at('project'), async (view) => {
      const filter = filterOf(query, view);
      const { items, total } = await listContent(view, filter, {
        order: orderOf(query, filter),
        descending,
        offset,
        limit,
      });
      const beside = partsOf(query, 'beside').map((given) => languageOf(view, given));
      const languages = [...new Set([filter.language, ...beside])];
      return {
        items: (await readListedItems(view, items, languages, columns)).map((item) => itemJson(view, item)),
        total,
        allowed: {
          items: allowedWithItem(view, 'some'),
          variants: allowedWithVariant(view, 'some', { language: filter.language, scheduledTo: null }),
        },
        unlisted: await countUnlisted(view),
        ...(withCounts && { counts: await countContent(view, filter.language) }),
      };
    }),
  );
}

function foundJson({ kind, id, name, codename, type, state }: FoundObject) {
  return {
    kind,
    id,
    name,
    codename,
    type: type && named(type),
    state,
  };
}

function itemJson(view: ProjectView, { item, archived, variants }: ListedItem) {
  return {
    ...named(item),
    type: named(item.type),
    archived,
    allowed: allowedWithItem(view, item.type),
    variants: variants.map((variant) => ({
      ...variantJson(variant),
      allowed: allowedWithVariant(view, item.type, variant),
    })),
  };
}

function variantJson(variant: ListedVariant) {
  const { language, state, lastModified, modifiedBy, scheduledTo, elements } = variant;
  return {
    language: named(language),
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
  AdminFound: closed<keyof ReturnType<typeof foundJson>>(
    {
      kind: { enum: [...FOUND_KINDS], description: 'What it is.' },
      id: text('Id.'),
      name: text('Name; of an asset its title, else its file name.'),
      codename: orNull(text('Codename of an item or a type.')),
      type: orNull(schema('AdminNamed')),
      state: orNull({
        type: 'string',
        enum: [...VARIANT_STATES, null],
        description: 'State of an item in the language.',
      }),
    },
    'Something that was found.',
  ),
  AdminContentPage: closed(
    {
      items: arrayOf(schema('AdminListedItem'), 'The page.'),
      total: count('Items that match.'),
      allowed: closed(
        {
          items: { ...ALLOWED_SCHEMA, description: 'In all languages.' },
          variants: { ...ALLOWED_SCHEMA, description: 'In `language`.' },
        },
        'What you may do with items of some types.',
      ),
      unlisted: count(
        'Items of the project that lists and full text do not have in their newest form yet: after a restore, an upgrade or a new language, until a job has listed them.',
      ),
      counts: arrayOf(
        closed({
          type: schema('AdminNamed'),
          state: { enum: [...VARIANT_STATES], description: 'State in `language`.' },
          count: count('Items.'),
        }),
        'With `counts=true`: all items of the project, without filters.',
      ),
    },
    'A page of the list of content.',
    ['counts'],
  ),
  AdminListedItem: closed<keyof ReturnType<typeof itemJson>>(
    {
      id: id('Id of the item.'),
      name: text('Name.'),
      codename: text('Codename.'),
      type: schema('AdminNamed'),
      archived: orNull(time('When it was archived.')),
      allowed: { ...ALLOWED_SCHEMA, description: 'What you may do with the item in all languages.' },
      variants: arrayOf(schema('AdminListedVariant'), 'That of `language`, then those of `beside`.'),
    },
    'An item of a list.',
  ),
  AdminListedVariant: closed<keyof ReturnType<typeof variantJson> | 'allowed'>(
    {
      allowed: { ...ALLOWED_SCHEMA, description: 'What you may do with the variant.' },
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
