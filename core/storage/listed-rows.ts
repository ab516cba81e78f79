import type { SqlValue } from './sql.ts';

/**
 * Columns of the rows of an item in the table `listed`, in the order of the values. `lacking` and `searched` are null where
 * they stay as they are.
 */
export const LISTED_COLUMNS = [
  'number',
  'item',
  'language',
  'type',
  'state',
  'name',
  'changed',
  'author',
  'lacking',
  'searched',
] as const;
/** Of what is searched: the words of the name and of everything, folded and separated by spaces. */
export const SEARCHED_COLUMNS = ['number', 'searched', 'name', 'words'] as const;

/** Above the number of any item. */
const ITEMS = 2 ** 32;

/** Number of the row of an item in a language, so that those of a language are a range. */
export function listedNumber(item: number, language: number): number {
  return language * ITEMS + item;
}

/** The same in SQL: one row is found, not all of the item. */
export function numberOfRow(item: string, language: string): string {
  return `${language} * ${ITEMS} + ${item}`;
}

/** SQL of the item of a row: unlike the column `item`, it needs nothing but the index of an order. */
export function itemOfRow(number: string): string {
  return `${number} % ${ITEMS}`;
}

/** The first and the last number in a language. */
export function listedRange(language: number): readonly [first: number, last: number] {
  return [language * ITEMS, (language + 1) * ITEMS - 1];
}

/** All rows of some items; of a row whose `searched` is the stored one, the words may be omitted. */
export interface ListedRows {
  readonly listed: readonly (readonly SqlValue[])[];
  readonly searched: readonly (readonly SqlValue[])[];
}

/** In the place of an author in `listed_count`: the count is of all items. */
export const ALL_AUTHORS = '';

/** Marks all items of a project. */
export const LIST_AGAIN = `INSERT INTO unlisted (item, project)
  SELECT number, project FROM item WHERE project = ? AND type IS NOT NULL ON CONFLICT (item) DO NOTHING`;

/** Characters of the rows in one statement; as `jsonb`, which PostgreSQL bounds by 256 MB, they take at most five times that. */
const PIECE = 8_000_000;
/** Of a row without words. */
const ROW = 100;

export interface ListedPiece {
  readonly items: number[];
  readonly rows: { readonly listed: (readonly SqlValue[])[]; readonly searched: (readonly SqlValue[])[] };
}

/**
 * Rows by item in pieces, in order. The rows of an item follow its words, which may need several.
 * @param listed null: there is nothing to write
 */
export function* listedPieces(listed: ReadonlyMap<number, ListedRows | null>): Generator<ListedPiece> {
  let piece = emptyPiece();
  let length = 0;
  for (const [item, rows] of listed) {
    if (!rows) continue;
    for (const row of rows.searched) {
      piece.rows.searched.push(row);
      for (const value of row) length += typeof value === 'string' ? value.length : 0;
      if (length < PIECE) continue;
      yield piece;
      piece = emptyPiece();
      length = 0;
    }
    piece.items.push(item);
    piece.rows.listed.push(...rows.listed);
    length += rows.listed.length * ROW;
    if (length < PIECE) continue;
    yield piece;
    piece = emptyPiece();
    length = 0;
  }
  if (piece.items.length > 0 || piece.rows.searched.length > 0) yield piece;
}

function emptyPiece(): ListedPiece {
  return { items: [], rows: { listed: [], searched: [] } };
}

/** Tables that are made from the others: copies of the data and their digests lack them. */
export const DERIVED_TABLES = [
  'listed',
  'listed_count',
  'unlisted',
  'listed_asset',
  'unlisted_asset',
  'full_text',
] as const;
/** The same as a condition on the name of a table; SQLite keeps its index in tables beside `full_text`. */
export const IS_NOT_DERIVED = (name: string) =>
  `${name} NOT IN ('listed', 'listed_count', 'unlisted', 'listed_asset', 'unlisted_asset') AND ${name} NOT LIKE 'full_text%'`;

interface Dialect {
  /** `SELECT` of the numbers of the items. */
  readonly items: string;
  /** `SELECT` of `LISTED_COLUMNS`, and of `SEARCHED_COLUMNS`. */
  readonly listed: string;
  readonly searched: string;
  /** Writes rows of `listed`; those that stay as they are must not be written. */
  readonly store: readonly string[];
  /** Writes the words of the rows `s` under their numbers. */
  readonly write: (rows: string) => string;
  /** The column of full text that has the number. */
  readonly key: string;
}

/** Statements that replace the rows of some items. Rows that stay as they are are not written. */
export function replaceListedSql({ items, listed, searched, store, write, key }: Dialect): string[] {
  const own = `item IN (${items})`;
  const changed = `SELECT language, author, type, state, -1 AS n FROM listed WHERE ${own}
    UNION ALL SELECT language, author, type, state, 1 AS n FROM (${listed}) r`;
  const gone = `${own} AND number NOT IN (SELECT r.number FROM (${listed}) r)`;
  return [
    `DELETE FROM unlisted WHERE ${own}`,
    // Each row counts for all authors, and for its own.
    `INSERT INTO listed_count (language, author, type, state, count)
     SELECT language, CASE WHEN e.every = 1 THEN '${ALL_AUTHORS}' ELSE author END AS counted, type, state, sum(n)
     FROM (${changed}) c CROSS JOIN (SELECT 1 AS every UNION ALL SELECT 0) e WHERE e.every = 1 OR author IS NOT NULL
     GROUP BY language, counted, type, state HAVING sum(n) <> 0
     ON CONFLICT (language, author, type, state) DO UPDATE SET count = listed_count.count + excluded.count`,
    `DELETE FROM full_text WHERE ${key} IN (SELECT number FROM listed WHERE ${gone})`,
    `DELETE FROM listed WHERE ${gone}`,
    // Before the rows, which name the words that are there.
    write(`SELECT s.number AS number, s.name AS name, s.words AS words
      FROM (${searched}) s LEFT JOIN listed l ON l.number = s.number WHERE l.searched IS DISTINCT FROM s.searched`),
    ...store,
  ];
}

/** `INSERT` of the rows `r`. */
export function insertListedSql(listed: string): string {
  const columns = LISTED_COLUMNS.join(', ');
  return `INSERT INTO listed (${columns})
    SELECT ${columns.replace('lacking', 'coalesce(lacking, 0)')} FROM (${listed}) r WHERE true`;
}
