import { roundPixels } from '../decimal.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The largest size with the region's aspect ratio that fits into the box. */
export function clip(region: Size, box: Size): Size {
  if (box.width * region.height <= box.height * region.width) {
    return { width: box.width, height: scaled(region.height, box.width, region.width) };
  }
  return { width: scaled(region.width, box.height, region.height), height: box.height };
}

function scaled(side: number, to: number, from: number): number {
  return roundPixels({ digits: BigInt(side) * BigInt(to), unit: BigInt(from) });
}
