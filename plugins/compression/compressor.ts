import { pipeline, type Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  type BrotliCompress,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzip,
} from 'node:zlib';
import type { z } from 'zod';
import type { Encoding } from '../accept-encoding.ts';
import type { settings } from './schema.ts';

type Settings = z.output<typeof settings>;
export type Compressed = Exclude<Encoding, 'identity'>;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

export function compressWhole(body: Buffer, encoding: Compressed, settings: Settings): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped(body, { level: settings.gzipLevel });
  const params = { ...brotliParams(settings), [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  return brotli(body, { params });
}

/**
 * The stream, compressed. It is read no faster than its reader reads; in a pause, what is compressed so far is sent.
 * Destroying the result, as a client that disconnects does, destroys the source, and the other way round.
 */
export function compressStream(source: Readable, encoding: Compressed, settings: Settings): Readable {
  const compressor =
    encoding === 'gzip'
      ? createGzip({ level: settings.gzipLevel })
      : createBrotliCompress({ params: brotliParams(settings) });
  // Errors reach the reader through the compressor, where the response listens.
  pipeline(source, flushedInPauses(compressor, settings.flushMilliseconds), compressor, () => {});
  return compressor;
}

function brotliParams({ brotliQuality }: Settings): Record<number, number> {
  return { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
}

function flushedInPauses(compressor: Gzip | BrotliCompress, milliseconds: number): Transform {
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    if (!compressor.destroyed && !compressor.writableEnded) compressor.flush();
  };
  return new Transform({
    transform(chunk, _encoding, done) {
      timer ??= setTimeout(flush, milliseconds).unref();
      timer.refresh();
      done(null, chunk);
    },
    flush(done) {
      clearTimeout(timer);
      done();
    },
    destroy(error, done) {
      clearTimeout(timer);
      done(error);
    },
  });
}
