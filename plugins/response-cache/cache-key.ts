import { LRUCache } from 'lru-cache';
import { isDeliveryParameter } from '../../core/contract.ts';
import type { BasesFacet, SurfaceFacet } from '../contract.ts';

/** A request without what does not change the answer. */
export interface CacheKey {
  readonly text: string;
  /** `/{project}/items`, project in lower case. */
  readonly path: string;
  /** Known parameters in the order given, each encoded one way. */
  readonly query: string;
  readonly project: string;
  /** Whether shared caches in front may store the answer. */
  readonly isPublic: boolean;
}

/** What a key is made from. */
export interface KeySource {
  readonly surface: SurfaceFacet;
  readonly bases: BasesFacet;
  readonly isPublic: boolean;
}

/** The answer to a longer URL is not cached; clients send up to 65,519 characters. */
const LONGEST = 16_384;
const CACHE_BYTES = 16_777_216;

/** The last key of a URL: the gateway has one surface facet for it, so this look-up needs no text. */
interface Latest {
  readonly bases: BasesFacet;
  readonly key: CacheKey;
}

/**
 * The key of a request, cached by its URL; undefined where the URL cannot be decoded: core says what is wrong
 * with it. The token is no part of it: `auth` has refused those who may not read.
 */
export function cacheKeys(): (source: KeySource) => CacheKey | undefined {
  const known = new LRUCache<string, CacheKey>({ maxSize: CACHE_BYTES });
  const latest = new WeakMap<SurfaceFacet, Latest>();
  return (source) => {
    const { surface, bases, isPublic } = source;
    const before = latest.get(surface);
    if (before?.bases === bases && before.key.isPublic === isPublic) return before.key;
    const key = cachedKey(source);
    if (key !== undefined) latest.set(surface, { bases, key });
    return key;
  };

  function cachedKey({ surface, bases, isPublic }: KeySource): CacheKey | undefined {
    const { name, path, query } = surface;
    if (path.length + query.length > LONGEST) return undefined;
    const scope = `${name} ${isPublic ? 'public' : 'private'} ${bases[name as 'delivery']} ${bases.assets}`;
    const raw = `${scope} ${path}?${query}`;
    let key = known.get(raw);
    if (key === undefined) {
      key = canonical(scope, path, query, isPublic);
      if (key !== undefined) known.set(raw, key, { size: 200 + 4 * raw.length });
    }
    return key;
  }
}

function canonical(scope: string, path: string, query: string, isPublic: boolean): CacheKey | undefined {
  try {
    const [project = '', ...segments] = path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
    if (segments.length === 0) return undefined;
    const normalPath = `/${[project.toLowerCase(), ...segments].map(encodeURIComponent).join('/')}`;
    const normalQuery = knownParameters(query);
    const text = `${scope} ${normalPath}?${normalQuery}`;
    return { text, path: normalPath, query: normalQuery, project: project.toLowerCase(), isPublic };
  } catch {
    return undefined;
  }
}

/** @throws URIError */
function knownParameters(query: string): string {
  if (query === '') return '';
  const known: string[] = [];
  for (const part of query.split('&')) {
    const at = part.indexOf('=');
    const name = decode(at < 0 ? part : part.slice(0, at));
    // Also of parameters that are dropped: core refuses broken encoding anywhere.
    const value = at < 0 ? undefined : decode(part.slice(at + 1));
    if (!isDeliveryParameter(name)) continue;
    const encoded = encodeURIComponent(name);
    known.push(value === undefined ? encoded : `${encoded}=${encodeURIComponent(value)}`);
  }
  return known.join('&');
}

/** `+` is a space, as core reads it. */
function decode(text: string): string {
  const decoded = decodeURIComponent(text.includes('+') ? text.replaceAll('+', ' ') : text);
  if (decoded.includes('\0')) throw new URIError('A null byte.');
  return decoded;
}
