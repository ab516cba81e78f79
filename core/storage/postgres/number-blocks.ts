import type { Numbered } from '../ports.ts';
import type { Sql } from '../sql.ts';

/** Numbers that are taken at once. */
const BLOCK = 50;
/** Their rows are read in the order of their numbers, so every process takes only those that it uses at once. */
const IN_ORDER: ReadonlySet<Numbered> = new Set(['webhook_notification']);
/**
 * Listed in the order of their numbers, which is that of their creation: what is created after a commit of another process gets
 * higher numbers than that commit gave.
 */
const LISTED: readonly Numbered[] = ['project', 'item', 'asset'];

/** The numbers of new rows, which a process takes from the sequences of the database in blocks. */
export class NumberBlocks {
  /** What was taken and not given yet, by table. */
  readonly #blocks = new Map<Numbered, { next: number; readonly end: number }>();

  /** @returns the first of `count` consecutive numbers */
  async take(sql: Pick<Sql, 'get'>, table: Numbered, count: number): Promise<number> {
    const block = this.#blocks.get(table);
    if (block && block.next + count - 1 <= block.end) {
      block.next += count;
      return block.next - count;
    }
    const size = IN_ORDER.has(table) ? count : Math.max(count, BLOCK);
    // The lock of the installation is held, so that no other process takes a number in between.
    const row = await sql.get<{ last: number }>(
      `SELECT setval('number_of_${table}', nextval('number_of_${table}') + ?) AS last`,
      [size - 1],
    );
    const end = row?.last ?? 0;
    const first = end - size + 1;
    this.#blocks.set(table, { next: first + count, end });
    return first;
  }

  /** To be called when the data may be others, or numbers may be lost. */
  forget(): void {
    this.#blocks.clear();
  }

  /** To be called after commits of other processes. */
  forgetListed(): void {
    for (const table of LISTED) this.#blocks.delete(table);
  }
}
