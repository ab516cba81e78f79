/**
 * Copies in the local storage of the browser, which has them at once: a page that is left in its first moment, while its
 * database is still being opened, does not live to write them there (lost in 1 of 6 tries). Where the database never opens, they
 * are the only copies.
 */
import type { LocalCopy } from './local-copies.ts';

const PREFIX = 'headwater-copy ';

/** Keys of copies that this page has written or read. */
const known = new Set<string>();

/** @returns false where the storage is full or forbidden: the database gets the copy all the same */
export function writeEarly(key: string, copy: LocalCopy<unknown>): boolean {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(copy));
    known.add(key);
    return true;
  } catch {
    // There may be an earlier copy of the same form.
    return false;
  }
}

/** Removes a copy that this page knows. Asks the storage only where there is one: the first question waits for another process. */
export function removeEarly(key: string): void {
  if (known.delete(key)) forgetEarly(key);
}

/** Removes a copy of any page. */
export function forgetEarly(key: string): void {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // Forbidden: there is none.
  }
}

/** Keys of the copies of all pages. */
export function earlyKeys(): readonly string[] {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    return keys.map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

export function readEarly(key: string): LocalCopy<unknown> | undefined {
  try {
    const text = localStorage.getItem(PREFIX + key);
    if (text === null) return undefined;
    known.add(key);
    return JSON.parse(text) as LocalCopy<unknown>;
  } catch {
    return undefined;
  }
}
