import { type Found, type HeaderSteps, MOST_FRAMES } from './image-header.ts';

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const GRAPHIC_CONTROL = 0xf9;

/** Reads all blocks and counts the frames; GIF89a, sections 18 to 27. */
export function* readGif(found: Found): HeaderSteps {
  yield -6;
  const screen = yield 7;
  const size = { width: screen.readUInt16LE(0), height: screen.readUInt16LE(2) };
  yield -tableBytes(screen.readUInt8(4));
  let frames = 0;
  let alpha = false;
  const report = () => found({ format: 'gif', ...size, orientation: 1, frames: Math.max(1, frames), alpha });
  report();
  while (frames < MOST_FRAMES) {
    const kind = (yield 1).readUInt8(0);
    if (kind === EXTENSION) {
      if ((yield 1).readUInt8(0) === GRAPHIC_CONTROL) {
        const control = yield 2;
        if (control.readUInt8(0) !== 4) return;
        alpha ||= (control.readUInt8(1) & 1) !== 0;
        yield -3;
      }
    } else if (kind === IMAGE) {
      const image = yield 9;
      const covers =
        image.readUInt32LE(0) === 0 &&
        image.readUInt16LE(4) >= size.width &&
        image.readUInt16LE(6) >= size.height;
      // Pixels that the first frame leaves free are transparent.
      if (frames === 0 && !covers) alpha = true;
      yield -(tableBytes(image.readUInt8(8)) + 1);
      frames += 1;
    } else return report();
    yield* skipBlocks();
    report();
  }
}

/** Bytes of the colour table that the flags declare. */
function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

function* skipBlocks(): HeaderSteps {
  for (;;) {
    const length = (yield 1).readUInt8(0);
    if (length === 0) return;
    yield -length;
  }
}
