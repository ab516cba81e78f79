import { hash } from 'node:crypto';

/**
 * Index keys: every filterable value as one text whose binary order is the value's order, so that one index serves all
 * kinds of elements on every database.
 *
 * - `!` marks a value that is empty (null, or no members); it sorts before every value.
 * - `=` starts a value. Text follows unchanged; text longer than KEY_LENGTH is cut there and gets a digest, so that equal
 *   keys mean equal texts, and texts with the same beginning sort by digest.
 * - Numbers follow as 16 hex digits of their IEEE 754 bits, flipped so that they sort as numbers.
 */
export const EMPTY_KEY = '!';
/** Sorts before every value and after EMPTY_KEY. */
export const VALUE_FLOOR = '=';
/** The last code point: after every key and every codename. */
export const AFTER_ALL = '\u{10ffff}';
/** Characters of text in a key. Limits an index row (PostgreSQL: 2704 bytes) at four bytes a character. */
export const KEY_LENGTH = 200;
const DIGEST_LENGTH = 22;
/** Keys of at least this length belong to cut texts, shorter ones have the whole text. */
export const CUT_KEY_LENGTH = VALUE_FLOOR.length + KEY_LENGTH + DIGEST_LENGTH;

/** Delivery's form of an empty rich text, which filters treat as empty. */
export const DELIVERED_EMPTY_RICH_TEXT = '<p><br></p>';

export function textKey(text: string): string {
  // SQLite cannot search beyond a NUL, and readers cannot send one.
  const clean = text.includes('\0') ? text.replaceAll('\0', '\u0001') : text;
  if (clean.length <= KEY_LENGTH) return VALUE_FLOOR + clean;
  const cut = isLowSurrogate(clean.charCodeAt(KEY_LENGTH)) ? KEY_LENGTH - 1 : KEY_LENGTH;
  const digest = hash('sha256', clean, 'base64url').slice(0, DIGEST_LENGTH);
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
