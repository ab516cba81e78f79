import { arrayOf, closed, type Schema, schema } from '../http/openapi-shapes.ts';
import {
  type Route as DescribedRoute,
  namedRoutes,
  type RouteDescription,
  type RoutePermissions,
} from '../http/route.ts';
import type { Answer, Call } from './call.ts';

export type Route = DescribedRoute<(call: Call) => Promise<Answer>>;

export const routesOf = (permissions: RoutePermissions) =>
  namedRoutes<Route['handler']>(undefined, permissions);

type Answers = NonNullable<RouteDescription['answers']>;

/** @param of a schema or the name of one */
export const shows = (of: string | Schema): Answers => ({ 200: { schema: schemaOf(of) } });
export const creates = (of: string | Schema): Answers => ({ 201: { schema: schemaOf(of) } });
export const lists = (key: string, name: string): Answers => shows(closed({ [key]: arrayOf(schema(name)) }));

/** Parameters and answer of a listing in pages. */
export function pages(
  key: string,
  name: string,
  parameters: readonly Schema[] = [],
): Pick<RouteDescription, 'parameters' | 'answers'> {
  return {
    parameters: [
      ...parameters,
      query('after', 'Where the page starts: the `next` of the one before.'),
      query('limit', 'Entries of a page.', { type: 'integer', minimum: 1, maximum: 100 }),
    ],
    answers: shows(closed({ [key]: arrayOf(schema(name)), pagination: schema('AdminPage') })),
  };
}

export function query(name: string, description: string, of: Schema = { type: 'string' }): Schema {
  return { name, in: 'query', description, schema: of };
}

export const language = query('language', 'Id or codename of a language.');
export const item = query('item', 'Id or codename of an item.');
export const TRUE_OR_FALSE: Schema = { enum: ['true', 'false'] };
export const planOnly = query('plan', '`true`: plan only, change nothing.', TRUE_OR_FALSE);

/** An archive of a project, as content of a request or answer. */
export const ARCHIVE: Schema = {
  'application/x-tar': { schema: { type: 'string', contentMediaType: 'application/x-tar' } },
};

const schemaOf = (of: string | Schema) => (typeof of === 'string' ? schema(of) : of);
export const string: Schema = { type: 'string' };
export const stringOrNull: Schema = { type: ['string', 'null'] };
