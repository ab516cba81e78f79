/**
 * 4000 items of four types, written directly into their tables, half of them with a German document, among others of
 * other projects; and listings of them.
 */
import { createHash } from 'node:crypto';
import type { KeyTest, Order, PagePlan, SlotCondition } from '../../core/storage/page-plan.ts';
import { plan as anyPlan, VIEW } from './compiled-fixture.ts';

export const ITEMS = 4000;
const OTHERS = 6000;
const TYPES = [1, 2, 3, 4];
const ENGLISH = { number: 1, ordinal: 0, fallback: false };
const GERMAN = { number: 2, ordinal: 1, fallback: false };
/** Slot of a field in a language. Fields: ranks are 1 to 3 (type 4 has none), categories 11 to 14. */
const slot = (field: number, language = 0) => field * 256 + language;
const RANKS = [1, 2, 3].map((field) => slot(field));
export const CATEGORIES = [11, 12, 13, 14].map((field) => slot(field));

/** Rows of items `from` to `to`; a third of each type has no rank, half of them each category. Every second one has a German document. */
export const rows = (from: number, to: number) => `
  CREATE TEMP TABLE made AS SELECT i AS item, 1 + i % 4 AS type, 'item_' || md5(i::text) AS codename, n.language,
      CASE n.language WHEN 1 THEN i ELSE 100000 + i END AS document, i % 2 = 0 AS translated
    FROM generate_series(${from}, ${to}) i CROSS JOIN (VALUES (1), (2)) n (language) WHERE n.language = 1 OR i % 2 = 0;
  INSERT INTO item (number, project, id, name, codename, type, created, last_modified)
    SELECT item, 1, 'id-' || item, codename, codename, type, '', '' FROM made WHERE language = 1;
  INSERT INTO document SELECT document, 1, item, language, type, item, 1, 5, '', '', '{}', '{}' FROM made;
  INSERT INTO entry SELECT document, type * 256 + language - 1,
      CASE WHEN item % 3 = 0 THEN '!' ELSE '=' || lpad((item * 7 % 1000)::text, 4, '0') END, codename, 1, item
    FROM made WHERE type < 4;
  INSERT INTO entry SELECT document, (10 + type) * 256 + language - 1, '=c' || item / 4 % 2, codename, 1, item FROM made;
  INSERT INTO resolved SELECT ${VIEW.en}, item, document, type, 1, codename FROM made WHERE language = 1;
  INSERT INTO resolved SELECT ${VIEW.de}, item, document, type, language, codename FROM made
    WHERE language = 2 OR NOT translated;`;

/** Items of other projects. */
export const OTHER_ROWS = `
  INSERT INTO entry SELECT 200000 + i, (20 + i % 100) * 256 + f, '=' || i, 'other_' || i, 1, 200000 + i
    FROM generate_series(1, ${OTHERS}) i CROSS JOIN generate_series(0, 4) f;
  INSERT INTO resolved SELECT 100 + i % 20, 200000 + i, 200000 + i, 50, 9, 'other_' || i
    FROM generate_series(1, ${OTHERS}) i;
  INSERT INTO pending SELECT 9, 3, i, 1 FROM generate_series(1, ${OTHERS}) i;`;

export const MODEL_ROWS = `
  INSERT INTO project (number, id, name, sequence, model_sequence, created) VALUES (1, 'p', 'P', 7, 3, '');
  INSERT INTO content_type (number, project, id, name, codename, elements, content_groups, fields, last_modified)
    SELECT t, 1, 't' || t, 'T', 't' || t, '[]', '[]', '{}', '' FROM generate_series(1, 4) t;`;
export const COUNTS = `
  INSERT INTO tally SELECT view, type, language, count(*) FROM resolved WHERE view IN (${VIEW.en}, ${VIEW.de})
    GROUP BY view, type, language;`;

export interface Listed {
  readonly plan: PagePlan;
  /** Rows that one node of the page's statement may read of a table, and rows that may be sorted. */
  readonly read: number;
  readonly sorted: number;
}

/** The first page. */
export function plan(part: Partial<PagePlan>): PagePlan {
  return anyPlan({ limit: 20, ...part });
}

const ONE = TYPES.slice(0, 1);
export const category = (slots: readonly number[]): SlotCondition => ({
  on: 'slots',
  slots,
  test: { kind: 'one-of', keys: ['=c1'] },
});
const after = (key: string): KeyTest => ({ kind: 'range', from: { key, inclusive: false } });
const byRank = (slots: readonly number[], lacking: readonly number[], descending = false): Order => ({
  by: 'slots',
  slots,
  lacking,
  descending,
});
const first = { types: ONE, conditions: [category(CATEGORIES.slice(0, 1))] };

const codename = (item: number) => `item_${createHash('md5').update(String(item)).digest('hex')}`;

