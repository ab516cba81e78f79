/** An exact non-negative number: `digits / unit`, both whole. */
export interface Decimal {
  readonly digits: bigint;
  /** A power of ten when read; any positive number when computed. */
  readonly unit: bigint;
}

export const ONE: Decimal = { digits: 1n, unit: 1n };

/** Longer than any client writes a number; bounds the arithmetic on hostile ones. */
const LONGEST = 64;

/** Reads `12`, `0.5`, `.5`, `97.0123456789`. Signs, exponents, white space and `NaN` are invalid in an image URL. */
export function readDecimal(text: string): Decimal | undefined {
  if (text.length > LONGEST || !/^(?:\d+|\d*\.\d+)$/.test(text)) return undefined;
  const point = text.indexOf('.');
  if (point < 0) return { digits: BigInt(text), unit: 1n };
  const fraction = text.slice(point + 1);
  return { digits: BigInt(text.slice(0, point) + fraction), unit: 10n ** BigInt(fraction.length) };
}

/** -1, 0 or 1, as `number` is below, at or above the whole number `other`. */
export function compare(number: Decimal, other: number): -1 | 0 | 1 {
  const rest = number.digits - BigInt(other) * number.unit;
  return rest < 0n ? -1 : rest > 0n ? 1 : 0;
}

/** The nearest whole number; halves round up. */
export function round({ digits, unit }: Decimal): number {
  return Number((2n * digits + unit) / (2n * unit));
}

/** Like `round`, but at least 1. */
export function roundPixels(number: Decimal): number {
  return Math.max(1, round(number));
}

/** `number × by`, `by` whole. */
export function times({ digits, unit }: Decimal, by: number): Decimal {
  return { digits: digits * BigInt(by), unit };
}
