/** What the page of a custom element may do, kept within bounds. The page is hostile until shown otherwise. */
import type { Asked, FromPage, ToPage } from './protocol.ts';

/** Characters of a value that a page sets. */
export const LONGEST_VALUE = 100_000;
/** Height of a frame in pixels. */
const HEIGHTS = { least: 40, most: 2000 } as const;
/** Questions that wait for an answer at a time. */
const MOST_ASKED = 20;
/** Ids in a request for details. */
const MOST_IDS = 100;
/** Elements that a page observes. */
const MOST_OBSERVED = 200;
/** A page that opens a dialog again this soon after it was closed, in milliseconds, gets none. */
const PAUSE = 2000;

export interface HostActs {
  readonly post: (message: ToPage) => void;
  readonly start: () => ToPage;
  readonly setValue: (value: string | null) => void;
  readonly setHeight: (pixels: number) => void;
  /** The page has set a value that is too long; it is not taken over. */
  readonly refuseValue: () => void;
  readonly elementValue: (codename: string) => unknown;
  /** @returns ids, null where the person closes the dialog */
  readonly select: (what: 'assets' | 'items', isSeveral: boolean, isImage: boolean) => Promise<unknown>;
  /** One call of the server. Null: there is no such object, as of one that was deleted. */
  readonly detail: (what: 'assets' | 'items', id: string) => Promise<unknown>;
  /** Resolves when a call may be made; the calls of a page must not use up those of the session. */
  readonly nextCall: () => Promise<void>;
  readonly now: () => number;
}

export class ElementHost {
  readonly #acts: HostActs;
  #asked = 0;
  #isClosed = false;
  /** The last request for details: they are read one after the other. */
  #reading: Promise<unknown> = Promise.resolve();
  #isSelecting = false;
  #selectedAt = Number.NEGATIVE_INFINITY;
  /** Codenames of the elements whose changes the page wants to know. */
  observed: ReadonlySet<string> = new Set();

  constructor(acts: HostActs) {
    this.#acts = acts;
  }

  /** The page is gone: nothing more is read for it. */
  close(): void {
    this.#isClosed = true;
  }

  /** @param isDisabled the page may not change the value */
  receive(data: unknown, isDisabled: boolean): void {
    if (typeof data !== 'object' || data === null || !('customElement' in data)) return;
    const message = data as unknown as FromPage;
    switch (message.kind) {
      case 'init':
        this.#acts.post(this.#acts.start());
        break;
      case 'value':
        if (!isDisabled) this.#setValue(message.value);
        break;
      case 'height': {
        const height = Number(message.height);
        if (Number.isFinite(height))
          this.#acts.setHeight(Math.min(HEIGHTS.most, Math.max(HEIGHTS.least, Math.round(height))));
        break;
      }
      case 'observe':
        this.observed = new Set(textsOf(message.codenames).slice(0, MOST_OBSERVED));
        break;
      case 'ask':
        this.#answer(message.id, message.what, message.argument, isDisabled);
    }
  }

  #setValue(given: unknown): void {
    const value = isObject(given) ? given['value'] : given;
    if (value !== null && typeof value !== 'string') return;
    if (value !== null && value.length > LONGEST_VALUE) this.#acts.refuseValue();
    else this.#acts.setValue(value);
  }

  #answer(id: unknown, what: Asked, argument: unknown, isDisabled: boolean): void {
    if (typeof id !== 'number' || this.#asked >= MOST_ASKED) return;
    this.#asked += 1;
    void this.#valueOf(what, argument, isDisabled)
      .catch(() => null)
      .then((value) => {
        this.#asked -= 1;
        this.#acts.post({ kind: 'answer', id, value: value ?? null });
      });
  }

  async #valueOf(what: Asked, argument: unknown, isDisabled: boolean): Promise<unknown> {
    switch (what) {
      case 'elementValue':
        return typeof argument === 'string' ? this.#acts.elementValue(argument) : null;
      case 'assetDetails':
        return this.#details('assets', textsOf(argument));
      case 'itemDetails':
        return this.#details('items', textsOf(argument));
      case 'selectAssets':
        return isDisabled ? null : this.#select('assets', argument);
      case 'selectItems':
        return isDisabled ? null : this.#select('items', argument);
    }
  }

  #details(what: 'assets' | 'items', ids: readonly string[]): Promise<unknown> {
    // An id such as '..' would lead to another call.
    const safe = ids.slice(0, MOST_IDS).filter((id) => /^[\w-]+$/.test(id));
    const read = this.#reading.then(async () => {
      const found: unknown[] = [];
      for (const id of safe) {
        if (this.#isClosed) return null;
        await this.#acts.nextCall();
        found.push(this.#isClosed ? null : await this.#acts.detail(what, id));
      }
      return found.filter((one) => one !== null);
    });
    this.#reading = read.catch(() => null);
    return read;
  }

  async #select(what: 'assets' | 'items', options: unknown): Promise<unknown> {
    if (this.#isSelecting || this.#acts.now() - this.#selectedAt < PAUSE) return null;
    const { allowMultiple, fileType } = isObject(options) ? options : {};
    this.#isSelecting = true;
    try {
      return await this.#acts.select(what, allowMultiple === true, fileType === 'images');
    } finally {
      this.#isSelecting = false;
      this.#selectedAt = this.#acts.now();
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
