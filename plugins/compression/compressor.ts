import { pipeline, type Readable, Transform } from 'node:stream';
import {
  type BrotliCompress,
  brotliCompressSync,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzipSync,
} from 'node:zlib';
import type { z } from 'zod';
import { brotliParams, type Compressed, compressBody } from '../http/compress-body.ts';
import type { settings } from './schema.ts';

type Settings = z.output<typeof settings>;

/**
 * Bytes of a body that is compressed at once: the way to another thread and back takes as long. CPU for 4 and 8 kB with the default
 * settings, in µs: gzip 49 and 60 instead of 103 and 117, br 62 and 97 instead of 107 and 150.
 */
const SMALL = 8192;
/** Above it, the same takes milliseconds. */
const FAST_BROTLI = 5;

export function compressWhole(
  body: Buffer,
  encoding: Compressed,
  settings: Settings,
): Buffer | Promise<Buffer> {
  const { gzipLevel, brotliQuality } = settings;
  const isFast = body.length <= SMALL && (encoding === 'gzip' || brotliQuality <= FAST_BROTLI);
  if (!isFast) return compressBody(body, encoding, settings);
  return encoding === 'gzip'
    ? gzipSync(body, { level: gzipLevel })
    : brotliCompressSync(body, { params: brotliParams(settings, body.length) });
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
