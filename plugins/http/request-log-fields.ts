import type { Facets } from '../contract.ts';

/** The fields that every log line about a request has. */
export function requestLogFields({ requestId, trace }: Partial<Pick<Facets, 'requestId' | 'trace'>>): {
  readonly id: string | undefined;
  readonly trace: string | undefined;
} {
  return { id: requestId, trace };
}
