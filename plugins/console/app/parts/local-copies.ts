/** Copies, in the browser, of what was typed and is not on the server yet. */

export interface LocalCopy<T> {
  readonly at: string;
  readonly elements: readonly T[];
}

/** Keeps copies by key. */
export interface CopyStore {
  keys(): Promise<readonly string[]>;
  read<T>(keys: readonly string[]): Promise<readonly (LocalCopy<T> | undefined)[]>;
  write<T>(key: string, copy: LocalCopy<T>): Promise<void>;
  remove(key: string): Promise<void>;
  /** Says that a form with the key is open, until the returned function is called. */
  open(key: string): () => void;
  /**
   * Says the same where no form with the key is open, in any tab.
   * @returns what ends that; undefined: one is
   */
  claim(key: string): Promise<(() => void) | undefined>;
  /** Keys of forms that are open, in any tab. */
  opened(): Promise<ReadonlySet<string>>;
  /** Ends when no form with the key is open any more. */
  closed(key: string, signal: AbortSignal): Promise<void>;
}

/** A copy that no other form finds, until it is released. */
interface Claimed {
  readonly key: string;
  readonly release: () => void;
}

/** Time after a change within which the copy is written, in milliseconds; what is typed meanwhile goes with it. */
const DELAY = 200;

/** The copy that one form keeps of what was typed in it, and those that closed forms of the same have kept. */
export class LocalCopies<T> {
  readonly #of: string;
  readonly #key: string;
  readonly #changed: () => readonly T[];
  readonly #onResult: (hasCopy: boolean) => void;
  readonly #store: CopyStore;
  readonly #close: () => void;
  readonly #onClosed: () => void;
  readonly #end = new AbortController();
  /** Keys of copies whose forms are open elsewhere. */
  readonly #awaited = new Set<string>();
  /** The copy that `found` has returned. */
  #found: Claimed | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the store may have a copy of this form. */
  #isWritten = false;

  /**
   * @param of names the person, and what the form is of
   * @param onResult whether the browser keeps the copy: it may have no space, or be forbidden to
   * @param onClosed the form of a copy that `found` left out, as it was open, is closed
   */
  constructor(
    of: string,
    changed: () => readonly T[],
    onResult: (hasCopy: boolean) => void,
    store: CopyStore,
    onClosed: () => void,
  ) {
    this.#of = of;
    this.#key = `${of} ${crypto.randomUUID()}`;
    this.#changed = changed;
    this.#onResult = onResult;
    this.#store = store;
    this.#onClosed = onClosed;
    this.#close = store.open(this.#key);
  }

  /**
   * The oldest copy of a form that is not open any more, and that no other form has found. The next one is for later: where both changed an element, it has to be
   * compared with what the server has of this one.
   */
  async found(): Promise<LocalCopy<T> | undefined> {
    try {
      const opened = await this.#store.opened();
      const isOpen = (key: string) => opened.has(key) && key !== this.#found?.key;
      const all = await this.#store.keys();
      const others = all.filter(
        (key) => (key === this.#of || key.startsWith(`${this.#of} `)) && key !== this.#key,
      );
      for (const key of others) if (isOpen(key)) void this.#awaitClosed(key);
      const closed = others.filter((key) => !isOpen(key));
      const copies = (await this.#store.read<T>(closed)).flatMap((copy, index) =>
        copy ? [{ copy, key: closed[index]! }] : [],
      );
      copies.sort((one, other) => (one.copy.at < other.copy.at ? -1 : 1));
      for (const { key } of copies) {
        const copy = await this.#claimed(key);
        if (copy) return copy;
      }
      return undefined;
    } catch {
      return undefined;
    }
  }

  /** Of several forms that find a copy at the same time, one gets it. */
  async #claimed(key: string): Promise<LocalCopy<T> | undefined> {
    if (key !== this.#found?.key) {
      const release = await this.#store.claim(key);
      if (!release) {
        void this.#awaitClosed(key);
        return undefined;
      }
      if (this.#end.signal.aborted) {
        release();
        return undefined;
      }
      this.#found?.release();
      this.#found = { key, release };
    }
    // Another form may have removed it before.
    return (await this.#store.read<T>([key]))[0];
  }

  /** After a reload, the form of the page before may be open for a while: on a busy machine, longer than the new one loads. */
  async #awaitClosed(key: string): Promise<void> {
    if (this.#awaited.has(key)) return;
    this.#awaited.add(key);
    try {
      await this.#store.closed(key, this.#end.signal);
      this.#awaited.delete(key);
      this.#onClosed();
    } catch {
      // This form was closed before.
    }
  }

  /** Removes what `found` has returned, once this form keeps it, or its person has given it up. */
  async dropFound(): Promise<void> {
    const found = this.#found;
    this.#found = undefined;
    try {
      if (found) await this.#store.remove(found.key);
    } catch {
      // It is offered again.
    }
    found?.release();
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
      if (elements.length > 0) {
        this.#isWritten = true;
        await this.#store.write(this.#key, { at: new Date().toISOString(), elements });
      } else if (this.#isWritten) {
        await this.#store.remove(this.#key);
      }
      this.#onResult(true);
      return true;
    } catch {
      this.#onResult(false);
      return false;
    }
  }

  /**
   * Keeps values of this form as a copy of its own, which is offered later: something else is put in their place.
   * @returns whether the browser does
   */
  async writeOther(elements: readonly T[]): Promise<boolean> {
    if (elements.length === 0) return true;
    try {
      await this.#store.write(`${this.#of} ${crypto.randomUUID()}`, {
        at: new Date().toISOString(),
        elements,
      });
      return true;
    } catch {
      this.#onResult(false);
      return false;
    }
  }

  /** The form is closed: what it has kept is offered to the next one. */
  close(): void {
    clearTimeout(this.#timer);
    this.#end.abort();
    this.#found?.release();
    this.#close();
  }
}
