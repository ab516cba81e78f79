import type { RoutePermission } from '../access/permissions.ts';
import type { Schema } from './openapi-shapes.ts';
import type { Routed } from './router.ts';

/** A call of an API: method and path, handler, and description for the OpenAPI document. */
export interface Route<Handler> extends Routed, RouteDescription {
  readonly handler: Handler;
}

export interface RouteDescription {
  /** Unique among the routes of a surface and version. */
  readonly id: string;
  readonly summary: string;
  /** What a person who signed in needs for it, where it is not that of `RoutePermissions`. */
  readonly permission?: RoutePermission;
  readonly description?: string;
  /** Absent where the surface has one for all. */
  readonly tag?: string;
  /** Beside those of the path. */
  readonly parameters?: readonly Schema[];
  /** Of a JSON body. */
  readonly body?: Schema;
  readonly bodyOptional?: boolean;
  /** Media type with schema of a body that is not JSON. */
  readonly upload?: Schema;
  /** By status; 204 when not given. */
  readonly answers?: Readonly<Record<number, AnswerDescription>>;
  /** May end in 409, where not every call of the surface may. */
  readonly conflict?: boolean;
  /**
   * Of a GET: its answer is one object, whose `ETag` is made of these parts of the body. What changes by itself, such as times
   * of use, is none of them: `If-Match` would fail where no one changed anything.
   */
  readonly tagged?: (body: never) => unknown;
}

/** The `ETag` is made of the whole body. */
export const WHOLE = (body: unknown): unknown => body;

/** Without schema and content the answer is empty. */
export interface AnswerDescription {
  /** `Done.` when not given. */
  readonly description?: string;
  /** Of a JSON body. */
  readonly schema?: Schema;
  /** Media type with schema of a body that is not JSON. */
  readonly content?: Schema;
  readonly headers?: Schema;
  /** Given only for the path with an external id. */
  readonly onlyByExternalId?: boolean;
}

/** What people need for the calls of a subject. Keys and the admin token need none of it. */
export interface RoutePermissions {
  /** For GET. */
  readonly read: RoutePermission;
  readonly write: RoutePermission;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Makes the routes of a surface, or those of one of its tags.
 *
 * ```ts
 * const route = namedRoutes<Handler>('Content items');
 * route('PUT items/<item>', { id: 'putItem', summary: 'Change an item', handler: async (call) => ({ status: 204 }) })
 * ```
 */
export function namedRoutes<Handler>(tag?: string, permissions?: RoutePermissions) {
  return (
    name: Method | `${Method} ${string}`,
    route: Omit<Route<Handler>, 'method' | 'path' | 'tag'>,
  ): Route<Handler> => {
    const [method = '', path = ''] = name.split(' ');
    const permission = method === 'GET' ? permissions?.read : permissions?.write;
    return {
      method,
      path,
      ...(tag !== undefined && { tag }),
      ...(permission !== undefined && { permission }),
      ...route,
    };
  };
}
