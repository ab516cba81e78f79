import { exifOrientation } from './exif-orientation.ts';
import { type Found, type HeaderSteps, LONGEST_PIECE, MOST_FRAMES } from './image-header.ts';

const ANIMATION = 0x02;
const EXIF = 0x08;
const ALPHA = 0x10;

/** The first chunk has the size; of an extended file all chunks are read, as EXIF comes last. RFC 9649. */
export function* readWebp(found: Found): HeaderSteps {
  yield -12;
  const head = yield 18;
  const still = { format: 'webp', orientation: 1, frames: 1 } as const;
  switch (head.toString('latin1', 0, 4)) {
    case 'VP8 ': {
      const [width, height] = [head.readUInt16LE(14) & 0x3fff, head.readUInt16LE(16) & 0x3fff];
      return found({ ...still, width, height, alpha: false });
    }
    case 'VP8L': {
      const bits = head.readUInt32LE(9);
      const [width, height] = [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
      return found({ ...still, width, height, alpha: (bits & 0x10000000) !== 0 });
    }
    case 'VP8X':
      return yield* extended(head, found);
  }
}

function* extended(head: Buffer, found: Found): HeaderSteps {
  const flags = head.readUInt8(8);
  const size = { width: head.readUIntLE(12, 3) + 1, height: head.readUIntLE(15, 3) + 1 };
  const length = head.readUInt32LE(4);
  let orientation = 1;
  let frames = 0;
  const report = () =>
    found({
      format: 'webp',
      ...size,
      orientation,
      frames: Math.max(1, frames),
      alpha: (flags & ALPHA) !== 0,
    });
  report();
  if ((flags & (ANIMATION | EXIF)) === 0) return;
  yield -Math.max(0, padded(length) - 10);
  while (frames < MOST_FRAMES) {
    const chunk = yield 8;
    const bytes = chunk.readUInt32LE(4);
    const name = chunk.toString('latin1', 0, 4);
    if (name === 'ANMF') frames += 1;
    if (name === 'EXIF' && bytes <= LONGEST_PIECE) {
      orientation = exifOrientation(yield bytes);
      yield -(padded(bytes) - bytes);
    } else yield -padded(bytes);
    report();
  }
}

/** Chunks start at even offsets. */
function padded(length: number): number {
  return length + (length % 2);
}
