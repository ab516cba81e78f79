import type { Storage } from '../storage/ports.ts';
import { timestamp } from '../storage/timestamp.ts';

export interface RetentionSettings {
  /** Days that rows of the change log are kept; null = forever. */
  readonly changeDays: number | null;
  /** Days that versions are kept that are neither draft nor published; null = forever. */
  readonly revisionDays: number | null;
}

const DAY = 86_400_000;
/** Rows that one transaction reads, so that other writers wait a few milliseconds at most. */
const BATCH = 500;

/**
 * Removes changes and versions that are older than the settings allow, at the start and once a day. Drafts and published
 * versions are never removed.
 */
export class Retention {
  readonly #storage: Storage;
  readonly #settings: RetentionSettings;
  readonly #clock: () => Date;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(
    storage: Storage,
    settings: RetentionSettings,
    clock: () => Date,
    failed: (error: unknown) => void,
  ) {
    this.#storage = storage;
    this.#settings = settings;
    this.#clock = clock;
    this.#failed = failed;
  }

  /** Starts the first run; further runs follow once a day. Does nothing without settings. */
  start(): void {
    const { changeDays, revisionDays } = this.#settings;
    if (this.#closed || (changeDays === null && revisionDays === null)) return;
    this.#running = this.removeOld().catch(this.#failed);
    this.#timer = setTimeout(() => this.start(), DAY).unref();
  }

  async removeOld(): Promise<void> {
    const { changeDays, revisionDays } = this.#settings;
    if (changeDays !== null) await this.#batches(this.#before(changeDays), this.#changes);
    if (revisionDays !== null) await this.#batches(this.#before(revisionDays), this.#versions);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #before(days: number): string {
    return timestamp(this.#clock().getTime() - days * DAY);
  }

  /** @param batch removes rows after a number. @returns the last number it has read; undefined at the end */
  async #batches(
    before: string,
    batch: (before: string, after: number) => Promise<number | undefined>,
  ): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined && !this.#closed; )
      after = await batch(before, after);
  }

  /** The log is in the order of time, so the first row that is new enough ends the search. */
  readonly #changes = (before: string): Promise<number | undefined> =>
    this.#storage.write(async (tx) => {
      const rows = await tx.all<{ sequence: number; at: string }>(
        `SELECT sequence, at FROM change ORDER BY sequence LIMIT ${BATCH}`,
      );
      const last = rows.filter(({ at }) => at < before).at(-1)?.sequence;
      if (last === undefined) return undefined;
      await tx.run('DELETE FROM change WHERE sequence <= ? AND at < ?', [last, before]);
      return rows.every(({ at }) => at < before) ? last : undefined;
    });

  /** Keeps drafts and published versions of archived variants too, because those can be restored. */
  readonly #versions = (before: string, after: number): Promise<number | undefined> =>
    this.#storage.write(async (tx) => {
      const rows = await tx.all<{ number: number; created: string; live: number }>(
        `SELECT n.number AS number, n.created AS created,
           CASE WHEN v.draft = n.number OR v.published = n.number THEN 1 ELSE 0 END AS live
         FROM version n JOIN variant v ON v.number = n.variant WHERE n.number > ? ORDER BY n.number LIMIT ${BATCH}`,
        [after],
      );
      const old = rows.filter(({ created, live }) => live === 0 && created < before);
      if (old.length > 0) {
        const among = tx.among(
          'number',
          old.map(({ number }) => number),
        );
        await tx.run(`DELETE FROM version WHERE ${among.text}`, [among.parameter]);
      }
      return rows.at(-1)?.number;
    });
}
