/**
 * All that gateway and plugins may see of core.
 *
 * A request crosses this line as plain data and comes back as bytes, so that the same core answers inline
 * (role `all`) or over HTTP (role `core`) without knowing which.
 */

/** The doors of the service; see the folder README of `gateway` for their prefixes and hosts. */
export type Surface = 'delivery' | 'preview' | 'manage' | 'assets' | 'admin';

export type KeyKind =
  | 'delivery-primary'
  | 'delivery-secondary'
  | 'preview-primary'
  | 'preview-secondary'
  | 'management';

/** Who calls. `anonymous` where the surface needs no key. */
export type Principal =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'key'; readonly key: string; readonly keyKind: KeyKind; readonly user: string | null }
  | { readonly kind: 'admin' };

/** Fires once; an `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  throwIfAborted(): void;
}

export interface CoreRequest {
  readonly surface: Surface;
  readonly method: string;
  /** Path below the surface's prefix, percent-encoded as it came: `/{project_id}/items`. */
  readonly path: string;
  /** Query string as it came, without `?`. */
  readonly query: string;
  /** The request headers core may read, lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Public base URLs without trailing slash, resolved by the gateway: of this surface, and of assets. */
  readonly bases: { readonly self: string; readonly assets: string };
  readonly principal: Principal;
  readonly requestId: string;
  /** The client's address, for the record of administrative acts. */
  readonly client?: string;
  readonly body?: AsyncIterable<Uint8Array>;
  /**
   * Fires when nobody waits for the answer any more: core stops reading for it. A write that has begun goes on.
   */
  readonly signal?: CancelSignal;
  /**
   * Of delivery and preview: an answer to the same request that the caller holds, be it a 404, with its tags and
   * sequence. If nothing it was made of has changed since, core answers 304 with the current sequence and reads
   * nothing. Without `if-none-match` then: a 304 would not tell which of the two it answers.
   */
  readonly known?: { readonly tags: readonly string[]; readonly sequence: number };
}

export interface CoreAnswer {
  readonly status: number;
  /** Lower-case names. `content-length` is left to the sender. */
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks in order; an async iterable streams with back-pressure; null sends no body. */
  readonly body: readonly Uint8Array[] | AsyncIterable<Uint8Array> | null;
  /**
   * What the answer was made of; it is stale once a change of its project carries one of these. `*` stands
   * for any change of the project. Absent: the answer must not be kept. A 404 has them on its `ServiceError`.
   */
  readonly tags?: readonly string[];
  /**
   * The answer shows what was committed up to here at least; of a write, the sequence it was committed under, or
   * the newest one if it changed nothing.
   */
  readonly sequence?: number;
}

export interface ProjectFacts {
  readonly id: string;
  readonly name: string;
  /** Production delivery asks for a key. */
  readonly secureAccess: boolean;
  readonly managementApi: boolean;
}

export interface KeyFacts {
  readonly id: string;
  readonly project: string;
  readonly kind: KeyKind;
  readonly user: string | null;
  /** ISO time, null = never. */
  readonly expires: string | null;
  readonly revoked: boolean;
}

/** One committed change as it leaves the change log. */
export interface Change {
  readonly sequence: number;
  readonly epoch: string;
  /** Project id (GUID), or null for the installation. */
  readonly project: string | null;
  readonly tags: readonly string[];
}

export interface ChangeFeed {
  /** Calls `listener` for each change in commit order; returns the way to stop. */
  subscribe(listener: (change: Change) => void): () => void;
}

/** Surfaces whose calls are counted. */
export const COUNTED_SURFACES = ['delivery', 'preview', 'manage', 'assets'] as const;
export type CountedSurface = (typeof COUNTED_SURFACES)[number];

export interface UsageCount {
  readonly project: string;
  readonly surface: CountedSurface;
  /** `2026-11-20`, UTC. */
  readonly day: string;
  readonly calls: number;
}

export interface QuotaState {
  readonly surface: CountedSurface;
  readonly period: 'day' | 'month';
  /** Calls that the period allows. */
  readonly limit: number;
  /** Calls of the running period that are counted so far. */
  readonly used: number;
  /** ISO time at which the next period begins. */
  readonly ends: string;
}

export interface HealthReport {
  readonly ok: boolean;
  readonly parts: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
}

export interface Core {
  /** Answers a request. Throws `ServiceError` for every failure a caller may see. */
  handle(request: CoreRequest): Promise<CoreAnswer>;
  readonly access: {
    /** An archived or unknown project is undefined. */
    project(id: string): Promise<ProjectFacts | undefined>;
    /** Looks a presented token up by its hash; revoked and expired keys are found too. */
    key(token: string): Promise<KeyFacts | undefined>;
    isAdminToken(token: string): boolean;
    /** The key was accepted just now; kept coarsely and outside the change log. */
    used(keyId: string): void;
  };
  readonly usage: {
    /** Adds calls to the counts, all or none. Those of unknown projects are dropped. */
    add(counts: readonly UsageCount[]): Promise<void>;
    /** Where the quotas of a project stand; empty where it has none. */
    quotas(project: string): Promise<readonly QuotaState[]>;
  };
  readonly feed: ChangeFeed;
  /** OpenAPI 3.1 document of every surface core answers, without `servers`. */
  openapi(): Record<string, unknown>;
  health(): Promise<HealthReport>;
  close(): Promise<void>;
}

export type { ErrorName } from './errors.ts';
export { ServiceError } from './errors.ts';
/**
 * For caches of asset answers: what of a URL's query and of `Accept` decides about the answer. `Vary` of such an
 * answer is to be passed on, and a part (206) has no tags.
 */
export { imageQuestion } from './images/image-question.ts';
