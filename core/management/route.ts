import type { Routed } from '../http/router.ts';
import type { Call } from './call.ts';

/** What a handler answers; without a body the answer is empty (204). */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Absolute URL of the created object; every 201 has one. */
  readonly location?: string;
  /** Of listings: the token of the next page, null on the last. */
  readonly continuation?: string | null;
}

export type Handler = (call: Call) => Promise<Answer>;

export interface Route extends Routed {
  readonly handler: Handler;
}

/**
 * One operation of the API.
 *
 * ```ts
 * route('PUT', 'items/<item>/variants/<language>', async (call) => ({ status: 204 }))
 * ```
 */
export function route(method: string, path: string, handler: Handler): Route {
  return { method, path, handler };
}
