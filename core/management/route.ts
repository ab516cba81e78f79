import type { Schema } from '../http/openapi-shapes.ts';
import {
  type Route as DescribedRoute,
  namedRoutes,
  type RouteDescription,
  type RoutePermissions,
} from '../http/route.ts';
import type { Call } from './call.ts';

/** The result of a handler; without a body the answer is empty (204). */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Absolute URL of the created object; every 201 has one. */
  readonly location?: string;
  /** Token of the next page of a listing; null on the last page. */
  readonly continuation?: string | null;
}

export type Route = DescribedRoute<(call: Call) => Promise<Answer>>;
export const routesOf = (tag: string, permissions: RoutePermissions) =>
  namedRoutes<Route['handler']>(tag, permissions);

/** The answer of a call that creates an object. */
export const answersCreated = (schema: Schema): NonNullable<RouteDescription['answers']> => ({
  201: { schema, headers: LOCATION },
});

/** Parameters and answer of a listing in pages. */
export const answersPage = (schema: Schema): Pick<RouteDescription, 'parameters' | 'answers'> => ({
  parameters: CONTINUATION,
  answers: { 200: { schema, headers: NEXT_TOKEN } },
});

const token = { type: 'string' };
const CONTINUATION = [
  {
    name: 'continuationToken',
    in: 'query',
    required: false,
    description: 'Token of the page, from the page before.',
    schema: token,
  },
  {
    name: 'x-continuation',
    in: 'header',
    required: false,
    description: 'The same as a header.',
    schema: token,
  },
];
const NEXT_TOKEN = {
  'x-continuation': {
    required: true,
    description: 'Token of the next page; empty on the last.',
    schema: token,
  },
};
const LOCATION = {
  Location: {
    required: true,
    description: 'Absolute URL of what was created.',
    schema: { type: 'string', format: 'uri' },
  },
};
