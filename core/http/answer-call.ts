import { ServiceError } from '../errors.ts';
import { type ParsedBody, parseBody } from '../json-body/parse-body.ts';
import type { Operations } from '../transaction/operations.ts';
import { jsonBytes } from '../turns/json-bytes.ts';
import type { CoreAnswer, CoreRequest } from './request.ts';
import type { Route } from './route.ts';
import type { TaggedObjects } from './tagged-objects.ts';

/** The `ETag` of a body. */
export type TagOf = (bytes: readonly Uint8Array[]) => Promise<string | undefined>;

/** What the calls of a surface are made of. */
export interface CallParts<Own, Call, Answer> {
  /** The operations of the call. */
  readonly operations: Own;
  /** The argument of its handler; `body` parses the body when it is first asked for. */
  callWith(operations: Own, body: () => Promise<ParsedBody>): Call;
  toCoreAnswer(answer: Answer, tagOf: TagOf): Promise<CoreAnswer>;
  /** Largest JSON body, in bytes; 8 MiB by default. */
  readonly jsonLimit?: number | undefined;
}

/** Answers a call of a surface whose objects have an `ETag`, under the preconditions of the request. */
export async function answerCall<
  Own extends Operations,
  Call,
  Answer extends { readonly body?: unknown },
  R extends Route<(call: Call) => Promise<Answer>>,
>(
  objects: TaggedObjects<R>,
  route: R,
  request: CoreRequest,
  { operations, callWith, toCoreAnswer, jsonLimit }: CallParts<Own, Call, Answer>,
): Promise<CoreAnswer> {
  let parsed: Promise<ParsedBody> | undefined;
  const body = () => {
    parsed ??= parseBody(request.body, request.headers, jsonLimit);
    return parsed;
  };
  try {
    const conditioned = objects.conditional(route, operations, request.headers, (object, inside) =>
      object.handler(callWith(inside, body)),
    );
    const answer = await route.handler(callWith(conditioned, body));
    return await toCoreAnswer(answer, (bytes) => objects.tagOf(route, answer.body, bytes));
  } catch (error) {
    if (!(error instanceof ServiceError) || !error.validationErrors || !parsed) throw error;
    throw await (await parsed).withPositions(error);
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
      'content-type': 'application/json; charset=utf-8',
      ...(etag !== undefined && { etag }),
      ...common,
    },
    body: bytes,
  };
}
