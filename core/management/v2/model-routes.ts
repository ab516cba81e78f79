import type { RoutePermission } from '../../access/permissions.ts';
import { id, type Schema, schema, text, time } from '../../http/openapi-shapes.ts';
import { WHOLE } from '../../http/route.ts';
import { answersCreated, answersPage, type Route, routesOf } from '../route.ts';

interface ModelCalls {
  /** Name of the path parameter: `type`. */
  readonly one: string;
  readonly many: string;
  readonly label: string;
  /** What changes of them need. */
  readonly permission: RoutePermission;
  /** Start of the names of the schemas: `ManagedType`. */
  readonly schemas: string;
  readonly operations: Schema;
  readonly list: Route['handler'];
  readonly add: Route['handler'];
  readonly get: Route['handler'];
  readonly modify: Route['handler'];
  readonly remove: Route['handler'];
}

/** The calls that types, snippets and taxonomy groups all have. */
export function modelRoutes(calls: ModelCalls): readonly Route[] {
  const { many, label, schemas, operations } = calls;
  const route = routesOf('Content model', { read: 'view-content', write: calls.permission });
  const path = `${many}/<${calls.one}>`;
  const subject = schemas.replace('Managed', '');
  const answers = { 200: { schema: schema(schemas) } };
  return [
    route(`GET ${many}`, {
      id: `list${many.charAt(0).toUpperCase()}${many.slice(1)}`,
      summary: `List ${label}s`,
      ...answersPage(schema(`${schemas}Page`)),
      handler: calls.list,
    }),
    route(`POST ${many}`, {
      id: `add${subject}`,
      summary: `Add a ${label}`,
      body: schema(`${schemas}Input`),
      answers: answersCreated(schema(schemas)),
      handler: calls.add,
    }),
    route(`GET ${path}`, {
      id: `get${subject}`,
      tagged: WHOLE,
      summary: `Read a ${label}`,
      answers,
      handler: calls.get,
    }),
    route(`PATCH ${path}`, {
      id: `modify${subject}`,
      summary: `Change a ${label}`,
      description: 'All operations are carried out, or none.',
      body: operations,
      answers,
      handler: calls.modify,
    }),
    route(`DELETE ${path}`, {
      id: `delete${subject}`,
      summary: `Delete a ${label}`,
      description: 'Refused while it is in use.',
      handler: calls.remove,
    }),
  ];
}

/** Properties that types, snippets and taxonomy groups have in answers. */
export const commonProperties = {
  id: id('Id.'),
  codename: text('Codename.'),
  last_modified: time('Last change.'),
  external_id: text('External id; absent when it has none.'),
  name: text('Name.'),
};

/** The same in request bodies, also of groups and terms. */
export const commonInput = {
  name: text('Name, at most 50 characters.'),
  codename: text('Generated from the name when absent.'),
  external_id: text('Unique among its kind; cannot be given later.'),
};
