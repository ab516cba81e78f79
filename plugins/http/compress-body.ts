import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from './accept-encoding.ts';

export type Compressed = Exclude<Encoding, 'identity'>;

export interface Effort {
  readonly gzipLevel: number;
  readonly brotliQuality: number;
}

const gzipped = promisify(gzip);
const brotli = promisify(brotliCompress);

/** Compresses a body in libuv's threads. */
export function compressBody(body: Buffer, encoding: Compressed, effort: Effort): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped(body, { level: effort.gzipLevel });
  return brotli(body, { params: brotliParams(effort, body.length) });
}

/** @param length of the body, where it is known */
export function brotliParams({ brotliQuality }: Effort, length?: number): Record<number, number> {
  return {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    ...(length !== undefined && { [constants.BROTLI_PARAM_SIZE_HINT]: length }),
  };
}
