/**
 * What an image URL should answer, computed step by step from the tables of the specification (4.2) and in whole
 * numbers only: a decimal is its digits and a power of ten. Imports nothing from core.
 */

export interface OracleSource {
  readonly format: 'jpeg' | 'png' | 'gif' | 'webp';
  /** Upright. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly alpha: boolean;
}

export interface OracleResult {
  readonly left: number;
  readonly top: number;
  readonly windowWidth: number;
  readonly windowHeight: number;
  readonly width: number;
  readonly height: number;
  readonly output: 'gif' | 'png' | 'png8' | 'jpg' | 'pjpg' | 'webp' | 'webp-lossless';
  /** Where the output has one. */
  readonly quality: number | undefined;
  readonly background: string | undefined;
  readonly animated: boolean;
}

/** digits / 10^places */
interface Decimal {
  readonly digits: bigint;
  readonly unit: bigint;
}
type Length = { readonly pixels: bigint } | { readonly share: Decimal };

const LARGEST = 8192n;

export function expectedImage(
  query: string,
  source: OracleSource,
  browserTakesWebp: boolean,
): OracleResult | 'original' {
  const given = firstOfEach(query);
  const W = BigInt(source.width);
  const H = BigInt(source.height);

  // Valid parameters.
  const w = sideRule(given.get('w'));
  const h = sideRule(given.get('h'));
  const sized = w !== undefined || h !== undefined;
  const dpr = sized ? dprRule(given.get('dpr')) : undefined;
  const fit = sized && ['clip', 'scale', 'crop'].includes(given.get('fit') ?? '') ? given.get('fit') : 'clip';
  const rect = rectRule(given.get('rect'));
  const focal = fit === 'crop' && given.get('crop') === 'focalpoint';
  const fm = ['gif', 'png', 'png8', 'jpg', 'pjpg', 'webp'].includes(given.get('fm') ?? '')
    ? (given.get('fm') as 'gif' | 'png' | 'png8' | 'jpg' | 'pjpg' | 'webp')
    : undefined;
  const auto = (given.get('auto') ?? '').split(',').some((word) => word === 'format' || word === 'webp');
  const bg = source.alpha ? colourRule(given.get('bg')) : undefined;
  const q = qualityRule(given.get('q'));

  // Contradictions.
  if (rect && focal) return 'original';
  if (fit === 'crop' && [w, h].some((side) => side && 'share' in side)) return 'original';

  // The region that the remaining parameters apply to.
  let [x0, y0, rw, rh] = [0n, 0n, W, H];
  if (rect) {
    const [x, y, width, height] = rect;
    x0 = 'share' in x ? least(ofShare(x.share, W), W - 1n) : x.pixels;
    y0 = 'share' in y ? least(ofShare(y.share, H), H - 1n) : y.pixels;
    if (x0 >= W || y0 >= H) return 'original';
    rw = least(atLeastOne(inPixels(width, W)), W - x0);
    rh = least(atLeastOne(inPixels(height, H)), H - y0);
  }

  // The output format.
  const sourceOutput = ({ jpeg: 'jpg', png: 'png', gif: 'gif', webp: 'webp' } as const)[source.format];
  let target: 'gif' | 'png' | 'png8' | 'jpg' | 'pjpg' | 'webp' = fm ?? sourceOutput;
  let formatAsked = fm !== undefined;
  if (auto && browserTakesWebp) {
    target = 'webp';
    formatAsked = source.format !== 'webp';
  }
  const losslessAsked = ['1', 'true'].includes(given.get('lossless') ?? '') && fm === 'webp';
  const lossless = losslessAsked && target === 'webp';
  const hasQuality = (target === 'jpg' || target === 'pjpg' || target === 'webp') && !lossless;
  const qualityAsked = q !== undefined && hasQuality;

  if (!sized && !rect && !formatAsked && !qualityAsked && !lossless && bg === undefined) return 'original';

  // The box.
  const box = (side: Length | undefined, whole: bigint): bigint | undefined => {
    if (!side) return undefined;
    let pixels = atLeastOne(inPixels(side, whole));
    if (dpr) pixels = atLeastOne(halfUp(pixels * dpr.digits, dpr.unit));
    return least(least(pixels, LARGEST), whole);
  };
  const bw = box(w, rw);
  const bh = box(h, rh);
  let [ww, wh, left, top] = [rw, rh, 0n, 0n];
  let [outW, outH] = [1n, 1n];
  if (fit === 'scale' && bw !== undefined && bh !== undefined) [outW, outH] = [bw, bh];
  else if (fit === 'crop' && bw !== undefined && bh !== undefined) {
    const zoom = focal ? zoomRule(given.get('fp-z')) : { digits: 1n, unit: 1n };
    const fx = focal ? pointRule(given.get('fp-x')) : HALF;
    const fy = focal ? pointRule(given.get('fp-y')) : HALF;
    // The window has the shape of the box; whichever side is reached first is whole.
    if (rw * bh <= rh * bw) {
      ww = atLeastOne(halfUp(rw * zoom.unit, zoom.digits));
      wh = atLeastOne(halfUp(bh * rw * zoom.unit, bw * zoom.digits));
    } else {
      wh = atLeastOne(halfUp(rh * zoom.unit, zoom.digits));
      ww = atLeastOne(halfUp(bw * rh * zoom.unit, bh * zoom.digits));
    }
    left = slide(fx, rw, ww);
    top = slide(fy, rh, wh);
    outW = least(bw, ww);
    outH = least(bh, wh);
  } else {
    // Fits into the box: of the two ways to fill one side, the one that does not exceed the other.
    const fullW = bw ?? least(rw, LARGEST);
    const fullH = bh ?? least(rh, LARGEST);
    if (fullW * rh <= fullH * rw) [outW, outH] = [fullW, atLeastOne(halfUp(fullW * rh, rw))];
    else [outW, outH] = [atLeastOne(halfUp(fullH * rw, rh)), fullH];
  }
  return {
    left: Number(x0 + left),
    top: Number(y0 + top),
    windowWidth: Number(ww),
    windowHeight: Number(wh),
    width: Number(outW),
    height: Number(outH),
    output: lossless ? 'webp-lossless' : target,
    quality: hasQuality ? (q ?? 85) : undefined,
    background: bg,
    animated: source.frames > 1 && (target === 'gif' || target === 'webp'),
  };
}

