import type { Colour } from '../../workers/images/image-transform.ts';
import { LONGEST_SIDE } from '../../workers/images/limits.ts';
import { readColour } from './colour.ts';
import { compare, type Decimal, readDecimal, round } from './decimal.ts';

/** A length in whole pixels, or as a fraction between 0 and 1. */
export type Length = { readonly pixels: number } | { readonly share: Decimal };

export const FORMATS = ['gif', 'png', 'png8', 'jpg', 'pjpg', 'webp'] as const;
export type Format = (typeof FORMATS)[number];

export const FITS = ['clip', 'scale', 'crop'] as const;
type Fit = (typeof FITS)[number];

export const PARAMETER_NAMES = [
  'w',
  'h',
  'dpr',
  'fit',
  'rect',
  'crop',
  'fp-x',
  'fp-y',
  'fp-z',
  'bg',
  'fm',
  'q',
  'lossless',
  'auto',
] as const;
export type ParameterName = (typeof PARAMETER_NAMES)[number];

const LARGEST_DPR = 5;
/** Larger than any image, but exact as a number. */
const FURTHEST = 1_000_000_000;

/** The valid parameters of an image URL; invalid ones count as absent. */
export interface ImageParameters {
  readonly w?: Length;
  readonly h?: Length;
  readonly dpr?: Decimal;
  readonly fit?: Fit;
  readonly rect?: readonly [x: Length, y: Length, w: Length, h: Length];
  readonly focalPoint: boolean;
  readonly fpX?: Decimal;
  readonly fpY?: Decimal;
  /** Above 1. */
  readonly fpZ?: Decimal;
  readonly bg?: Colour;
  readonly fm?: Format;
  /** 1..100. */
  readonly q?: number;
  readonly lossless: boolean;
  readonly auto: boolean;
}

/**
 * Reads the query of an asset URL (spec 4.2). Names and keywords are case-sensitive; of a repeated parameter the
 * first counts, even if it is invalid.
 */
export function readParameters(query: string): ImageParameters {
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) if (!given.has(name)) given.set(name, value);
  const text = (name: ParameterName) => given.get(name);
  const number = (name: ParameterName) => {
    const value = text(name);
    return value === undefined ? undefined : readDecimal(value);
  };
  const point = (name: ParameterName) => {
    const at = number(name);
    return at && compare(at, 1) <= 0 ? at : undefined;
  };
  const word = <Word extends string>(name: ParameterName, words: readonly Word[]) =>
    words.find((candidate) => candidate === text(name));
  const zoom = number('fp-z');
  return present({
    w: side(number('w')),
    h: side(number('h')),
    dpr: ratio(number('dpr')),
    fit: word('fit', FITS),
    rect: readRect(text('rect')),
    focalPoint: text('crop') === 'focalpoint',
    fpX: point('fp-x'),
    fpY: point('fp-y'),
    fpZ: zoom && compare(zoom, 1) > 0 ? zoom : undefined,
    bg: readColour(text('bg')),
    fm: word('fm', FORMATS),
    q: quality(number('q')),
    lossless: word('lossless', ['1', 'true']) !== undefined,
    // Clients before 2020 write auto=webp; other servers accept a list.
    auto: /(?:^|,)(?:format|webp)(?:,|$)/.test(text('auto') ?? ''),
  });
}

function side(number: Decimal | undefined): Length | undefined {
  if (!number || number.digits === 0n || compare(number, LONGEST_SIDE) > 0) return undefined;
  return lengthOf(number);
}

function lengthOf(number: Decimal): Length {
  if (number.digits > 0n && compare(number, 1) < 0) return { share: number };
  return { pixels: compare(number, FURTHEST) > 0 ? FURTHEST : round(number) };
}

function ratio(number: Decimal | undefined): Decimal | undefined {
  if (!number || number.digits === 0n) return undefined;
  return compare(number, LARGEST_DPR) > 0 ? { digits: BigInt(LARGEST_DPR), unit: 1n } : number;
}

/** The encoders of sharp start at 1. */
function quality(number: Decimal | undefined): number | undefined {
  return number && compare(number, 100) <= 0 ? Math.max(1, round(number)) : undefined;
}

/** A rect without width or height is invalid. */
function readRect(text: string | undefined): ImageParameters['rect'] {
  // Bounds the split: a fifth part already makes it invalid.
  const [x, y, w, h, ...more] = (text ?? '').split(',', 5).map(readDecimal);
  if (!x || !y || !w || !h || more.length > 0 || w.digits === 0n || h.digits === 0n) return undefined;
  return [lengthOf(x), lengthOf(y), lengthOf(w), lengthOf(h)];
}

/** Omits undefined values. */
function present(parameters: { [Name in keyof ImageParameters]: ImageParameters[Name] | undefined }) {
  return Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== undefined),
  ) as unknown as ImageParameters;
}
