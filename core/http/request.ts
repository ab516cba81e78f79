import type { KeyKind } from '../access/key-kinds.ts';
import type { CallTiming } from '../call-timing.ts';
import type { CancelSignal } from '../turns/cancel-signal.ts';

/** The APIs of the service; see the README of `gateway` for their prefixes and hosts. */
export type Surface = 'delivery' | 'preview' | 'manage' | 'assets' | 'admin' | 'console';

/** Who calls. `anonymous` where the surface needs no key. */
export type Principal =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'key'; readonly key: string; readonly keyKind: KeyKind; readonly user: string | null }
  | { readonly kind: 'admin' }
  /** Someone who signed in at the console. */
  | {
      readonly kind: 'session';
      /** Of the session's secret, see `tokenHash`; core checks it. */
      readonly hash: string;
      /** The user whose page calls, where it says so: another one may have signed in in the same browser since. */
      readonly user?: string;
    }
  /** Someone whom an OpenID provider has signed in, as the gateway has checked. */
  | {
      readonly kind: 'identity';
      readonly issuer: string;
      readonly subject: string;
      /** Verified by the provider. */
      readonly email: string;
      readonly name: string;
      /** The provider has asked for the password just now. */
      readonly isFresh: boolean;
      /** A person without a user gets one. */
      readonly createsUser: boolean;
    }
  /** Someone whose sign-in through an OpenID provider the gateway has refused; for the audit log. */
  | { readonly kind: 'refused-identity'; readonly reason: string };

export interface CoreRequest {
  readonly surface: Surface;
  readonly method: string;
  /** Path below the surface's prefix, percent-encoded as received: `/{project_id}/items`. */
  readonly path: string;
  /** Query string as received, without `?`. */
  readonly query: string;
  /** The request headers core may read, lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Public base URLs without trailing slash, resolved by the gateway: of this surface, of assets, for the admin API of the console. */
  readonly bases: { readonly self: string; readonly assets: string; readonly console?: string };
  readonly principal: Principal;
  readonly requestId: string;
  /** As the W3C header `traceparent` has it, for log lines. */
  readonly traceparent?: string | undefined;
  /** The client's address, for the audit log. */
  readonly client?: string;
  readonly body?: AsyncIterable<Uint8Array>;
  /**
   * Fires when no client waits for the answer: core stops reading for it. A write that has begun is completed.
   */
  readonly signal?: CancelSignal;
  /** Core adds the time that it takes for the request, also where it throws. */
  readonly timing?: CallTiming;
  /**
   * Of delivery and preview: an answer to the same request that the caller holds, be it a 404, with its tags and
   * sequence. If nothing it was made of has changed since, core answers 304 with the current sequence and reads
   * nothing. Such a request must not have `if-none-match`: its 304 would be ambiguous.
   */
  readonly known?: { readonly tags: readonly string[]; readonly sequence: number };
  /**
   * The answer shows at least what was committed up to this sequence; `now`: up to when core got the request. Where core
   * cannot find that out in time, the answer is 503.
   */
  readonly atLeast?: number | 'now';
  /** `atLeast` is what the gateway has shown; its client requires none. A read replica that has it may answer. */
  readonly isPlain?: boolean;
}

export interface CoreAnswer {
  readonly status: number;
  /** Lower-case names. The sender adds `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks in order; an async iterable streams with back-pressure; null sends no body. */
  readonly body: readonly Uint8Array[] | AsyncIterable<Uint8Array> | null;
  /**
   * What the answer depends on; it is stale once a change of its project carries one of these. `*` means any
   * change of the project. Absent: the answer must not be cached. A 404 has them on its `ServiceError`.
   */
  readonly tags?: readonly string[];
  /**
   * The answer shows what was committed up to here at least; of a write, the sequence it was committed under, or
   * the newest one if it changed nothing.
   */
  readonly sequence?: number;
}

/** The chunks are in memory. `Array.isArray` does not narrow a readonly array. */
export function isWhole(body: CoreAnswer['body']): body is readonly Uint8Array[] {
  return Array.isArray(body);
}
