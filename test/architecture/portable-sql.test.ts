/** SQL outside the adapters runs on SQLite and on PostgreSQL. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { files, ROOT } from './repository-files.ts';

/** What only one of the databases has, or what they understand differently; with an example of each. */
const DIALECT: Readonly<Record<string, readonly [RegExp, example: string]>> = {
  'OR after INSERT or UPDATE': [/\b(?:INSERT|UPDATE) OR\b/, 'INSERT OR IGNORE INTO item VALUES (1)'],
  REPLACE: [/\bREPLACE INTO\b/, 'REPLACE INTO item VALUES (1)'],
  'implicit row numbers': [/\b(?:rowid|_rowid_|ctid)\b/i, 'SELECT rowid FROM item'],
  'functions of JSON': [/\bjsonb?_\w+\s*\(/i, 'SELECT value FROM json_each(?)'],
  'operators of JSON': [/->>?\s*(?:\d|'|\$\{)/, "SELECT terms ->> 'id' FROM taxonomy"],
  GLOB: [/\bGLOB\b/, "SELECT id FROM item WHERE id GLOB 'a*'"],
  ILIKE: [/\bILIKE\b/, "SELECT id FROM item WHERE id ILIKE 'a%'"],
  'aggregates of texts': [
    /\b(?:group_concat|string_agg|array_agg)\s*\(/i,
    'SELECT group_concat(id) FROM item',
  ],
  'functions of one database': [
    /\b(?:ifnull|iif|nvl|total|instr|printf|hex|strftime|julianday|datetime|date|now|unixepoch|random|typeof|unnest|generate_series|to_char|setval|nextval)\s*\(/i,
    "SELECT ifnull(name, '') FROM item",
  ],
  'max or min of several values': [
    /\b(?:max|min)\s*\((?:[^()']|\([^()]*\))*,/i,
    'SELECT max(number, 1) FROM item',
  ],
  PRAGMA: [/\bPRAGMA\b/, 'PRAGMA foreign_keys = ON'],
  'tables of the database itself': [
    /\b(?:sqlite_|pg_|information_schema)\w*/,
    'SELECT name FROM sqlite_master',
  ],
  'hints of an index': [/\bINDEXED BY\b/, 'SELECT id FROM item INDEXED BY item_type WHERE type = ?'],
  'a limit in place of none': [/\bLIMIT (?:-1|ALL)\b/, 'SELECT id FROM item LIMIT -1 OFFSET 5'],
  'casts with colons': [/\w::\w/, 'SELECT number::text FROM item'],
  'types of one database': [
    /\bAS (?:BLOB|bytea|jsonb?|xid8?|UNSIGNED)\b/i,
    'SELECT cast(body AS BLOB) FROM document',
  ],
  arrays: [/\b(?:ANY|ALL) \(\s*(?:\?|ARRAY)/, 'SELECT id FROM item WHERE number = ANY (?)'],
  'numbered parameters': [/\$\d/, 'SELECT id FROM item WHERE number = $1'],
  'other forms of equality': [/ == |\bIS \?|\bIS NOT \?/, 'SELECT id FROM item WHERE number == 1'],
  'numbers as conditions': [
    /\b(?:WHERE|AND|OR|NOT|WHEN) (?:[01]\b|[\w.]+ & (?:\?|\d+|\$\{[^}]*\})(?!\s*(?:<>|=|<|>)))/,
    'SELECT id FROM item WHERE visible & 1',
  ],
  'column names with capitals, which PostgreSQL does not keep': [
    /\bAS [a-z]+[A-Z]\w*/,
    'SELECT id AS itemId FROM item',
  ],
  'texts in double quotes': [/(?:=|<>|\() ?"[^"]*"/, 'SELECT id FROM item WHERE name = "x"'],
  // A statement that is prepared in a session fails once a migration of a newer core has added one.
  'all columns of a table': [/(?:\bSELECT |\b\w\.)\* FROM (?!\()/, 'SELECT * FROM item WHERE id = ?'],
  collations: [/\bCOLLATE\b/, 'SELECT id FROM item ORDER BY name COLLATE NOCASE'],
};

/** The adapters, and what they share with a dialect that each of them gives. */
const ADAPTERS = /^core\/storage\/(?:sqlite|postgres|listings|migrations)\//;
/** Commands look at files of SQLite that no service has opened. */
const OTHERS = /^gateway\/cli\//;

const SQL =
  /\b(?:SELECT\s|INSERT\s+INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b|WHERE\s|LEFT JOIN\b|GROUP BY\b|ORDER BY\b|(?:^|\s)AND\s|ON CONFLICT\b)/;

describe('SQL outside the adapters', () => {
  const texts = files()
    .filter((path) => /^(?:core|gateway|plugins)\/.*\.ts$/.test(path))
    .filter((path) => !ADAPTERS.test(path) && !OTHERS.test(path))
    .flatMap((path) => sqlIn(readFileSync(join(ROOT, path), 'utf8')).map((text) => ({ path, text })));

  it('is found', () => {
    expect(texts.length).to.be.above(200);
    expect(new Set(texts.map(({ path }) => path)).size).to.be.above(60);
  });

  for (const [title, [pattern, example]] of Object.entries(DIALECT))
    it(`does not use ${title}`, () => {
      expect(sqlIn(`const text = \`${example}\`;`)[0] ?? example).to.match(pattern);
      const found = texts.filter(({ text }) => pattern.test(text));
      expect(found.map(({ path, text }) => `${path}: ${text.replace(/\s+/g, ' ')}`)).to.deep.equal([]);
    });
});

/** Texts of the source that contain SQL, without comments. */
function sqlIn(source: string): string[] {
  const TOKENS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:[^`\\]|\\[\s\S])*`|'(?:[^'\\\n]|\\.)*'/g;
  const texts: string[] = [];
  for (const [token] of source.matchAll(TOKENS))
    if (!token.startsWith('/') && SQL.test(token)) texts.push(token.slice(1, -1));
  return texts;
}
