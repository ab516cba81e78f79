import { setImmediate } from 'node:timers/promises';
import { refuseNullCharacters } from '../null-character.ts';
import type { DocumentRow, PagePlan } from '../page-plan.ts';
import type { JoinedDocuments, PageReads } from '../ports.ts';
import type { Row, Sql, SqlValue } from '../sql.ts';
import { STALE, USE } from '../stale.ts';
import type { AccessPathChooser } from './access-path-chooser.ts';
import type { Connection } from './connection.ts';
import { countSql, listingSql } from './listing-sql.ts';

const NOTHING = new Uint8Array(0);
/** About 5 ms. */
const NUMBERS_PER_TURN = 50_000;
const BY_CODENAME = { by: 'codename', descending: false } as const;

/** Step-by-step reads on a connection that holds a snapshot. */
export class SqlitePageReads implements PageReads, Sql {
  readonly #connection: Connection;
  readonly #paths: AccessPathChooser;

  constructor(connection: Connection, paths: AccessPathChooser) {
    this.#connection = connection;
    this.#paths = paths;
  }

  async all<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T[]> {
    refuseNullCharacters(parameters);
    return this.#connection.all<T>(text, parameters);
  }

  async get<T = Row>(text: string, parameters?: readonly SqlValue[]): Promise<T | undefined> {
    refuseNullCharacters(parameters);
    return this.#connection.get<T>(text, parameters);
  }

  among(column: string, values: readonly (string | number)[]): { text: string; parameter: SqlValue } {
    return this.#connection.among(column, values);
  }

  /** Reads the numbers as one text: 100,000 row objects would block the event loop for 30 ms. */
  async items(plan: PagePlan): Promise<number[]> {
    const { pending } = await this.project(plan.project);
    const chosen = await this.#paths.choose(this.#connection, plan, pending);
    const listing = listingSql(plan, chosen.listing, pending);
    const row = await this.get<{ items: string | null }>(
      `WITH page AS MATERIALIZED (${listing.text}) SELECT group_concat(item) AS items FROM page`,
      listing.parameters,
    );
    return numbersOf(row?.items ?? '');
  }

  async count(plan: PagePlan): Promise<number> {
    const { pending } = await this.project(plan.project);
    // The limit was applied to the listing that is counted.
    const counted = { ...plan, order: BY_CODENAME, skip: 0, limit: 1, total: true, costLimit: null };
    const { listing, count } = await this.#paths.choose(this.#connection, counted, pending);
    const statement = countSql(plan, count === 'listing' ? listing : (count ?? listing));
    return (await this.get<{ total: number }>(statement.text, statement.parameters))?.total ?? 0;
  }

  async cost(plan: PagePlan): Promise<number> {
    const { pending } = await this.project(plan.project);
    return (await this.#paths.estimate(this.#connection, plan, pending)).cost.units;
  }

  documents(view: number, items: readonly number[]): Promise<DocumentRow[]> {
    return this.all<DocumentRow & Row>(
      `SELECT d.number AS number, d.item AS item, r.codename AS codename, d.type AS type, d.language AS language,
         d.version AS version, d.body AS body, d.components AS components, d.layout AS layout
       FROM json_each(?) j CROSS JOIN resolved r ON r.view = ? AND r.item = j.value
       CROSS JOIN document d ON d.number = r.document`,
      [JSON.stringify(items), view],
    );
  }

  async joined(view: number, items: readonly number[]): Promise<JoinedDocuments> {
    const row = await this.get<{ count: number; bodies: Uint8Array | null; components: Uint8Array | null }>(
      `SELECT count(*) AS count, cast(group_concat(d.body, ',') AS BLOB) AS bodies,
         cast(group_concat(nullif(d.components, ''), ',') AS BLOB) AS components
       FROM json_each(?) j CROSS JOIN resolved r ON r.view = ? AND r.item = j.value
       CROSS JOIN document d ON d.number = r.document`,
      [JSON.stringify(items), view],
    );
    return {
      count: row?.count ?? 0,
      bodies: row?.bodies ?? NOTHING,
      components: row?.components ?? NOTHING,
    };
  }

  joinedByCodename(view: number, items: readonly number[], bare: readonly number[]): Promise<Uint8Array> {
    return this.#bytes(
      `SELECT cast(group_concat('"' || r.codename || '":' || d.body ||
         CASE WHEN d.components = '' OR j.value IN (SELECT value FROM json_each(?)) THEN '' ELSE ',' || d.components END,
         ',') AS BLOB) AS bytes
       FROM json_each(?) j CROSS JOIN resolved r ON r.view = ? AND r.item = j.value
       CROSS JOIN document d ON d.number = r.document`,
      [JSON.stringify(bare), JSON.stringify(items), view],
    );
  }

  joinedComponents(view: number, items: readonly number[]): Promise<Uint8Array> {
    return this.#bytes(
      `SELECT cast(group_concat(nullif(d.components, ''), ',') AS BLOB) AS bytes
       FROM json_each(?) j CROSS JOIN resolved r ON r.view = ? AND r.item = j.value
       CROSS JOIN document d ON d.number = r.document`,
      [JSON.stringify(items), view],
    );
  }

  async #bytes(text: string, parameters: readonly SqlValue[]): Promise<Uint8Array> {
    return (await this.get<{ bytes: Uint8Array | null }>(text, parameters))?.bytes ?? NOTHING;
  }

  async linked(view: number, items: readonly number[]): Promise<number[]> {
    const row = await this.get<{ items: string | null }>(
      `SELECT group_concat(item) AS items FROM (SELECT DISTINCT t.item AS item, t.codename AS codename
         FROM json_each(?) j CROSS JOIN resolved r ON r.view = ? AND r.item = j.value
         CROSS JOIN uses u ON u.document = r.document AND u.kind = ${USE.linkedItem}
         CROSS JOIN resolved t ON t.view = ? AND t.item = u.target ORDER BY t.codename)`,
      [JSON.stringify(items), view, view],
    );
    return row?.items ? row.items.split(',').map(Number) : [];
  }

  async stale(project: number, documents: readonly number[]): Promise<Set<number>> {
    const rows = await this.all<{ number: number }>(
      `SELECT d.number AS number FROM json_each(?) j CROSS JOIN document d ON d.number = j.value
       WHERE EXISTS (SELECT 1 FROM pending p WHERE p.project = ? AND p.sequence > d.compiled_at AND (
           p.kind = ${STALE.project}
           OR (p.kind = ${STALE.language} AND p.target = d.language)
           OR (p.kind = ${STALE.type} AND p.target = d.type)))
         OR EXISTS (SELECT 1 FROM uses u CROSS JOIN pending p
           ON p.project = ? AND p.target = u.target AND p.kind = CASE u.kind
             WHEN ${USE.asset} THEN ${STALE.asset} WHEN ${USE.componentType} THEN ${STALE.type} ELSE ${STALE.item} END
           WHERE u.document = d.number AND p.sequence > d.compiled_at)
         OR EXISTS (SELECT 1 FROM uses u CROSS JOIN item i ON i.number = u.target
           CROSS JOIN pending p ON p.project = ? AND p.kind = ${STALE.type} AND p.target = i.type
           WHERE u.document = d.number AND u.kind = ${USE.hyperlink} AND p.sequence > d.compiled_at)`,
      [JSON.stringify(documents), project, project, project],
    );
    return new Set(rows.map((row) => row.number));
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
