import type { ValidationIssue } from '../errors.ts';
import { placeAt } from './place-at.ts';

/** The deepest body that makes sense, components on level 6, has about 30; a taxonomy may have more. */
const DEPTH = 256;

/** More values than any sensible body has; 10 MB made of nothing but small ones stop everybody else for seconds. */
const VALUES = 250_000;

/** Half a surrogate pair, which UTF-8 cannot hold and only an escape can bring in. */
const HALF_ESCAPE = /\\u[dD][89a-fA-F]/;
const HALF = /\p{Surrogate}/u;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The value, or what is wrong with the text and where. */
export function readJsonText(
  text: string,
): { readonly value: unknown } | { readonly finding: ValidationIssue | Promise<ValidationIssue> } {
  const beyond = placeBeyond(text, VALUES);
  if (beyond !== undefined) {
    return {
      finding: { message: `The body has more than ${VALUES} values.`, ...placeAt(text, beyond) },
    };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { finding: import('./broken-json.ts').then(({ describeBrokenJson }) => describeBrokenJson(text)) };
  }
  const finding = checkShape(text);
  return finding ? { finding } : { value };
}

/**
 * Walks over a text that is known to be JSON, once and without recursion: how deep it is nested, whether a
 * name stands twice in an object, and whether its strings are Unicode.
 */
function checkShape(text: string): ValidationIssue | undefined {
  // One entry per open bracket: the names of an object so far, null for an array.
  const open: (Set<string> | null)[] = [];
  const mayHoldHalves = HALF_ESCAPE.test(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    switch (code) {
      case 0x7b: // {
      case 0x5b: // [
        open.push(code === 0x7b ? new Set() : null);
        if (open.length > DEPTH) {
          return { message: `The body is nested more than ${DEPTH} levels deep.`, ...placeAt(text, at) };
        }
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
      case QUOTE: {
        const end = endOfString(text, at);
        if (mayHoldHalves && holdsHalf(text.slice(at, end + 1))) {
          return { message: 'A string holds half of a surrogate pair.', ...placeAt(text, at) };
        }
        const names = open.at(-1);
        if (names && isName(text, end)) {
          const name = text.slice(at, end + 1);
          const plain: string = name.includes('\\') ? JSON.parse(name) : name.slice(1, -1);
          if (names.has(plain)) {
            const shown = plain.length > 80 ? `${plain.slice(0, 80)}…` : plain;
            return { message: `The property '${shown}' is given twice.`, ...placeAt(text, at) };
          }
          names.add(plain);
        }
        at = end;
      }
    }
  }
  return undefined;
}

/** Where a text, JSON or not, has more than so many values: 30 ms for 10 MB. */
function placeBeyond(text: string, limit: number): number | undefined {
  // A value takes a character and what divides it from the next another.
  if (text.length < 2 * limit) return undefined;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at === -1) return undefined;
    } else if (code === 0x2c || code === 0x5b || code === 0x7b) {
      values += 1;
      if (values > limit) return at;
    }
  }
  return undefined;
}

/** Offset of the closing quote; -1 where there is none, which is so in broken texts only. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    if (end === -1) return -1;
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}

/** RFC 8259 section 8.2: such a string is JSON, but what becomes of it is anybody's guess. */
function holdsHalf(string: string): boolean {
  return HALF_ESCAPE.test(string) && HALF.test(JSON.parse(string));
}

/** A string with a colon behind it. */
function isName(text: string, end: number): boolean {
  for (let at = end + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3a) return true;
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
}
