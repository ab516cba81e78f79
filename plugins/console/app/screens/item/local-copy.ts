/** What was typed and is not on the server yet, kept in the browser. */
import type { KeptElement } from './item-form.ts';

export interface LocalCopy {
  readonly at: string;
  readonly elements: readonly KeptElement[];
}

/** Keeps copies by key. */
export interface CopyStore {
  keys(): Promise<readonly string[]>;
  read(keys: readonly string[]): Promise<readonly (LocalCopy | undefined)[]>;
  write(key: string, copy: LocalCopy): Promise<void>;
  remove(key: string): Promise<void>;
  /** Says that a form with the key is open, until the returned function is called. */
  open(key: string): () => void;
  /** Keys of forms that are open, in any tab. */
  opened(): Promise<ReadonlySet<string>>;
}

/** Time after a change within which the copy is written, in milliseconds; what is typed meanwhile goes with it. */
const DELAY = 200;

/** The copy that one form keeps of a variant and person, and those that closed forms have kept. */
export class LocalCopies {
  readonly #variant: string;
  readonly #key: string;
  readonly #changed: () => readonly KeptElement[];
  readonly #onResult: (isKept: boolean) => void;
  readonly #store: CopyStore;
  readonly #close: () => void;
  /** Key of the copy that `found` has returned. */
  #found: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param variant names person, project, item and language
   * @param onResult whether the browser keeps the copy: it may have no space, or be forbidden to
   */
  constructor(
    variant: string,
    changed: () => readonly KeptElement[],
    onResult: (isKept: boolean) => void,
    store: CopyStore,
  ) {
    this.#variant = variant;
    this.#key = `${variant} ${crypto.randomUUID()}`;
    this.#changed = changed;
    this.#onResult = onResult;
    this.#store = store;
    this.#close = store.open(this.#key);
  }

  /**
   * The oldest copy of a form that is not open any more. The next one is for later: where both changed an element, it has to be
   * compared with what the server has of this one.
   */
  async found(): Promise<LocalCopy | undefined> {
    try {
      const opened = await this.#store.opened();
      const all = await this.#store.keys();
      const closed = all.filter(
        (key) =>
          (key === this.#variant || key.startsWith(`${this.#variant} `)) &&
          key !== this.#key &&
          !opened.has(key),
      );
      const copies = (await this.#store.read(closed)).flatMap((copy, index) =>
        copy ? [{ copy, key: closed[index] }] : [],
      );
      copies.sort((one, other) => (one.copy.at < other.copy.at ? -1 : 1));
      this.#found = copies[0]?.key;
      return copies[0]?.copy;
    } catch {
      return undefined;
    }
  }

  /** Removes what `found` has returned, once this form keeps it, or its person has given it up. */
  async dropFound(): Promise<void> {
    const key = this.#found;
    this.#found = undefined;
    try {
      if (key !== undefined) await this.#store.remove(key);
    } catch {
      // It is offered again.
    }
  }

  /** Writes a copy soon. */
  schedule(): void {
    this.#timer ??= setTimeout(() => void this.write(), DELAY);
  }

  /** Keeps exactly what the server does not have. @returns whether the browser does */
  async write(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const elements = this.#changed();
    try {
      if (elements.length === 0) await this.#store.remove(this.#key);
      else await this.#store.write(this.#key, { at: new Date().toISOString(), elements });
      this.#onResult(true);
      return true;
    } catch {
      this.#onResult(false);
      return false;
    }
  }

  /** The form is closed: what it has kept is offered to the next one. */
  close(): void {
    clearTimeout(this.#timer);
    this.#close();
  }
}
