import type { Readable } from 'node:stream';
import { ServiceError } from '../../core/contract.ts';

export function bodyTooLarge(limit: number): ServiceError {
  return new ServiceError('bodyTooLarge', `The body of a request can have at most ${limit} bytes.`);
}

/**
 * The body, chunk by chunk, up to the limit. The connection stays open when a reader stops early, so that the client
 * gets the refusal.
 *
 * @param onFirstRead called at the first read
 * @throws bodyTooLarge at the chunk that exceeds the limit
 */
export async function* limitedBody(
  request: Readable,
  limit: number,
  onFirstRead: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  onFirstRead();
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw bodyTooLarge(limit);
    yield chunk;
  }
}
