import { ServiceError } from '../errors.ts';
import type { Operations } from '../transaction/operations.ts';
import { jsonBytes } from '../turns/json-bytes.ts';
import { conditional, preconditionFailed } from './conditional.ts';
import { bytesTag } from './entity-tag.ts';
import type { CoreRequest } from './request.ts';
import { type Route, WHOLE } from './route.ts';

/** The objects of a surface that have an `ETag`, and the calls that change or show them. */
export class TaggedObjects<R extends Route<unknown>> {
  readonly #changed = new Map<R, R>();
  readonly #shown = new Map<R, R>();

  constructor(routes: readonly R[]) {
    const objects = routes.filter(({ tagged }) => tagged !== undefined);
    for (const route of routes) {
      const object = objects.find((one) => one === route || isSameSchema(one, route));
      if (object) this.#shown.set(route, object);
      if (route.method === 'GET') continue;
      const above = objects.filter(
        ({ path }) => path === route.path || `${route.path}/`.startsWith(`${path}/`),
      );
      const nearest = above.sort((one, other) => other.path.length - one.path.length)[0];
      if (nearest) this.#changed.set(route, nearest);
    }
  }

  /** The GET of the object that a call changes: the one at its path, or the nearest above it. */
  changedBy(route: R): R | undefined {
    return this.#changed.get(route);
  }

  /** The GET of the object that the answer of a call is. */
  shownBy(route: R): R | undefined {
    return this.#shown.get(route);
  }

  /**
   * The `ETag` of an answer.
   *
   * @param bytes of the body
   */
  async tagOf(route: R, body: unknown, bytes: readonly Uint8Array[]): Promise<string | undefined> {
    const tagged = this.#shown.get(route)?.tagged;
    if (tagged === undefined) return undefined;
    return bytesTag(tagged === WHOLE ? bytes : await jsonBytes(tagged(body as never)));
  }

  /**
   * The operations of a call under the preconditions in its headers.
   *
   * @param read answers the GET of an object
   */
  conditional<T extends Operations>(
    route: R,
    operations: T,
    headers: CoreRequest['headers'],
    read: (object: R, inside: T) => Promise<{ readonly body?: unknown }>,
  ): T {
    if (route.method === 'GET') return operations;
    const object = this.#changed.get(route);
    if (object === undefined) {
      if (headers['if-match'] === undefined) return operations;
      throw preconditionFailed('This call changes no object that has an ETag');
    }
    return conditional(operations, headers, (inside) =>
      read(object, inside).then(
        async ({ body }) => this.tagOf(object, body, await jsonBytes(body)),
        (error: unknown) => {
          if (error instanceof ServiceError && error.status === 404) return undefined;
          throw error;
        },
      ),
    );
  }
}

/** The answers of both are the same object. */
function isSameSchema(object: Route<unknown>, { answers = {} }: Route<unknown>): boolean {
  const name = object.answers?.[200]?.schema?.['$ref'];
  return name !== undefined && [200, 201].some((status) => answers[status]?.schema?.['$ref'] === name);
}
