import { pack } from '../protocol/parcel.ts';

/** Memory of the byte arrays in a record that can be handed to another thread instead of being copied. */
export function wholeBuffers(record: unknown): ArrayBuffer[] {
  const buffers = pack(record).bytes.flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
  return [...new Set(buffers)];
}
