const ORIENTATION = 0x0112;
const SHORT = 3;

/** Orientation of an EXIF block (TIFF 6.0 section 2, tag 274), 1 where there is none or it is broken. */
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
    const value = short(at + 8);
    return short(at + 2) === SHORT && value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
