import { ServiceError } from '../errors.ts';
import { type ParsedBody, parseBody } from '../json-body/parse-body.ts';
import type { Operations } from '../transaction/operations.ts';
import { jsonBytes } from '../turns/json-bytes.ts';
import type { CoreAnswer, CoreRequest } from './request.ts';
import type { Route } from './route.ts';
import type { TaggedObjects } from './tagged-objects.ts';

/** The JSON body of a request, parsed when a handler first asks for it. */
export class CallBody {
  readonly #request: CoreRequest;
  readonly #limit: number | undefined;
  #parsed: Promise<ParsedBody> | undefined;

  /** @param limit in bytes; 8 MiB by default */
  constructor(request: CoreRequest, limit?: number) {
    this.#request = request;
    this.#limit = limit;
  }

  parsed(): Promise<ParsedBody> {
    this.#parsed ??= parseBody(this.#request.body, this.#request.headers, this.#limit);
    return this.#parsed;
  }

  /** The error, its issues with line and position where they are about the body. */
  async located(error: unknown): Promise<unknown> {
    if (!(error instanceof ServiceError) || !error.validationErrors || !this.#parsed) return error;
    return (await this.#parsed).withPositions(error);
  }
}

/** The `ETag` of a body. */
export type TagOf = (bytes: readonly Uint8Array[]) => Promise<string | undefined>;

/**
 * Answers a call of a surface whose objects have an `ETag`, under the preconditions of the request.
 *
 * @param operations those of the call
 * @param callWith the argument of the handler
 */
export async function answerCall<
  Own extends Operations,
  Call,
  Answer extends { readonly body?: unknown },
  R extends Route<(call: Call) => Promise<Answer>>,
>(
  objects: TaggedObjects<R>,
  route: R,
  operations: Own,
  { request, body }: { readonly request: CoreRequest; readonly body: CallBody },
  callWith: (operations: Own) => Call,
  toCoreAnswer: (answer: Answer, tagOf: TagOf) => Promise<CoreAnswer>,
): Promise<CoreAnswer> {
  try {
    const conditioned = objects.conditional(route, operations, request.headers, (object, inside) =>
      object.handler(callWith(inside)),
    );
    const answer = await route.handler(callWith(conditioned));
    return await toCoreAnswer(answer, (bytes) => objects.tagOf(route, answer.body, bytes));
  } catch (error) {
    throw await body.located(error);
  }
}

/** An answer that no cache stores: JSON, or empty where there is no body. */
export async function jsonAnswer(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  tagOf?: TagOf,
): Promise<CoreAnswer> {
  const common = { 'cache-control': 'no-store', ...headers };
  if (body === undefined) return { status, headers: common, body: null };
  const bytes = await jsonBytes(body);
  const etag = await tagOf?.(bytes);
  return {
    status,
    headers: {
      ...common,
      'content-type': 'application/json; charset=utf-8',
      ...(etag !== undefined && { etag }),
    },
    body: bytes,
  };
}