const HALF: Decimal = { digits: 1n, unit: 2n };

function firstOfEach(query: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) if (!given.has(name)) given.set(name, value);
  return given;
}

/** Plain decimals only; no sign, exponent or white space; at most 64 characters. */
function decimal(text: string | undefined): Decimal | undefined {
  const parts = text !== undefined && text.length <= 64 ? /^([0-9]*)(?:\.([0-9]+))?$/.exec(text) : null;
  if (!parts || text === '') return undefined;
  const [, whole = '', fraction = ''] = parts;
  return { digits: BigInt(`${whole}${fraction}`), unit: 10n ** BigInt(fraction.length) };
}

function sideRule(text: string | undefined): Length | undefined {
  const number = decimal(text);
  if (!number || number.digits === 0n || number.digits > LARGEST * number.unit) return undefined;
  return lengthOf(number);
}

function lengthOf(number: Decimal): Length {
  return number.digits > 0n && number.digits < number.unit
    ? { share: number }
    : { pixels: halfUp(number.digits, number.unit) };
}

function rectRule(text: string | undefined): readonly [Length, Length, Length, Length] | undefined {
  const parts = (text ?? '').split(',').map(decimal);
  const [x, y, w, h] = parts;
  if (parts.length !== 4 || !x || !y || !w || !h || w.digits === 0n || h.digits === 0n) return undefined;
  return [lengthOf(x), lengthOf(y), lengthOf(w), lengthOf(h)];
}

function dprRule(text: string | undefined): Decimal | undefined {
  const number = decimal(text);
  if (!number || number.digits === 0n) return undefined;
  return number.digits > 5n * number.unit ? { digits: 5n, unit: 1n } : number;
}

function pointRule(text: string | undefined): Decimal {
  const number = decimal(text);
  return number && number.digits <= number.unit ? number : HALF;
}

function zoomRule(text: string | undefined): Decimal {
  const number = decimal(text);
  return number && number.digits > number.unit ? number : { digits: 1n, unit: 1n };
}

function qualityRule(text: string | undefined): number | undefined {
  const number = decimal(text);
  if (!number || number.digits > 100n * number.unit) return undefined;
  return Math.max(1, Number(halfUp(number.digits, number.unit)));
}

/** As AARRGGBB, lower case. */
function colourRule(text: string | undefined): string | undefined {
  const hex = (text ?? '').toLowerCase();
  if (!/^(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/.test(hex)) return undefined;
  const long = hex.length < 5 ? hex.replaceAll(/./g, '$&$&') : hex;
  return long.length === 6 ? `ff${long}` : long;
}

function inPixels(length: Length, whole: bigint): bigint {
  return 'share' in length ? ofShare(length.share, whole) : length.pixels;
}

function ofShare(share: Decimal, whole: bigint): bigint {
  return halfUp(share.digits * whole, share.unit);
}

/** Start of a window whose middle is at the point, held inside. */
function slide(point: Decimal, whole: bigint, window: bigint): bigint {
  const twice = 2n * point.digits * whole - window * point.unit;
  if (twice <= 0n) return 0n;
  return least(halfUp(twice, 2n * point.unit), whole - window);
}

/** a ÷ b for what is not negative; a half goes up. */
function halfUp(a: bigint, b: bigint): bigint {
  const whole = a / b;
  return 2n * (a - whole * b) >= b ? whole + 1n : whole;
}

function atLeastOne(value: bigint): bigint {
  return value < 1n ? 1n : value;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
