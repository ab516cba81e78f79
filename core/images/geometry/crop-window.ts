import type { Region } from '../../../workers/images/image-transform.ts';
import { type Decimal, round, roundPixels } from '../decimal.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Focus {
  /** 0..1, from the left and the top. */
  readonly x: Decimal;
  readonly y: Decimal;
  /** At least 1. */
  readonly zoom: Decimal;
}

/**
 * The part of the region that a crop to `box` shows: the box's aspect ratio, the largest size that fits divided by
 * the zoom, centred on the focal point as far as the edges allow.
 *
 * `s = min(W / w, H / h) / z`, window `w·s × h·s`, `left = clamp(fx·W − w·s / 2, 0, W − w·s)`
 */
export function cropWindow(region: Size, box: Size, { x, y, zoom }: Focus): Region {
  const [w, h] = [BigInt(box.width), BigInt(box.height)];
  const [W, H] = [BigInt(region.width), BigInt(region.height)];
  const scale =
    W * h <= H * w
      ? { digits: W * zoom.unit, unit: w * zoom.digits }
      : { digits: H * zoom.unit, unit: h * zoom.digits };
  const width = roundPixels({ digits: w * scale.digits, unit: scale.unit });
  const height = roundPixels({ digits: h * scale.digits, unit: scale.unit });
  return {
    left: startAt(x, region.width, width),
    top: startAt(y, region.height, height),
    width,
    height,
  };
}

function startAt({ digits, unit }: Decimal, whole: number, window: number): number {
  const twice = 2n * digits * BigInt(whole) - unit * BigInt(window);
  return twice <= 0n ? 0 : Math.min(round({ digits: twice, unit: 2n * unit }), whole - window);
}
