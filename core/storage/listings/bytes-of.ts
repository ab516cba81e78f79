const NOTHING = new Uint8Array(0);

/** Bytes that a database returned as such or as text; none for null. */
export function bytesOf(value: Uint8Array | string | null | undefined): Uint8Array {
  return typeof value === 'string' ? Buffer.from(value) : (value ?? NOTHING);
}
