import { ServiceError } from '../../core/contract.ts';

/** @throws methodNotAllowed, with the sentence, unless the request is a GET or HEAD */
export function requireRead({ method }: { readonly method: string }, sentence: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new ServiceError('methodNotAllowed', sentence, { headers: { allow: 'GET, HEAD' } });
}
