import type { Reader, Storage, Transaction } from '../storage/ports.ts';
import { cancelled } from '../storage/read-scope.ts';
import type { Sql } from '../storage/sql.ts';
import { projectRow } from '../transaction/installation.ts';
import type { CancelSignal } from '../turns/cancel-signal.ts';
import { COUNTED_SURFACES, type CountedSurface, type QuotaState, type UsageBatch } from './counts.ts';
import { dayOf, periodAt, type QuotaSettings, quotasOf } from './quotas.ts';

export type UsageDay = Readonly<Record<CountedSurface, number>> & { readonly day: string };

/** The numbers of a source that sent no batch for so long are deleted; a gateway is not without core for longer. */
const KEPT_MS = 30 * 86_400_000;

/** Calls by project, surface and day. Counts are never in the change log: caches do not depend on them. */
export class Usage {
  readonly #storage: Storage;
  readonly #reader: Reader;
  readonly #settings: QuotaSettings;
  readonly #now: () => Date;

  constructor(storage: Storage, settings: QuotaSettings, now: () => Date) {
    this.#storage = storage;
    this.#reader = storage.reader({ class: 'lookup', share: 'quotas' });
    const projects = Object.entries(settings.projects ?? {}).map(([id, limits]) => [
      id.toLowerCase(),
      limits,
    ]);
    this.#settings = { ...settings, projects: Object.fromEntries(projects) };
    this.#now = now;
  }

  /** UTC. */
  today(): string {
    return dayOf(this.#now());
  }

  /** See `Core.usage`. */
  async add({ source, number, counts }: UsageBatch, signal?: CancelSignal): Promise<void> {
    if (counts.length === 0) return;
    const write = async (tx: Transaction) => {
      const last = await tx.get<{ number: number }>('SELECT number FROM usage_source WHERE id = ?', [source]);
      if (last !== undefined && last.number >= number) return;
      const now = this.#now();
      if (last === undefined)
        await tx.run('DELETE FROM usage_source WHERE day < ?', [dayOf(new Date(now.getTime() - KEPT_MS))]);
      await tx.run(
        `INSERT INTO usage_source (id, number, day) VALUES (?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET number = excluded.number, day = excluded.day`,
        [source, number, dayOf(now)],
      );
      for (const { project, surface, day, calls } of counts)
        await tx.run(
          `INSERT INTO usage_count (project, day, surface, calls) SELECT number, ?, ?, ? FROM project WHERE id = ?
           ON CONFLICT (project, day, surface) DO UPDATE SET calls = usage_count.calls + excluded.calls`,
          [day, surface, calls, project],
        );
    };
    // The caller sends the batch again: those that wait would add up while the database stalls.
    const wanted = () => {
      if (signal?.aborted) throw cancelled();
    };
    const written = this.#storage.write(write, undefined, wanted);
    const gone = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(cancelled()));
      if (signal?.aborted) reject(cancelled());
    });
    await Promise.race([written, gone]);
  }

  /** The state of each quota of the project. */
  async quotas(project: string): Promise<QuotaState[]> {
    const quotas = quotasOf(this.#settings, project);
    if (quotas.length === 0) return [];
    const now = this.#now();
    const rows = await this.#reader.sql.all<{ day: string; surface: CountedSurface; calls: number }>(
      `SELECT u.day, u.surface, u.calls FROM usage_count u JOIN project p ON p.number = u.project
       WHERE p.id = ? AND u.day >= ?`,
      [project, periodAt('month', now).from],
    );
    return quotas.map(({ surface, period, limit }) => {
      const { from, ends } = periodAt(period, now);
      const used = rows
        .filter((row) => row.surface === surface && row.day >= from)
        .reduce((sum, row) => sum + row.calls, 0);
      return { surface, period, limit, used, ends: ends.toISOString() };
    });
  }
}

/** Days with calls, from the first to the last day of the span. */
export async function readUsage(
  sql: Sql,
  project: string,
  span: { readonly from: string; readonly to: string },
): Promise<UsageDay[]> {
  const { number } = await projectRow(sql, project);
  const rows = await sql.all<{ day: string; surface: CountedSurface; calls: number }>(
    'SELECT day, surface, calls FROM usage_count WHERE project = ? AND day >= ? AND day <= ? ORDER BY day',
    [number, span.from, span.to],
  );
  const days = new Map<string, Record<CountedSurface, number>>();
  for (const { day, surface, calls } of rows) {
    const counts = days.get(day) ?? noCalls();
    counts[surface] += calls;
    days.set(day, counts);
  }
  return [...days].map(([day, counts]) => ({ day, ...counts }));
}

export function noCalls(): Record<CountedSurface, number> {
  return Object.fromEntries(COUNTED_SURFACES.map((surface) => [surface, 0])) as Record<
    CountedSurface,
    number
  >;
}
