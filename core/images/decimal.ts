/** A number as it was written, exact: `digits / unit`, both whole; never negative. */
export interface Decimal {
  readonly digits: bigint;
  /** A power of ten in what is read; any positive number in what is computed. */
  readonly unit: bigint;
}

export const ONE: Decimal = { digits: 1n, unit: 1n };

/** Longer than any client writes a number; keeps arithmetic on hostile ones cheap. */
const LONGEST = 64;

/**
 * Reads `12`, `0.5`, `.5`, `97.0123456789`. Signs, exponents, white space, `NaN` and the like are no numbers of
 * an image URL.
 */
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

/** The nearest whole number; a half goes up. */
export function round({ digits, unit }: Decimal): number {
  return Number((2n * digits + unit) / (2n * unit));
}

/** The same, but at least 1: no side of a picture is nothing. */
export function roundPixels(number: Decimal): number {
  return Math.max(1, round(number));
}

/** `number × by`, `by` whole. */
export function times({ digits, unit }: Decimal, by: number): Decimal {
  return { digits: digits * BigInt(by), unit };
}
