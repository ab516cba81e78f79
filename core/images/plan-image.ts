import type { ImagePlan, Region } from '../../workers/images/image-transform.ts';
import { LONGEST_SIDE } from '../../workers/images/limits.ts';
import { chooseOutput } from './choose-output.ts';
import { type Decimal, ONE } from './decimal.ts';
import { boxSide } from './geometry/box.ts';
import { clip } from './geometry/clip.ts';
import { cropWindow } from './geometry/crop-window.ts';
import { regionOfRect } from './geometry/region-of-rect.ts';
import type { ImageSource } from './image-source.ts';
import type { ImageParameters } from './read-parameters.ts';

const HALF: Decimal = { digits: 1n, unit: 2n };

/**
 * Plans the transformation, or `original` where the remaining parameters contradict each other or have no effect.
 * Three rules, in this order: an invalid value counts as absent (`readParameters`), a parameter without its
 * requirement has no effect, and the rest applies together or not at all.
 *
 * Order of the work: upright → rect → crop window → size × dpr → background → encoding.
 */
export function planImage(
  parameters: ImageParameters,
  source: ImageSource,
  takesWebp: boolean,
): ImagePlan | 'original' {
  const { w, h, rect } = parameters;
  const sized = w !== undefined || h !== undefined;
  const fit = sized ? (parameters.fit ?? 'clip') : 'clip';
  const focal = fit === 'crop' && parameters.focalPoint;
  const background = source.alpha ? (parameters.bg ?? null) : null;
  const output = chooseOutput(parameters, source, takesWebp);
  if (!sized && !rect && !output.requested && background === null) return 'original';

  if (rect && focal) return 'original';
  if (fit === 'crop' && [w, h].some((side) => side !== undefined && 'share' in side)) return 'original';
  const region = rect ? regionOfRect(rect, source) : { left: 0, top: 0, ...sizeOf(source) };
  if (!region) return 'original';

  const dpr = sized ? parameters.dpr : undefined;
  const width = boxSide(w, dpr, region.width);
  const height = boxSide(h, dpr, region.height);
  const isWhole = width !== undefined && height !== undefined;
  const window =
    fit === 'crop' && isWhole
      ? within(region, cropWindow(region, { width, height }, focal ? focusOf(parameters) : MIDDLE))
      : region;
  const size =
    fit === 'clip' || !isWhole
      ? clip(region, {
          width: width ?? Math.min(region.width, LONGEST_SIDE),
          height: height ?? Math.min(region.height, LONGEST_SIDE),
        })
      : { width: Math.min(width, window.width), height: Math.min(height, window.height) };
  return {
    window: window.width === source.width && window.height === source.height ? null : window,
    ...size,
    background,
    frames: source.frames > 1 && output.animates ? 'all' : 'first',
    encoding: output.encoding,
  };
}

const MIDDLE = { x: HALF, y: HALF, zoom: ONE };

function focusOf({ fpX, fpY, fpZ }: ImageParameters) {
  return { x: fpX ?? HALF, y: fpY ?? HALF, zoom: fpZ ?? ONE };
}

function within(region: Region, window: Region): Region {
  return { ...window, left: region.left + window.left, top: region.top + window.top };
}

function sizeOf({ width, height }: ImageSource) {
  return { width, height };
}
