import { Readable } from 'node:stream';
import type { CancelSignal } from '../../core/contract.ts';

const ignore = () => {};

/**
 * A streamed answer. The first chunk has been fetched already, so that a failure to begin is still an error
 * answer and not a connection error. However the stream ends, also by a client that disconnects, the source is stopped,
 * and each of its failures has a listener (without one the process would end).
 */
export function answerStream(
  first: IteratorResult<Uint8Array, unknown>,
  source: AsyncIterator<Uint8Array>,
  highWaterMark: number,
  disconnected: CancelSignal,
  onFailure: (error: unknown) => void,
): Readable {
  let ahead: typeof first | undefined = first;
  let over = first.done === true;
  const stream = new Readable({
    highWaterMark,
    read() {
      const next = ahead ? Promise.resolve(ahead) : source.next();
      ahead = undefined;
      next.then(
        (result) => {
          over = result.done === true;
          this.push(over ? null : result.value);
        },
        (error: unknown) => {
          over = true;
          // A client that disconnects cancels the source too, which may end before this stream is destroyed.
          if (!disconnected.aborted) onFailure(error);
          this.destroy(new Error('The answer failed.', { cause: error }));
        },
      );
    },
    destroy(error, callback) {
      if (!over) source.return?.().then(ignore, ignore);
      over = true;
      callback(error);
    },
  });
  stream.on('error', ignore);
  return stream;
}
