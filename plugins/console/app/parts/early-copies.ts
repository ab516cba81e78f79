/**
 * Copies in the local storage of the browser, which has them at once: a page that is left in its first moment, while its
 * database is still being opened, does not live to write them there (lost in 1 of 6 tries).
 */
import type { LocalCopy } from './local-copies.ts';

const PREFIX = 'headwater-copy ';

/** Keys of copies that this page has written. */
const written = new Set<string>();

/** Does nothing where the storage is full or forbidden: the database gets the copy all the same. */
export function writeEarly(key: string, copy: LocalCopy<unknown>): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(copy));
    written.add(key);
  } catch {
    // There may be an earlier copy of the same form.
  }
}

/** Removes a copy of this page. Asks the storage only where there is one: the first question waits for another process. */
export function removeEarly(key: string): void {
  if (written.delete(key)) forgetEarly(key);
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
    return (
      (JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null') as LocalCopy<unknown> | null) ?? undefined
    );
  } catch {
    return undefined;
  }
}
