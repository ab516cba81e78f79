import { findItem } from '../content/item-rows.ts';
import { createItem, deleteItem, type Item, updateItem, upsertItem } from '../content/items.ts';
import { listItems } from '../content/listings.ts';
import { arrayOf, type Schema, text } from '../http/openapi-shapes.ts';
import { WHOLE } from '../http/route.ts';
import type { JsonObject } from '../json-body/parse-body.ts';
import type { Reference } from '../model/inputs.ts';
import { type Call, referenceAt } from './call.ts';
import type { Dialect } from './dialect.ts';
import { pageOf, reference } from './management-schemas.ts';
import { PAGE_SIZE, pageAnswer, pageStart } from './paging.ts';
import { type Answer, answersCreated, answersPage, type Route, routesOf } from './route.ts';

const route = routesOf('Content items', { read: 'view-content', write: 'edit-content' });
const body: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 50 },
    type: reference,
    sitemap_locations: arrayOf(reference, 'Nodes of the sitemap.'),
    external_id: text('Id in another system; can only be set when the item is created.'),
    codename: text('Generated from the name when absent (v2).'),
  },
  required: ['name'],
};

/** Content items (spec 2.6, 4.3). */
export function itemRoutes(dialect: Dialect): Route[] {
  const { itemToJson, itemSchema: schema } = dialect;
  const rulesOf = (call: Call) =>
    call.locationsOptional ? { ...dialect.itemRules, locationsRequired: false } : dialect.itemRules;

  async function list(call: Call): Promise<Answer> {
    const [after = 0] = pageStart(call, 'items');
    const items = await call.read((view) => listItems(view, after, PAGE_SIZE.items + 1));
    return pageAnswer(call, 'items', 'items', items, ({ number }) => [number], itemToJson);
  }

  async function create(call: Call): Promise<Answer> {
    const body = (await call.body()).object();
    const input = {
      ...changesOf(body),
      type: body['type'] as Reference,
      ...optional('external_id', body['external_id'] as string | null | undefined),
    };
    return created(call, await call.write((transaction) => createItem(transaction, input)));
  }

  async function get(call: Call): Promise<Answer> {
    const item = await call.read((view) => findItem(view, referenceAt(call, 'item')));
    return { status: 200, body: itemToJson(item) };
  }

  /** By external id it creates a missing item. */
  async function put(call: Call): Promise<Answer> {
    const body = (await call.body()).object();
    const reference = referenceAt(call, 'item');
    const { external_id: externalId } = reference;
    if (externalId === undefined) {
      const item = await call.write((transaction) =>
        updateItem(transaction, reference, changesOf(body), rulesOf(call)),
      );
      return { status: 200, body: itemToJson(item) };
    }
    const input = { ...changesOf(body), type: body['type'] as Reference };
    const done = await call.write((transaction) => upsertItem(transaction, externalId, input, rulesOf(call)));
    return done.created ? created(call, done.item) : { status: 200, body: itemToJson(done.item) };
  }

  async function remove(call: Call): Promise<Answer> {
    await call.write((transaction) => deleteItem(transaction, referenceAt(call, 'item')));
    return { status: 204 };
  }

  const created = (call: Call, item: Item): Answer => ({
    status: 201,
    body: itemToJson(item),
    location: `${call.base}/items/${item.id}`,
  });

  /** The operation checks the types of the values. */
  const changesOf = (body: JsonObject) => ({
    name: body['name'] as string,
    ...optional('sitemap_locations', body['sitemap_locations'] as readonly Reference[] | null | undefined),
    ...optional('codename', dialect.codenameOf(body)),
  });

  return [
    route('GET items', {
      id: 'listItems',
      summary: 'List content items',
      ...answersPage(pageOf('items', schema, 'At most 100 items.')),
      handler: list,
    }),
    route('POST items', {
      id: 'createItem',
      summary: 'Create a content item',
      permission: 'create-content',
      body,
      answers: answersCreated(schema),
      handler: create,
    }),
    route('GET items/<item>', {
      id: 'getItem',
      tagged: WHOLE,
      summary: 'Read a content item',
      answers: { 200: { schema } },
      handler: get,
    }),
    route('PUT items/<item>', {
      id: 'putItem',
      summary: 'Change a content item',
      permission: 'create-content',
      description: 'By external id the item is created if there is none; `type` is needed only then.',
      body,
      answers: { 200: { schema }, 201: { ...answersCreated(schema)[201], onlyByExternalId: true } },
      handler: put,
    }),
    route('DELETE items/<item>', {
      id: 'deleteItem',
      summary: 'Delete a content item with all its variants',
      permission: 'delete-content',
      handler: remove,
    }),
  ];
}

/** Null means the same as absence. */
function optional<Name extends string, Value>(
  name: Name,
  value: Value | null | undefined,
): { readonly [K in Name]?: Value } {
  return value === null || value === undefined ? {} : ({ [name]: value } as { [K in Name]: Value });
}
