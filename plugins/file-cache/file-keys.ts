import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { imageQueryKey } from '../../core/contract.ts';
import type { SurfaceFacet } from '../contract.ts';

const CACHE_BYTES = 8_388_608;
/** A longer URL is passed on to core. */
const LONGEST = 8192;

/**
 * The cache key of a request, the same for all spellings of its parameters; undefined for what is not cached. Reading
 * the parameters costs ten times a look-up, so the keys of queries are cached.
 */
export function fileKeys(): (request: IncomingMessage, surface: SurfaceFacet) => string | undefined {
  const known = new LRUCache<string, string>({ maxSize: CACHE_BYTES });
  return ({ method, headers }, { path, query }) => {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    // Core cuts parts, and checks preconditions, which are rare.
    if ((headers.range !== undefined && method === 'GET') || headers['if-match'] !== undefined)
      return undefined;
    if (path.length + query.length > LONGEST) return undefined;
    if (query === '') return path;
    // Without the word, `Accept` cannot matter.
    const accept = query.includes('auto') || query.includes('%') ? headers.accept : undefined;
    if (accept !== undefined && accept.length > LONGEST) return undefined;
    const source = accept === undefined ? query : `${query} ${accept}`;
    let key = known.get(source);
    if (key === undefined) {
      key = imageQueryKey(query, accept);
      known.set(source, key, { size: 100 + 2 * (source.length + key.length) });
    }
    return `${path}?${key}`;
  };
}
