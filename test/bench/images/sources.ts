import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Bench } from '../benchmark.ts';

export const FORMATS = ['jpeg', 'png', 'webp'] as const;
export type Format = (typeof FORMATS)[number];

export const SOURCE = { width: 2000, height: 1333 };

/** A folder with the same image in each format: soft shapes with the grain of a camera. */
export async function images({ datasets }: Bench, name: string): Promise<string> {
  const folder = await datasets.folder(`${name}-images`);
  const image = await photograph(SOURCE.width, SOURCE.height);
  await Promise.all(
    FORMATS.map(async (format) =>
      writeFile(join(folder, fileName(format)), await image.clone().toFormat(format).toBuffer()),
    ),
  );
  return folder;
}

export const fileName = (format: Format) => `source.${format}`;

export async function photograph(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3);
  let state = 12_345;
  const grain = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const shape = Math.sin(x / 90) * 50 + Math.cos(y / 70) * 50 + 128 + Math.sin((x * y) / 9000) * 40;
      pixels.set(
        [shape + grain() * 30, shape * 0.8 + 30 + grain() * 30, 200 - shape / 2 + grain() * 30],
        (y * width + x) * 3,
      );
    }
  const soft = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .blur(0.8)
    .raw()
    .toBuffer();
  return sharp(soft, { raw: { width, height, channels: 3 } });
}
