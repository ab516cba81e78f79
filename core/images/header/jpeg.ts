import { exifOrientation } from './exif-orientation.ts';
import type { Found, HeaderSteps } from './image-header.ts';

const APP1 = 0xe1;

/** Reads the segments up to the frame header; ITU T.81 annex B. */
export function* readJpeg(found: Found): HeaderSteps {
  yield -2;
  let orientation: number | undefined;
  for (;;) {
    const [mark, marker = 0] = yield 2;
    if (mark !== 0xff) return;
    if (marker === 0xff) {
      // A fill byte: the second one starts the next marker.
      let code = marker;
      while (code === 0xff) code = (yield 1).readUInt8(0);
      if (yield* segment(code)) return;
    } else if (yield* segment(marker)) return;
  }

  /** Returns whether the frame header was found. */
  function* segment(marker: number): HeaderSteps<boolean> {
    // Markers without a length: TEM and RST0 to EOI.
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9)) return false;
    const length = (yield 2).readUInt16BE(0) - 2;
    if (length < 0) return true;
    if (marker === APP1 && orientation === undefined) {
      const block = yield length;
      if (block.toString('latin1', 0, 6) === 'Exif\0\0') orientation = exifOrientation(block);
      return false;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (!isFrame) {
      yield -length;
      return false;
    }
    const frame = yield 5;
    found({
      format: 'jpeg',
      width: frame.readUInt16BE(3),
      height: frame.readUInt16BE(1),
      orientation: orientation ?? 1,
      frames: 1,
      alpha: false,
    });
    return true;
  }
}
