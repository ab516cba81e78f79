import type { Facets } from '../contract.ts';

/** The fields that every log line about a request has. */
export function requestLogFields({ requestId, trace }: Partial<Pick<Facets, 'requestId' | 'trace'>>): object {
  return { id: requestId, trace };
}
