/**
 * Core over HTTP/1.1. Each call is a POST:
 *
 * - `/requests` is `Core.handle`. `headwater-head` holds the request as JSON, the body is the body of the request. An answer
 *   comes back with `headwater-outcome: answer`, its status, headers, tags and sequence in `headwater-head`, and its bytes
 *   as the body. A `ServiceError` comes back with `headwater-outcome: error` as the JSON body.
 * - `/feed` follows the change feed: `headwater-head` holds a `FollowRequest`. The body of the answer, one `FeedMessage` as
 *   JSON in each line, does not end; the gateway confirms what it got by the call `feed-confirmed`.
 * - `/calls/<name>` are the other functions of `Core`: JSON in both directions. `headwater-head` is the hash of the body.
 *
 * `headwater-outcome: refused` means that core has not begun the call and another core may be tried.
 */
import type { CallTiming } from '../../call-timing.ts';
import type { ServiceError } from '../../errors.ts';
import type { CoreAnswer, CoreRequest } from '../../http/request.ts';

/** The version that this program sends. */
export const PROTOCOL = 1;
/** The versions that this program understands: its own and the one before. */
export const PROTOCOLS: readonly number[] = [1];

export const HEADERS = {
  protocol: 'headwater-protocol',
  head: 'headwater-head',
  signature: 'headwater-signature',
  outcome: 'headwater-outcome',
  nonce: 'headwater-nonce',
} as const;

export type Outcome = 'answer' | 'error' | 'refused';

/**
 * Largest head of a call or an answer, in bytes: the longest URL, the headers that core reads, and the 200 tags of a cached
 * answer, codenames of 200 characters in them.
 */
export const LARGEST_HEAD = 262_144;
/** Largest JSON body of a call, in bytes. */
export const LARGEST_JSON = 4_194_304;

/** JSON in visible ASCII, as a header may hold it (RFC 9110, 5.5). */
export function toHeader(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A request of `/requests`, without its body and its signal. */
export type RequestHead = Omit<CoreRequest, 'body' | 'signal' | 'timing'> & { readonly hasBody: boolean };

/** `tags` and `sequence` are absent in JSON where the answer has none. */
export type AnswerHead = Pick<CoreAnswer, 'status' | 'headers' | 'tags' | 'sequence'> & {
  readonly body: 'none' | 'whole' | 'stream';
  /** Absent in answers of versions before it. */
  readonly timing?: CallTiming | undefined;
};

/** A `ServiceError`. */
export type ErrorBody = Pick<
  ServiceError,
  'errorName' | 'message' | 'headers' | 'validationErrors' | 'tags' | 'sequence'
> & { readonly timing?: CallTiming | undefined };

/** What core answers to `GET /hello`, which carries a nonce in `headwater-nonce`. */
export interface Hello {
  /** Id of this start of core. */
  readonly core: string;
  readonly protocols: readonly number[];
  /** It refuses calls soon: new ones go to other cores. */
  readonly stopping: boolean;
  /** Id of the installation; absent from versions before it. */
  readonly installation?: string | undefined;
  /** See `proofOf`. */
  readonly proof: string;
}
