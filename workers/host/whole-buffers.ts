import { pack } from '../protocol/packed-record.ts';

/** The buffers of a record that can be transferred to another thread instead of copied. */
export function wholeBuffers(record: unknown): ArrayBuffer[] {
  const buffers = pack(record).bytes.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
  return [...new Set(buffers)];
}
