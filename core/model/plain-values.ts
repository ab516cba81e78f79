/**
 * Reads values that do not depend on the model from a caller's input into their stored form. Each function throws
 * `ValueError` with a message for the caller.
 */

import { characterCount, isLongerThan } from './text-length.ts';

/** Longest text (spec 2.8), in characters; of rich text, URL slugs and custom elements as well. */
export const TEXT_LIMIT = 100_000;
const NUMBER_DIGITS = 10;

export class ValueError extends Error {}

export function readText(value: unknown, limit: number = TEXT_LIMIT): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string') throw new ValueError('A string or null is expected.');
  if (isLongerThan(value, limit)) {
    throw new ValueError(`The value must not be longer than ${limit} characters.`);
  }
  if (value.includes('\0')) throw new ValueError('The value must not hold null characters.');
  return value;
}

/** A number, also as decimal text; at most ten digits before the point, rounded to ten behind it. */
export function readNumber(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const number =
    typeof value === 'string' && /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(value.trim())
      ? Number(value)
      : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw new ValueError('A decimal number or null is expected.');
  }
  if (Math.abs(number) >= 10 ** NUMBER_DIGITS) {
    throw new ValueError(`A number has at most ${NUMBER_DIGITS} digits before the decimal point.`);
  }
  // Turns -0 into 0.
  return Number(number.toFixed(NUMBER_DIGITS)) + 0;
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** ISO 8601 → `YYYY-MM-DDTHH:MM:SSZ`; a time without a zone is UTC, fractions are dropped. */
export function readDateTime(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const parts = typeof value === 'string' ? DATE_TIME.exec(value.trim()) : null;
  if (!parts) throw new ValueError('An ISO 8601 date and time or null is expected.');
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const real =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!real || year < 1) throw new ValueError('There is no such date and time.');
  const utc = new Date(date.getTime() - zoneMinutes(parts[7]) * 60_000);
  const text = utc.toISOString();
  if (text.length !== 24 || text.startsWith('0000')) throw new ValueError('There is no such date and time.');
  return `${text.slice(0, 19)}Z`;
}

/** The same as times are stored beside content: with seven digits of a second. @throws ValueError */
export function readInstant(value: unknown): string | null {
  const time = readDateTime(value);
  if (time === null) return null;
  const [, fraction = ''] = /[.,](\d+)/.exec(String(value)) ?? [];
  return time.replace('Z', `.${fraction.slice(0, 7).padEnd(7, '0')}Z`);
}

function zoneMinutes(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const digits = zone.replace(':', '').slice(1);
  const ofHour = Number(digits.slice(2));
  const minutes = Number(digits.slice(0, 2)) * 60 + ofHour;
  if (ofHour > 59 || minutes > 14 * 60) throw new ValueError('There is no such time zone.');
  return zone.startsWith('-') ? -minutes : minutes;
}

/** `Über Röstung, 2` → `uber-rostung-2`. */
export function toUrlSlug(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** The length of a text in the unit of a limit. */
export function countText(text: string, unit: 'words' | 'characters'): number {
  if (unit === 'characters') return characterCount(text);
  return text.split(/\s+/).filter((word) => word !== '').length;
}