/** A page has 20 documents of 4000; half of them are in a category, so 21 are found after about 42. */
export const LISTINGS: Readonly<Record<string, Listed>> = {
  'a page in order of codename': { plan: plan({}), read: 21, sorted: 0 },
  'a page backwards, of two types': {
    plan: plan({ types: TYPES.slice(0, 2), order: { by: 'codename', descending: true } }),
    read: 100,
    sorted: 0,
  },
  'a page of one type': { plan: plan({ types: ONE }), read: 21, sorted: 0 },
  'a page of those after a codename': { plan: plan({ after: 'item_8' }), read: 21, sorted: 0 },
  'one item': { plan: plan({ codenames: [codename(77)], limit: 1 }), read: 1, sorted: 0 },
  'a page in order of id': {
    plan: plan({ order: { by: 'id', descending: false }, limit: 20 }),
    read: 25,
    sorted: 0,
  },
  'a page in reverse order of id': {
    plan: plan({ order: { by: 'id', descending: true }, limit: 5 }),
    read: 25,
    sorted: 0,
  },
  'a page of one type in reverse order of id': {
    plan: plan({ types: ONE, order: { by: 'id', descending: true }, limit: 5 }),
    read: 50,
    sorted: 0,
  },
  'a page of a category in order of id': {
    plan: plan({
      conditions: [category(CATEGORIES)],
      order: { by: 'id', descending: false },
      limit: 5,
    }),
    read: 50,
    sorted: 0,
  },
  'a page after an id': {
    plan: plan({
      conditions: [{ on: 'id', test: after('=id-3') }],
      order: { by: 'id', descending: false },
    }),
    read: 25,
    sorted: 0,
  },
  'a page from a codename on': {
    plan: plan({ conditions: [{ on: 'codename', test: after('=item_8') }] }),
    read: 21,
    sorted: 0,
  },
  'a page of an element of one type after a value of it': {
    plan: plan({
      types: ONE,
      conditions: [{ on: 'slots', slots: RANKS.slice(0, 1), test: after('=0500') }],
      order: byRank(RANKS.slice(0, 1), []),
    }),
    read: 25,
    sorted: 0,
  },
  // A thousand rows are sorted as fast; of 90,000 items it reads 22.
  'a page of an element of several types before a value of it, backwards': {
    plan: plan({
      types: TYPES.slice(0, 3),
      conditions: [
        { on: 'slots', slots: RANKS, test: { kind: 'range', to: { key: '=0500', inclusive: true } } },
      ],
      order: byRank(RANKS, [], true),
    }),
    read: 1010,
    sorted: 1010,
  },
  'a page in order of type': {
    plan: plan({ order: { by: 'type', descending: true, types: TYPES } }),
    read: 25,
    sorted: 0,
  },
  'a page with the total of an exclusion': {
    plan: plan({
      conditions: [{ on: 'slots', slots: CATEGORIES, test: { kind: 'none-of', keys: ['=c1'] } }],
      total: true,
    }),
    read: 2000,
    sorted: 0,
  },
  'given items': { plan: plan({ items: [5, 3, 9], limit: 3 }), read: 3, sorted: 0 },
  'a page with a filter, in order of an element': {
    plan: plan({ ...first, order: byRank(RANKS.slice(0, 1), []) }),
    read: 100,
    sorted: 0,
  },
  'the same backwards': {
    plan: plan({ ...first, order: byRank(RANKS.slice(0, 1), [], true) }),
    read: 100,
    sorted: 40,
  },
  'a page of all types in order of an element that one lacks': {
    plan: plan({ conditions: [category(CATEGORIES)], order: byRank(RANKS, [4]) }),
    read: 200,
    sorted: 63,
  },
  'the end of such a listing': {
    // Of 3000 documents with a rank, 1000 have none; then come those of the type without a rank.
    plan: plan({ order: byRank(RANKS, [4]), skip: 1990 }),
    read: 6100,
    sorted: 6100,
  },
  'a page of documents without a value': {
    plan: plan({ types: [1, 4], order: byRank([slot(90)], TYPES) }),
    read: 21,
    sorted: 0,
  },
  'a page in a language with a fallback': {
    plan: plan({
      view: VIEW.de,
      types: ONE,
      languages: [GERMAN, { ...ENGLISH, fallback: true }],
      order: byRank([slot(1, 1), slot(1)], []),
    }),
    read: 100,
    sorted: 42,
  },
  'a page with conditions of every kind': {
    plan: plan({
      conditions: [
        { on: 'slots', slots: CATEGORIES, test: { kind: 'none-of', keys: ['=c1'] } },
        { on: 'slots', slots: RANKS, test: { kind: 'range', from: { key: '=0', inclusive: true } } },
        { on: 'empty', slots: RANKS, empty: false },
        {
          on: 'either',
          of: [category(CATEGORIES.slice(0, 2)), { on: 'empty', slots: RANKS, empty: false }],
        },
        { on: 'id', test: { kind: 'none-of', keys: ['=id-1'] } },
      ],
    }),
    read: 200,
    sorted: 0,
  },
  'all documents, with conditions that many of them meet': {
    plan: plan({
      conditions: [category(CATEGORIES), { on: 'empty', slots: RANKS, empty: false }],
      limit: null,
    }),
    read: ITEMS,
    sorted: 1000,
  },
  'the matches of a selective filter': {
    plan: plan({
      types: ONE,
      conditions: [{ on: 'slots', slots: RANKS.slice(0, 1), test: { kind: 'one-of', keys: ['=0028'] } }],
      order: byRank(RANKS.slice(0, 1), []),
    }),
    read: 4,
    sorted: 4,
  },
  'a page with its total': {
    plan: plan({ conditions: [category(CATEGORIES)], total: true }),
    read: 2000,
    sorted: 0,
  },
};
