import { exifOrientation } from './exif-orientation.ts';
import { type Found, type HeaderSteps, LONGEST_PIECE } from './image-header.ts';

const HAS_ALPHA = 4;

/**
 * Reads the chunks up to the first pixels; W3C PNG, third edition, section 5. Of an animated PNG the still image
 * counts.
 */
export function* readPng(found: Found): HeaderSteps {
  yield -8;
  const start = yield 21;
  if (start.toString('latin1', 4, 8) !== 'IHDR') return;
  const size = { width: start.readUInt32BE(8), height: start.readUInt32BE(12) };
  let alpha = (start.readUInt8(17) & HAS_ALPHA) !== 0;
  let orientation = 1;
  const report = () => found({ format: 'png', ...size, orientation, frames: 1, alpha });
  report();
  // The rest of the chunk is its checksum.
  yield -4;
  for (;;) {
    const head = yield 8;
    const length = head.readUInt32BE(0);
    const name = head.toString('latin1', 4, 8);
    if (name === 'IDAT' || name === 'IEND') return;
    if (name === 'tRNS') alpha = true;
    if (name === 'eXIf' && length <= LONGEST_PIECE) {
      const block = yield length;
      // EXIF has no prefix here, and decoders ignore a block with one.
      if (block.toString('latin1', 0, 4) !== 'Exif') orientation = exifOrientation(block);
      yield -4;
    } else yield -(length + 4);
    report();
  }
}
