const ORIENTATION = 0x0112;
/** Bytes of the integer TIFF types that occur for this tag. */
const BYTES: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4 };

/** Orientation of an EXIF block (TIFF 6.0 section 2, tag 274); 1 when absent or invalid. */
export function exifOrientation(block: Buffer): number {
  const tiff = block.toString('latin1', 0, 6) === 'Exif\0\0' ? block.subarray(6) : block;
  const order = tiff.toString('latin1', 0, 2);
  if (tiff.length < 8 || (order !== 'II' && order !== 'MM')) return 1;
  const little = order === 'II';
  const short = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number) => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  if (short(2) !== 42) return 1;
  const directory = long(4);
  if (directory + 2 > tiff.length) return 1;
  const entries = short(directory);
  for (let index = 0; index < entries; index += 1) {
    const at = directory + 2 + index * 12;
    if (at + 12 > tiff.length) return 1;
    if (short(at) !== ORIENTATION) continue;
    const bytes = BYTES[short(at + 2)];
    const count = long(at + 4);
    if (bytes === undefined || count === 0) return 1;
    // Up to four bytes are inline, more are at an offset.
    const offset = bytes * count > 4 ? long(at + 8) : at + 8;
    if (offset + bytes * count > tiff.length) return 1;
    const value = little ? tiff.readUIntLE(offset, bytes) : tiff.readUIntBE(offset, bytes);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
