import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { imageQueryKey } from '../../core/contract.ts';
import type { SurfaceFacet } from '../contract.ts';

const REMEMBERED_BYTES = 8_388_608;
/** A longer URL is asked anew each time. */
const LONGEST = 8192;

/**
 * What a request asks, the same for all spellings of it; undefined for what is not kept. Reading the parameters costs
 * ten times a look-up, so URLs are remembered with what they mean.
 */
export function fileQuestions(): (surface: SurfaceFacet, headers: IncomingHttpHeaders) => string | undefined {
  const known = new LRUCache<string, string>({ maxSize: REMEMBERED_BYTES });
  return ({ path, query }, headers) => {
    if (path.length + query.length > LONGEST) return undefined;
    if (query === '') return path;
    // Without the word, `Accept` cannot matter.
    const accept = query.includes('auto') || query.includes('%') ? headers.accept : undefined;
    if (accept !== undefined && accept.length > LONGEST) return undefined;
    const asked = accept === undefined ? query : `${query} ${accept}`;
    let question = known.get(asked);
    if (question === undefined) {
      question = imageQueryKey(query, accept);
      known.set(asked, question, { size: 100 + 2 * (asked.length + question.length) });
    }
    return `${path}?${question}`;
  };
}
