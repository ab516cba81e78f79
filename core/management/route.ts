import type { Reference } from '../model/inputs.ts';
import type { Call, Matched } from './call.ts';

/** What a handler answers; without a body the answer is empty (204). */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Absolute address of what was made; every 201 has one. */
  readonly location?: string;
  /** Of listings: the token of the next page, null on the last. */
  readonly continuation?: string | null;
}

export type Handler = (call: Call) => Promise<Answer>;

export interface Route {
  readonly method: string;
  readonly parts: readonly string[];
  readonly handler: Handler;
}

/**
 * One operation of the API. In the pattern `:name` is one segment and `<name>` is a reference in any of its
 * forms: `{id}`, `codename/{x}` or `external-id/{x}`.
 *
 * ```ts
 * route('PUT', 'items/<item>/variants/<language>', async (call) => ({ status: 204 }))
 * ```
 */
export function route(method: string, pattern: string, handler: Handler): Route {
  return { method, parts: pattern === '' ? [] : pattern.split('/'), handler };
}

export type Found =
  | { readonly route: Route; readonly at: Matched }
  /** The address is known, but not with this method. */
  | { readonly allow: readonly string[] }
  | undefined;

/** Routes earlier in the list win. */
export function findRoute(routes: readonly Route[], method: string, segments: readonly string[]): Found {
  const allow = new Set<string>();
  for (const one of routes) {
    if (one.method !== method && allow.has(one.method)) continue;
    const at = match(one.parts, segments);
    if (!at) continue;
    if (one.method === method) return { route: one, at };
    allow.add(one.method);
  }
  return allow.size > 0 ? { allow: [...allow] } : undefined;
}

const FORMS: Readonly<Record<string, keyof Reference>> = {
  codename: 'codename',
  'external-id': 'external_id',
};

function match(parts: readonly string[], segments: readonly string[]): Matched | undefined {
  const texts: Record<string, string> = {};
  const references: Record<string, Reference> = {};
  let next = 0;
  for (const part of parts) {
    const segment = segments[next++];
    if (segment === undefined) return undefined;
    if (part.startsWith(':')) texts[part.slice(1)] = segment;
    else if (part.startsWith('<')) {
      const name = part.slice(1, -1);
      const form = Object.hasOwn(FORMS, segment) ? FORMS[segment] : undefined;
      if (form === undefined) references[name] = { id: segment };
      else {
        const text = segments[next++];
        if (text === undefined) return undefined;
        references[name] = { [form]: text };
      }
    } else if (part !== segment) return undefined;
  }
  return next === segments.length ? { texts, references } : undefined;
}
