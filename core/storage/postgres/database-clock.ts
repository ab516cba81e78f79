import type { Sql } from '../sql.ts';

/** Expression of the time of the server, milliseconds since 1970. */
export const SERVER_TIME = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * The clock of the database, so that times that several processes write and compare agree. It is never ahead of the
 * database's, and behind by no more than the answer of the best reading was under way.
 */
export class DatabaseClock {
  /** Difference to `performance.now()`. */
  #offset = Number.NEGATIVE_INFINITY;

  static async read(sql: Sql): Promise<DatabaseClock> {
    const clock = new DatabaseClock();
    const began = performance.now();
    const row = await sql.get<{ clock: number }>(`SELECT ${SERVER_TIME} AS clock`);
    clock.observe(row?.clock ?? 0, began);
    return clock;
  }

  /**
   * @param time what the database returned, in milliseconds since 1970
   * @param began when it was asked (`performance.now()`); the answer has just arrived
   */
  observe(time: number, began: number): void {
    const least = time - performance.now();
    const most = time - began;
    this.#offset = Math.min(Math.max(this.#offset, least), most);
  }

  now(): Date {
    return new Date(this.#offset + performance.now());
  }
}
