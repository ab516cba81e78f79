/** What was typed and is not on the server yet, in the browser's database. */
import { createStore, del, get, set } from 'idb-keyval';
import type { KeptElement } from './item-form.ts';

export interface LocalCopy {
  readonly at: string;
  readonly elements: readonly KeptElement[];
}

/** Time after a change within which the copy is written, in milliseconds; what is typed meanwhile goes with it. */
const DELAY = 200;

let opened: ReturnType<typeof createStore> | undefined;

function store(): ReturnType<typeof createStore> {
  opened ??= createStore('headwater', 'forms');
  return opened;
}

/** The copy of one variant and person. */
export class LocalCopies {
  readonly #key: string;
  readonly #changed: () => readonly KeptElement[];
  readonly #onResult: (isKept: boolean) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param key of person, project, item and language
   * @param onResult whether the browser keeps the copy: it may have no space, or be forbidden to
   */
  constructor(key: string, changed: () => readonly KeptElement[], onResult: (isKept: boolean) => void) {
    this.#key = key;
    this.#changed = changed;
    this.#onResult = onResult;
  }

  async read(): Promise<LocalCopy | undefined> {
    try {
      return await get<LocalCopy>(this.#key, store());
    } catch {
      return undefined;
    }
  }

  /** Writes a copy soon. */
  schedule(): void {
    this.#timer ??= setTimeout(() => void this.write(), DELAY);
  }

  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const elements = this.#changed();
    try {
      if (elements.length === 0) await del(this.#key, store());
      else await set(this.#key, { at: new Date().toISOString(), elements } satisfies LocalCopy, store());
      this.#onResult(true);
    } catch {
      this.#onResult(false);
    }
  }
}
