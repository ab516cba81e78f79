import { setImmediate } from 'node:timers/promises';
import type { TextMatches, TextPart, TextQuery } from '../full-text.ts';
import { refuseNullCharacters } from '../null-character.ts';
import type { DocumentRow, PagePlan } from '../page-plan.ts';
import type { JoinedDocuments, PageReads } from '../ports.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import type { StaleExtent } from '../stale.ts';
import { bytesOf } from './bytes-of.ts';
import type { Listings } from './listings.ts';

type Bytes = Uint8Array | string | null;

/** About 5 ms. */
const NUMBERS_PER_TURN = 50_000;
const BY_CODENAME = { by: 'codename', descending: false } as const;

/** Step-by-step reads on a connection that holds a snapshot. */
export class SnapshotReads implements PageReads, Sql {
  readonly #sql: Sql;
  readonly #listings: Listings;

  constructor(sql: Sql, listings: Listings) {
    this.#sql = sql;
    this.#listings = listings;
  }

  async all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    refuseNullCharacters(parameters);
    return this.#sql.all<T>(text, parameters);
  }

  async get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    refuseNullCharacters(parameters);
    return this.#sql.get<T>(text, parameters);
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return this.#sql.among(column, values);
  }

  matching(query: TextQuery, language: number, within?: TextPart): TextMatches {
    return this.#sql.matching(query, language, within);
  }

  /** Reads the numbers as one text: 100,000 row objects would block the event loop for 30 ms. */
  async items(plan: PagePlan): Promise<number[]> {
    const { sql, paths } = this.#listings;
    const { pending } = await this.project(plan.project);
    const chosen = await paths.choose(this.#sql, plan, pending);
    const { text, parameters } = sql.items(plan, chosen.listing, pending);
    return numbersOf((await this.get<{ items: string | null }>(text, parameters))?.items ?? '');
  }

  async count(plan: PagePlan): Promise<number> {
    const { sql, paths } = this.#listings;
    const { pending } = await this.project(plan.project);
    // The limit was applied to the listing that is counted.
    const counted = { ...plan, order: BY_CODENAME, skip: 0, limit: 1, total: true, costLimit: null };
    const { listing, count } = await paths.choose(this.#sql, counted, pending);
    const { text, parameters } = sql.count(plan, count === 'listing' ? listing : (count ?? listing));
    return (await this.get<{ total: number }>(text, parameters))?.total ?? 0;
  }

  async cost(plan: PagePlan): Promise<number> {
    const { pending } = await this.project(plan.project);
    return (await this.#listings.paths.estimate(this.#sql, plan, pending)).cost.units;
  }

  documents(view: number, items: readonly number[]): Promise<DocumentRow[]> {
    const { documents, dialect } = this.#listings;
    return this.all<DocumentRow>(documents.rows, [dialect.listOf(items), view]);
  }

  async joined(view: number, items: readonly number[]): Promise<JoinedDocuments> {
    const { documents, dialect } = this.#listings;
    const row = await this.get<{ count: number; bodies: Bytes; with_components: string | null }>(
      documents.joined,
      [dialect.listOf(items), view],
    );
    return {
      count: row?.count ?? 0,
      bodies: bytesOf(row?.bodies),
      withComponents: fewNumbers(row?.with_components),
    };
  }

  joinedByCodename(view: number, items: readonly number[], bare: readonly number[]): Promise<Uint8Array> {
    const { documents, dialect } = this.#listings;
    const { text, parameter } = this.among('j.value', bare);
    return this.#bytes(documents.joinedByCodename(text), [parameter, dialect.listOf(items), view]);
  }

  joinedComponents(view: number, items: readonly number[]): Promise<Uint8Array> {
    const { documents, dialect } = this.#listings;
    return this.#bytes(documents.joinedComponents, [dialect.listOf(items), view]);
  }

  async #bytes(text: string, parameters: readonly SqlValue[]): Promise<Uint8Array> {
    return bytesOf((await this.get<{ bytes: Bytes }>(text, parameters))?.bytes);
  }

  async linked(view: number, items: readonly number[]): Promise<number[]> {
    const { documents, dialect } = this.#listings;
    const row = await this.get<{ items: string | null }>(documents.linked, [
      dialect.listOf(items),
      view,
      view,
    ]);
    return fewNumbers(row?.items);
  }

  async stale(project: number, documents: readonly number[]): Promise<Map<number, StaleExtent>> {
    const { documents: statements, dialect } = this.#listings;
    const projects = [project, project, project];
    const rows = await this.all<{ number: number; is_beyond: number }>(statements.stale, [
      ...projects,
      dialect.listOf(documents),
      ...projects,
    ]);
    return new Map(rows.map(({ number, is_beyond }) => [number, is_beyond === 1 ? 'all' : 'names']));
  }

  async project(project: number): Promise<{ sequence: number; modelSequence: number; pending: boolean }> {
    const row = await this.get<{ sequence: number; model: number; pending: number }>(
      `SELECT sequence, model_sequence AS model, EXISTS (SELECT 1 FROM pending WHERE project = number) AS pending
       FROM project WHERE number = ?`,
      [project],
    );
    return {
      sequence: row?.sequence ?? -1,
      modelSequence: row?.model ?? -1,
      pending: row?.pending === 1,
    };
  }
}

function fewNumbers(text: string | null | undefined): number[] {
  return text ? text.split(',').map(Number) : [];
}

/** Parses in several turns: a million numbers would block the event loop for about 100 ms. */
async function numbersOf(text: string): Promise<number[]> {
  const numbers: number[] = [];
  for (let from = 0; from < text.length; ) {
    const comma = text.indexOf(',', from);
    const end = comma < 0 ? text.length : comma;
    numbers.push(Number(text.slice(from, end)));
    from = end + 1;
    if (numbers.length % NUMBERS_PER_TURN === 0) await setImmediate();
  }
  return numbers;
}
