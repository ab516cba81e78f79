/**
 * Query and header parameters of delivery and preview. Filters cannot be named one by one, their names hold
 * codenames of the project and an operator; an object in `form` style with `explode` is how the standard
 * writes free query parameters: each property becomes a parameter of its own.
 */

import { KEY_LENGTH } from '../storage/index-key.ts';
import type { Operator } from './operators.ts';

type Json = Record<string, unknown>;

const INT32 = 2_147_483_647;

const query = (name: string, schema: Json, description: string, more: Json = {}): Json => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  ...more,
});
const codenames = (description: string, name: string, example: string): Json => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', minLength: 1 },
  example,
});

const LONG_TEXTS = `Texts that differ only behind their first ${KEY_LENGTH} characters have no particular order`;

/** What each operator means, with a parameter that shows its form. */
const operators: Readonly<Record<Operator, readonly [meaning: string, name: string, value: string]>> = {
  eq: ['equal, written out', 'elements.title[eq]', 'Harbour lights'],
  neq: ['not equal', 'system.codename[neq]', 'home'],
  lt: ['less than', 'elements.price[lt]', '20'],
  lte: ['less than or equal', 'elements.price[lte]', '20'],
  gt: ['greater than', 'system.last_modified[gt]', '2024-05-01'],
  gte: ['greater than or equal', 'elements.price[gte]', '10.5'],
  range: ['between two values, both included', 'elements.price[range]', '10,20'],
  in: ['one of a list', 'system.type[in]', 'article,event'],
  nin: ['none of a list', 'system.type[nin]', 'home,footer'],
  contains: ['array holds the value', 'elements.regions[contains]', 'north'],
  any: ['array holds one of the values', 'elements.regions[any]', 'north,west'],
  all: ['array holds all values', 'elements.regions[all]', 'north,west'],
  empty: ['has no value; written without `=`', 'elements.summary[empty]', ''],
  nempty: ['has a value; written without `=`', 'elements.summary[nempty]', ''],
};
const forms = { equal: ['equal', 'system.type', 'article'], ...operators };

function filters(): Json {
  const one = { type: 'string', description: 'Value, or values separated by commas.' };
  return {
    name: 'filter',
    in: 'query',
    required: false,
    style: 'form',
    explode: true,
    allowEmptyValue: true,
    description: [
      'Filters: as many parameters as needed, `system.<attribute>` or `elements.<codename>`, each with an operator in',
      'brackets or none for equality. All must hold, also when the same one is given twice. Numbers are compared',
      'as numbers, everything else as text, case-sensitively; `[contains]`, `[any]`, `[all]` are for sitemap',
      'locations, linked items (codenames), options, terms and assets (file names).',
      `${LONG_TEXTS} for \`[lt]\`, \`[lte]\`, \`[gt]\`, \`[gte]\` and \`[range]\`. Entries of \`modular_content\``,
      'are not filtered. The name `filter` itself is never sent. A query whose cost is estimated above the limit of the',
      'installation is answered with 400, code 1011, before it runs: conditions on an attribute count as one.',
    ].join(' '),
    schema: {
      type: 'object',
      propertyNames: {
        pattern: `^(system\\.(id|name|codename|type|language|sitemap_locations|last_modified)|elements\\.[a-z0-9_]+)(\\[(${Object.keys(operators).join('|')})\\])?$`,
      },
      additionalProperties: { oneOf: [one, { type: 'array', items: one }] },
    },
    examples: Object.fromEntries(
      Object.entries(forms).map(([form, [summary, name = '', value]]) => [
        form,
        { summary, value: { [name]: value } },
      ]),
    ),
  };
}

/** Component parameters by name. `header` is the `SVC` of `X-SVC-…`. */
export function deliveryParameters(header: string): Json {
  return {
    ProjectId: {
      name: 'project_id',
      in: 'path',
      required: true,
      description: 'Id of the project.',
      schema: { type: 'string', format: 'uuid' },
    },
    ItemCodename: codenames('Codename of the content item.', 'codename', 'harbour_lights'),
    TypeCodename: codenames('Codename of the content type.', 'codename', 'article'),
    TypeOfElement: codenames('Codename of the content type.', 'type_codename', 'article'),
    ElementCodename: codenames('Codename of the element.', 'element_codename', 'title'),
    TaxonomyCodename: codenames('Codename of the taxonomy group.', 'codename', 'regions'),
    Language: query(
      'language',
      { type: 'string' },
      'Codename of the language; the default language of the project when not given. Where an item has no ' +
        'content in it, the fallbacks of the language apply; filter by `system.language` to switch that off.',
      { example: 'en-US' },
    ),
    Elements: query(
      'elements',
      { type: 'string' },
      'Projection: codenames of the elements to return, separated by commas. It also applies to ' +
        '`modular_content`; links are followed from the elements that remain. `system` is always complete.',
      { example: 'title,summary' },
    ),
    Depth: query(
      'depth',
      { type: 'integer', format: 'int32', minimum: 0, maximum: INT32, default: 1 },
      'Levels of linked items to include. Components are always included.',
    ),
    Skip: query(
      'skip',
      { type: 'integer', format: 'int32', minimum: 0, maximum: INT32, default: 0 },
      'Entries to skip.',
    ),
    Limit: query(
      'limit',
      { type: 'integer', format: 'int32', minimum: 1, maximum: INT32 },
      'Entries a page. Without it the listing holds all of them.',
    ),
    Order: query(
      'order',
      { type: 'string', pattern: '^(system|elements)\\.[a-z0-9_]+(\\[([aA][sS][cC]|[dD][eE][sS][cC])\\])?$' },
      'Attribute to order by, with `[asc]` or `[desc]`; by codename when not given. Entries without a value ' +
        `come last in both directions, ties are ordered by codename. ${LONG_TEXTS}.`,
      { example: 'system.last_modified[desc]' },
    ),
    IncludeTotalCount: query(
      'includeTotalCount',
      { type: 'string', enum: ['', 'true', 'false', '1', '0'] },
      'Adds `pagination.total_count`. The name alone means `true`.',
      { allowEmptyValue: true },
    ),
    Filter: filters(),
    WaitForNewContent: {
      name: `X-${header}-Wait-For-Loading-New-Content`,
      in: 'header',
      required: false,
      description:
        '`true`: wait for content that is being refreshed rather than take a slightly older answer.',
      schema: { type: 'string' },
      example: 'true',
    },
    Continuation: {
      name: 'X-Continuation',
      in: 'header',
      required: false,
      description: 'Token of the part to read, from the previous answer; the first part when not given.',
      schema: { type: 'string' },
    },
    IfNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'ETags of answers that the client has; 304 when one of them is current.',
      schema: { type: 'string' },
    },
  };
}

/** Component headers of answers by name. */
export function deliveryHeaders(): Json {
  const header = (description: string, schema: Json, required: boolean): Json => ({
    description,
    required,
    schema,
  });
  return {
    RequestId: header(
      'Id of the request in the log and in error bodies.',
      { type: 'string', minLength: 1 },
      true,
    ),
    ETag: header('Strong validator of the answer.', { type: 'string', pattern: '^"[^"]+"$' }, true),
    StaleContent: header(
      '`1` when the answer is known to be older than the content, `0` when not.',
      { type: 'string', enum: ['0', '1'] },
      false,
    ),
    Continuation: header(
      'Token of the next part; absent on the last one.',
      { type: 'string', minLength: 1 },
      false,
    ),
  };
}
