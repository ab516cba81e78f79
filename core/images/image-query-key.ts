import { acceptsWebp } from './accepts-webp.ts';
import type { Decimal } from './decimal.ts';
import { type ImageParameters, type Length, readParameters } from './read-parameters.ts';

/** Text of each parameter, or undefined without effect. The compiler requires every parameter. */
type Parts = Readonly<Record<keyof ImageParameters, string | undefined>>;

/**
 * The part of an asset URL's query that determines the answer, as canonical text: requests for one file with equal
 * keys get equal answers. It omits parameters that are invalid, ineffective or unknown, and gives the rest in one
 * order and spelling. `Accept` contributes one bit, only with `auto=format`; such an answer carries `Vary: Accept`.
 */
export function imageQueryKey(query: string, accept: string | undefined): string {
  if (query === '') return '';
  const parameters = readParameters(query);
  const { w, h, rect, fm, fpX, fpY, fpZ } = parameters;
  const sized = w !== undefined || h !== undefined;
  const fit = sized && parameters.fit !== 'clip' ? parameters.fit : undefined;
  const isFocal = fit === 'crop' && parameters.focalPoint;
  const parts: Parts = {
    w: w && lengthText(w),
    h: h && lengthText(h),
    dpr: sized ? decimalText(parameters.dpr) : undefined,
    fit,
    rect: rect?.map(lengthText).join(),
    focalPoint: isFocal ? '1' : undefined,
    fpX: isFocal ? (decimalText(fpX) ?? '0.5') : undefined,
    fpY: isFocal ? (decimalText(fpY) ?? '0.5') : undefined,
    fpZ: isFocal ? (decimalText(fpZ) ?? '1') : undefined,
    bg: parameters.bg && Object.values(parameters.bg).join(),
    fm,
    q: parameters.q?.toString(),
    lossless: parameters.lossless && fm === 'webp' ? '1' : undefined,
    auto: parameters.auto ? String(acceptsWebp(accept)) : undefined,
  };
  return Object.entries(parts)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join('&');
}

function lengthText(length: Length): string {
  return 'share' in length ? (decimalText(length.share) as string) : String(length.pixels);
}

/** Without trailing zeros. */
function decimalText(number: Decimal | undefined): string | undefined {
  if (!number) return undefined;
  const places = String(number.unit).length - 1;
  const digits = String(number.digits).padStart(places + 1, '0');
  const point = digits.length - places;
  const fraction = digits.slice(point).replace(/(?<!0)0+$/, '');
  return fraction === '' ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}
