/** Images whose every pixel is known. */
import sharp, { type Sharp } from 'sharp';

export interface Rgba {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  readonly a: number;
}

/** Side of a tile of `tilesImage`; decoders and scalers blur its edges, never its middle. */
export const TILE = 20;

/** The colour of a tile: no two of the first 16 × 16 are alike. */
export function tileColour(column: number, row: number): Rgba {
  return { r: 15 + column * 15, g: 15 + row * 15, b: (column + row) % 2 === 0 ? 30 : 220, a: 255 };
}

/** Tiles of known colours, `columns × rows` of them. */
export function tilesImage(columns: number, rows: number): Sharp {
  return image(columns * TILE, rows * TILE, (x, y) => tileColour(Math.floor(x / TILE), Math.floor(y / TILE)));
}

export function image(width: number, height: number, at: (x: number, y: number) => Rgba): Sharp {
  const pixels = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const { r, g, b, a } = at(x, y);
      pixels.set([r, g, b, a], (y * width + x) * 4);
    }
  return sharp(pixels, { raw: { width, height, channels: 4 } });
}

export interface Decoded {
  readonly format: string;
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly isProgressive: boolean;
  readonly hasAlpha: boolean;
  readonly isPalette: boolean;
  /** By default of the first frame. */
  at(x: number, y: number, frame?: number): Rgba;
}

export async function decode(bytes: Buffer): Promise<Decoded> {
  const metadata = await sharp(bytes, { animated: true }).metadata();
  const { data, info } = await sharp(bytes, { animated: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const height = metadata.pageHeight ?? info.height;
  return {
    format: metadata.format,
    width: info.width,
    height,
    frames: metadata.pages ?? 1,
    isProgressive: metadata.isProgressive ?? false,
    hasAlpha: metadata.hasAlpha,
    isPalette: metadata.isPalette ?? false,
    at(x, y, frame = 0) {
      const start = ((frame * height + y) * info.width + x) * 4;
      const [r = 0, g = 0, b = 0, a = 0] = data.subarray(start, start + 4);
      return { r, g, b, a };
    },
  };
}

/** Images of one colour each, one after another. */
export async function animation(
  width: number,
  height: number,
  colours: readonly string[],
  format: 'gif' | 'webp',
): Promise<Buffer> {
  const frames = await Promise.all(
    colours.map((background) =>
      sharp({ create: { width, height, channels: 4, background } })
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
}
