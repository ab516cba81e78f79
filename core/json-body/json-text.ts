import type { ValidationIssue } from '../errors.ts';
import { placeAt } from './place-at.ts';

/** The deepest body that makes sense, components on level 6, has about 30; a taxonomy may have more. */
const DEPTH = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The value, or what is wrong with the text and where. */
export function readJsonText(
  text: string,
): { readonly value: unknown } | { readonly finding: ValidationIssue | Promise<ValidationIssue> } {
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
 * Walks over a text that is known to be JSON, once and without recursion: how deep it is nested, and whether
 * a name stands twice in an object.
 */
function checkShape(text: string): ValidationIssue | undefined {
  // One entry per open bracket: the names of an object so far, null for an array.
  const open: (Set<string> | null)[] = [];
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

/** Offset of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}

/** A string with a colon behind it. */
function isName(text: string, end: number): boolean {
  for (let at = end + 1; ; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3a) return true;
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
  }
}
