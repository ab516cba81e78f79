import type { SqlValue } from './sql.ts';

/** Columns of the rows of an item in the table `listed`, in the order of the values. */
export const LISTED_COLUMNS = [
  'number',
  'item',
  'language',
  'type',
  'state',
  'name',
  'changed',
  'author',
] as const;
/** Of what is searched: the words of the name and of everything, folded and separated by spaces. */
export const SEARCHED_COLUMNS = ['number', 'searched', 'lacking', 'name', 'words'] as const;

/** Above the number of any item. */
const ITEMS = 2 ** 32;

/** Number of the row of an item in a language, so that those of a language are a range. */
export function listedNumber(item: number, language: number): number {
  return language * ITEMS + item;
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
  /** Columns that are updated together. An update changes all indexes on PostgreSQL, on SQLite those of its columns. */
  readonly together: readonly (readonly string[])[];
  /** Writes the words of the rows `s` under the numbers of `l`. */
  readonly write: (rows: string) => string;
  /** The column of full text that has the number. */
  readonly key: string;
}

/** Statements that replace the rows of some items. Rows that stay as they are are not written. */
export function replaceListedSql({ items, listed, searched, together, write, key }: Dialect): string[] {
  const own = `item IN (${items})`;
  const counted = `SELECT language, type, state, -1 AS n FROM listed WHERE ${own}
    UNION ALL SELECT language, type, state, 1 AS n FROM (${listed}) r`;
  const gone = `${own} AND number NOT IN (SELECT r.number FROM (${listed}) r)`;
  const columns = LISTED_COLUMNS.join(', ');
  const outdated = `FROM (${searched}) s JOIN listed l ON l.number = s.number
    WHERE l.searched IS DISTINCT FROM s.searched`;
  return [
    `DELETE FROM unlisted WHERE ${own}`,
    `INSERT INTO listed_count (language, type, state, count)
     SELECT language, type, state, sum(n) FROM (${counted}) c WHERE true GROUP BY language, type, state HAVING sum(n) <> 0
     ON CONFLICT (language, type, state) DO UPDATE SET count = listed_count.count + excluded.count`,
    `DELETE FROM full_text WHERE ${key} IN (SELECT number FROM listed WHERE ${gone})`,
    `DELETE FROM listed WHERE ${gone}`,
    ...together.map((some) => {
      const values = some.map((column) => `${column} = r.${column}`).join(', ');
      const differs = some.map((column) => `listed.${column} IS DISTINCT FROM r.${column}`);
      return `UPDATE listed SET ${values} FROM (${listed}) r
        WHERE listed.number = r.number AND (${differs.join(' OR ')})`;
    }),
    `INSERT INTO listed (${columns}) SELECT ${columns} FROM (${listed}) r WHERE true ON CONFLICT (number) DO NOTHING`,
    write(`SELECT l.number AS number, s.name AS name, s.words AS words ${outdated}`),
    `UPDATE listed SET searched = s.searched, lacking = s.lacking FROM (${searched}) s
     WHERE listed.number = s.number AND listed.searched IS DISTINCT FROM s.searched`,
  ];
}
