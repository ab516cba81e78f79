import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Writer } from '../write-transaction.ts';
import type { Dictionary } from './packed-text.ts';

/** Bytes of a dictionary. It is read for every text, and what is above does not help short ones. */
const LONGEST = 4096;
/** Characters of a text that is parsed at once. */
const LONGEST_SAMPLE = 65_536;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The dictionaries that the writer packs texts with: one for texts that begin with the same key, made of the first of them.
 * It has the keys and ids of that text and none of its words, which are to be gone once they are deleted.
 */
export class Dictionaries {
  readonly #writer: Pick<Writer, 'get' | 'run'>;
  /** By subject, as far as the open transaction sees them. */
  readonly #known = new LRUCache<string, Dictionary>({ max: 1000 });

  constructor(writer: Pick<Writer, 'get' | 'run'>) {
    this.#writer = writer;
  }

  /** To be called when rows of the file went back, or were replaced. */
  forget(): void {
    this.#known.clear();
  }

  /**
   * @param text a JSON object
   * @returns undefined before the first text that is short enough to make one of
   */
  async of(text: string): Promise<Dictionary | undefined> {
    const subject = subjectOf(text);
    const known = this.#known.get(subject);
    if (known) return known;
    const dictionary = (await this.#read(subject)) ?? (await this.#add(subject, text));
    if (dictionary) this.#known.set(subject, dictionary);
    return dictionary;
  }

  #read(subject: string): Promise<Dictionary | undefined> {
    return this.#writer.get<{ id: number; bytes: Uint8Array }>(
      'SELECT id, bytes FROM text_dictionary WHERE subject = ? ORDER BY id LIMIT 1',
      [subject],
    );
  }

  async #add(subject: string, text: string): Promise<Dictionary | undefined> {
    if (text.length > LONGEST_SAMPLE) return undefined;
    const bytes = Buffer.from(skeletonOf(text)).subarray(0, LONGEST);
    const digest = hash('sha256', `${subject}\n${bytes.toString('hex')}`, 'buffer');
    const id = digest.readUIntBE(0, 6);
    await this.#writer.run('INSERT OR IGNORE INTO text_dictionary (id, subject, bytes) VALUES (?, ?, ?)', [
      id,
      subject,
      bytes,
    ]);
    return { id, bytes };
  }
}

/** The first key: versions of one type begin with the same element. */
function subjectOf(text: string): string {
  return text.slice(0, Math.min(text.indexOf(':') + 1, 100));
}

function skeletonOf(text: string): string {
  return JSON.stringify(JSON.parse(text), (_, value) =>
    typeof value === 'string' && !UUID.test(value) ? '' : typeof value === 'number' ? 0 : value,
  );
}
