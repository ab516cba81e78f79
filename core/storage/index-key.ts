import { createHash } from 'node:crypto';

/**
 * Index keys: every filterable value as one text whose binary order is the value's order, so that one tree
 * serves all kinds on every database.
 *
 * - `!` marks a value that is empty (null, or no members); it sorts before every value.
 * - `=` starts a value. Text follows as it is, cut at KEY_LENGTH with a digest behind, so equal keys mean
 *   equal texts; texts that agree in their first KEY_LENGTH characters order by digest.
 * - Numbers follow as 16 hex digits of their IEEE 754 bits, flipped so that they sort as numbers.
 */
export const EMPTY_KEY = '!';
/** Before every value, after the empty mark. */
export const VALUE_FLOOR = '=';
/** Length of text kept in a key. Bounds an index row (PostgreSQL: 2704 bytes) at four bytes a character. */
export const KEY_LENGTH = 200;

/** Delivery's form of an empty rich text; it counts as empty though it has a value (facts 2.7). */
export const DELIVERED_EMPTY_RICH_TEXT = '<p><br></p>';

export function textKey(text: string): string {
  // The store cannot search beyond a NUL; readers cannot send one either.
  const clean = text.includes('\0') ? text.replaceAll('\0', '\u0001') : text;
  if (clean.length <= KEY_LENGTH) return VALUE_FLOOR + clean;
  const cut = isLowSurrogate(clean.charCodeAt(KEY_LENGTH)) ? KEY_LENGTH - 1 : KEY_LENGTH;
  const digest = createHash('sha256').update(clean).digest('base64url').slice(0, 22);
  return `${VALUE_FLOOR}${clean.slice(0, cut)}\u0001${digest}`;
}

const bits = new DataView(new ArrayBuffer(8));

export function numberKey(value: number): string {
  // -0 and 0 are one number.
  bits.setFloat64(0, value === 0 ? 0 : value);
  const negative = bits.getUint8(0) >= 128;
  let key = VALUE_FLOOR;
  for (let index = 0; index < 8; index++) {
    const byte = bits.getUint8(index);
    const flipped = negative ? 255 - byte : index === 0 ? byte | 128 : byte;
    key += flipped.toString(16).padStart(2, '0');
  }
  return key;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** Languages a project can have; an index slot is `field * LANGUAGE_SPAN + language.ordinal`. */
export const LANGUAGE_SPAN = 256;
