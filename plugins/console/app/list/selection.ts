/** Which rows of a list are selected: some by hand, or all that match the filter. */
import { type ReadonlySignal, signal } from '@preact/signals';

interface Selected<Row> {
  /** All that match the filter, also those that are not loaded. */
  readonly isAll: boolean;
  /** By id, in the order in which they were selected. */
  readonly rows: ReadonlyMap<string, Row>;
}

export class Selection<Row extends { readonly id: string }> {
  readonly #state = signal<Selected<Row>>({ isAll: false, rows: new Map() });
  /** Where a range begins. */
  anchor = 0;

  get state(): ReadonlySignal<Selected<Row>> {
    return this.#state;
  }

  has(id: string): boolean {
    const { isAll, rows } = this.#state.value;
    return isAll || rows.has(id);
  }

  toggle(row: Row): void {
    const { isAll, rows } = this.#state.value;
    const next = new Map(isAll ? [] : rows);
    if (isAll || !next.delete(row.id)) next.set(row.id, row);
    this.#state.value = { isAll: false, rows: next };
  }

  add(some: readonly Row[]): void {
    const { isAll, rows } = this.#state.value;
    const next = new Map(isAll ? [] : rows);
    for (const row of some) next.set(row.id, row);
    this.#state.value = { isAll: false, rows: next };
  }

  /** Takes rows as they are now in place of what was selected of them. */
  renew(some: readonly Row[]): void {
    const { isAll, rows } = this.#state.value;
    const changed = some.filter(({ id }) => rows.has(id));
    if (changed.length === 0) return;
    const next = new Map(rows);
    for (const row of changed) next.set(row.id, row);
    this.#state.value = { isAll, rows: next };
  }

  all(): void {
    this.#state.value = { isAll: true, rows: new Map() };
  }

  clear(): void {
    const { isAll, rows } = this.#state.value;
    if (isAll || rows.size > 0) this.#state.value = { isAll: false, rows: new Map() };
  }
}
