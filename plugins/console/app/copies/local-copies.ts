/** Copies, in the browser, of what was typed and is not on the server yet. */

/** What a copy is of, in words; earlier versions wrote none. */
export interface CopyTitle {
  readonly title?: string;
  /** Names of what was typed. */
  readonly fields?: readonly string[];
}

export interface LocalCopy<T> extends CopyTitle {
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
  /** Informs other tabs of a copy with the key. */
  announce(key: string): void;
  /** Calls the listener with what other tabs announce. @returns what ends that */
  follow(listener: (key: string) => void): () => void;
}

/** Of forms that are open on this page. */
const openForms = new Set<{ write(): Promise<boolean> }>();

/** Writes what is scheduled, in all forms of this page. */
export async function writeAllCopies(): Promise<void> {
  await Promise.all([...openForms].map((copies) => copies.write()));
}

/** A copy that no other form finds, until it is released. */
interface Claimed {
  readonly key: string;
  readonly release: () => void;
}

/** Time after a change within which the copy is written, in milliseconds; what is typed meanwhile goes with it. */
const DELAY = 200;

/** A form whose copies are written. */
export interface CopiedForm<T> {
  /** Names the person, and what the form is of. */
  readonly of: string;
  /** What the server does not have. */
  readonly changed: () => readonly T[];
  readonly titleOf?: (elements: readonly T[]) => CopyTitle;
  /** Whether the browser has the copy: it may have no space, or be forbidden to. */
  readonly onResult: (hasCopy: boolean) => void;
  /** The form of a copy that `found` left out, as it was open, is closed. */
  readonly onClosed: () => void;
}

/** The copy of what was typed in one form, and those that closed forms of the same have left. */
export class LocalCopies<T> {
  readonly #form: CopiedForm<T>;
  readonly #store: CopyStore;
  #of: string;
  #key: string;
  #close: () => void;
  readonly #end = new AbortController();
  readonly #unfollow: () => void;
  /** Keys of copies whose forms are open elsewhere. */
  readonly #awaited = new Set<string>();
  /** The copy that `found` has returned. */
  #found: Claimed | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the store may have a copy of this form. */
  #isWritten = false;

  constructor(store: CopyStore, form: CopiedForm<T>) {
    this.#form = form;
    this.#store = store;
    this.#of = form.of;
    this.#key = `${form.of} ${crypto.randomUUID()}`;
    this.#close = store.open(this.#key);
    openForms.add(this);
    this.#unfollow = store.follow((key) => {
      if (this.#isOfSame(key)) void this.#awaitClosed(key);
    });
  }

  /** Whether a copy is of another form of the same. */
  #isOfSame(key: string): boolean {
    return (key === this.#of || key.startsWith(`${this.#of} `)) && key !== this.#key;
  }

  /**
   * The page goes on for another person: the copy of this form is theirs from now on. What `found` has returned stays with
   * the one before.
   *
   * @param of names the other person, and what the form is of
   */
  async moveTo(of: string): Promise<void> {
    const [key, close, isWritten] = [this.#key, this.#close, this.#isWritten];
    this.#found?.release();
    this.#found = undefined;
    this.#of = of;
    this.#key = `${of} ${crypto.randomUUID()}`;
    this.#close = this.#store.open(this.#key);
    this.#isWritten = false;
    try {
      // What was typed is always in one of the copies.
      if ((await this.write()) && isWritten) await this.#store.remove(key);
    } catch {
      // It is offered to the person before.
    }
    close();
  }

  /**
   * The oldest copy of a form that is not open any more, and that no other form has found. The next one is for later: where
   * both changed an element, it has to be compared with what the server has of this one.
   */
  async found(): Promise<LocalCopy<T> | undefined> {
    try {
      const opened = await this.#store.opened();
      const isOpen = (key: string) => opened.has(key) && key !== this.#found?.key;
      const others = (await this.#store.keys()).filter((key) => this.#isOfSame(key));
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
      this.#form.onClosed();
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

  /** Writes exactly what the server does not have. @returns whether the browser has the copy */
  async write(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const elements = this.#form.changed();
    try {
      if (elements.length > 0) {
        const isFirst = !this.#isWritten;
        this.#isWritten = true;
        await this.#store.write(this.#key, this.#copyOf(elements));
        if (isFirst) this.#store.announce(this.#key);
      } else if (this.#isWritten) {
        await this.#store.remove(this.#key);
      }
      this.#form.onResult(true);
      return true;
    } catch {
      this.#form.onResult(false);
      return false;
    }
  }

  /**
   * Writes values of this form to another copy, which is offered later: something else is put in their place.
   * @returns whether the browser has it
   */
  async writeOther(elements: readonly T[]): Promise<boolean> {
    if (elements.length === 0) return true;
    try {
      await this.#store.write(`${this.#of} ${crypto.randomUUID()}`, this.#copyOf(elements));
      return true;
    } catch {
      this.#form.onResult(false);
      return false;
    }
  }

  #copyOf(elements: readonly T[]): LocalCopy<T> {
    return { at: new Date().toISOString(), ...this.#form.titleOf?.(elements), elements };
  }

  /** The form is closed: its copy is offered to the next one. */
  close(): void {
    clearTimeout(this.#timer);
    openForms.delete(this);
    this.#unfollow();
    this.#end.abort();
    this.#found?.release();
    this.#close();
  }
}
