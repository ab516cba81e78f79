import { matches } from '../http/entity-tag.ts';
import type { CoreAnswer } from '../http/request.ts';

/** What a cache needs to know of an answer; without tags it must not be cached. */
export interface CacheInfo {
  readonly sequence: number;
  readonly tags: readonly string[] | undefined;
}

type Headers = Readonly<Record<string, string>>;

/** 304 to a client that has the answer, else 200 with the body, which is only made then. */
export function answer(
  ifNoneMatch: string | undefined,
  headers: Headers & { readonly etag: string },
  info: CacheInfo,
  body: () => CoreAnswer['body'],
): CoreAnswer {
  if (matches(ifNoneMatch, headers.etag)) return notModified(headers, info);
  // An answer of core itself is never stale.
  const own = { 'content-type': 'application/json; charset=utf-8', 'x-stale-content': '0', ...headers };
  return withTags({ status: 200, headers: own, body: body() }, info);
}

export function notModified(headers: Headers, info: CacheInfo): CoreAnswer {
  return withTags({ status: 304, headers, body: null }, info);
}

function withTags({ status, headers, body }: CoreAnswer, { sequence, tags }: CacheInfo): CoreAnswer {
  return tags ? { status, headers, body, sequence, tags } : { status, headers, body, sequence };
}
