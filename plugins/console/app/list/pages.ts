/** Pages of a listing by offset, fetched when their rows are near the window. */
import { signal } from '@preact/signals';
import { isReadAgain, pauseAfter, pauseFor } from '../retry-after.ts';
import { PAGE } from './list-query.ts';
import type { RowRange } from './window.ts';

/** Pages that are kept; those not used for longest are dropped first. */
const KEPT = 80;
/** Pause before pages are fetched while rows pass by, ms. */
const PASSING = 40;

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

export class Pages<Row> {
  /** Undefined until the first page is there. */
  readonly total = signal<number | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  /** Counts the arrivals: who reads it is drawn again. */
  readonly version = signal(0);
  readonly #fetch: (offset: number, signal: AbortSignal) => Promise<Page<Row>>;
  readonly #pages = new Map<number, readonly Row[]>();
  readonly #loading = new Map<number, AbortController>();
  #wanted: readonly number[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shownAt = 0;

  /** @param first the first page, where it is there already */
  constructor(fetch: (offset: number, signal: AbortSignal) => Promise<Page<Row>>, first?: Page<Row>) {
    this.#fetch = fetch;
    if (first === undefined) return;
    this.#pages.set(0, first.rows);
    this.total.value = first.total;
  }

  /** The row, if it is there. */
  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Fetches the pages of these rows, and cancels those that are passed. */
  show({ first, end }: RowRange): void {
    const wanted: number[] = [];
    for (let page = Math.floor(first / PAGE); page * PAGE < Math.max(end, 1); page += 1) wanted.push(page);
    this.#wanted = wanted;
    for (const [page, controller] of this.#loading)
      if (!wanted.includes(page)) {
        controller.abort();
        this.#loading.delete(page);
      }
    clearTimeout(this.#timer);
    const now = performance.now();
    const isPassing = now - this.#shownAt < PASSING;
    this.#shownAt = now;
    if (isPassing) this.#timer = setTimeout(() => this.#load(), PASSING);
    else this.#load();
  }

  /** Fetches what is shown again; the old rows stay until then. */
  refresh(): void {
    for (const page of [...this.#pages.keys()]) if (!this.#wanted.includes(page)) this.#pages.delete(page);
    for (const controller of this.#loading.values()) controller.abort();
    this.#loading.clear();
    for (const page of this.#wanted) void this.#get(page);
  }

  /** Rows that may not be there yet, in their order; none where a page cannot be read, and `error` has the reason. */
  async range({ first, end }: RowRange): Promise<Row[]> {
    const rows: Row[] = [];
    try {
      for (let page = Math.floor(first / PAGE); page * PAGE < end; page += 1) {
        const offset = page * PAGE;
        const all = this.#pages.get(page) ?? (await this.#fetch(offset, new AbortController().signal)).rows;
        rows.push(...all.slice(Math.max(0, first - offset), end - offset));
      }
      return rows;
    } catch (error) {
      this.error.value = error;
      return [];
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const controller of this.#loading.values()) controller.abort();
  }

  #load(): void {
    for (const page of this.#wanted) {
      const known = this.#pages.get(page);
      // As the newest of the order in which pages are dropped.
      if (known && this.#pages.delete(page)) this.#pages.set(page, known);
      else if (!this.#loading.has(page)) void this.#get(page);
    }
  }

  async #get(page: number): Promise<void> {
    const controller = new AbortController();
    this.#loading.set(page, controller);
    try {
      for (let failures = 0; !(await this.#tried(page, controller.signal, failures)); failures += 1);
    } catch {
      // Nothing waits for the rows any more.
    }
    if (this.#loading.get(page) === controller) this.#loading.delete(page);
  }

  /**
   * @returns whether this was the last try
   * @throws the reason of the signal while it waits for the next one
   */
  async #tried(page: number, signal: AbortSignal, failures: number): Promise<boolean> {
    try {
      const { rows, total } = await this.#fetch(page * PAGE, signal);
      if (signal.aborted) return true;
      this.#pages.delete(page);
      this.#pages.set(page, rows);
      for (const [old] of this.#pages) {
        if (this.#pages.size <= KEPT) break;
        if (!this.#wanted.includes(old)) this.#pages.delete(old);
      }
      this.total.value = total;
      this.error.value = undefined;
      this.version.value += 1;
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      this.error.value = error;
      if (!isReadAgain(failures, error)) return true;
      await pauseFor(pauseAfter(failures, error), signal);
      return false;
    }
  }
}
