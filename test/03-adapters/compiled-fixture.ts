/**
 * A few compiled documents, written directly into their tables: books ada, bob, cyd with a colour and tags, notes dan and
 * eve without; ada links to bob and eve, bob to eve; ada and eve have a component.
 */
import type { PagePlan } from '../../core/storage/page-plan.ts';
import type { Storage } from '../../core/storage/ports.ts';
import type { SqlValue } from '../../core/storage/sql.ts';

export const PROJECT = 1;
export const EN = 1;
export const BOOK = 1;
export const NOTE = 2;
export const VIEW = { en: 2, de: 4 };
/** field × 256 + ordinal of the language */
export const SLOT = { color: 1 * 256, colorDe: 1 * 256 + 1, tags: 2 * 256 };

const ITEMS: readonly (readonly [
  codename: string,
  type: number,
  color: string | null,
  tags: readonly string[],
])[] = [
  ['ada', BOOK, '=red', ['=x', '=y']],
  ['bob', BOOK, '=red', ['=y']],
  ['cyd', BOOK, '=blue', ['=x']],
  ['dan', NOTE, null, []],
  ['eve', NOTE, null, []],
];
const GERMAN_ADA = 6;
const LINKS: readonly (readonly [number, number])[] = [
  [1, 2],
  [1, 5],
  [2, 5],
];

export async function fill(storage: Storage): Promise<void> {
  await storage.write(async (tx) => {
    const one = (table: string, columns: string, rows: SqlValue[][]) =>
      tx.insert(table, columns.split(' '), rows);
    await one('project', 'number id name sequence model_sequence created', [
      [PROJECT, 'p', 'P', 7, 3, 'now'],
    ]);
    await one('language', 'number project ordinal id name codename active is_default', [
      [EN, PROJECT, 0, 'l1', 'English', 'en', 1, 1],
      [2, PROJECT, 1, 'l2', 'German', 'de', 1, 0],
    ]);
    await one(
      'content_type',
      'number project id name codename elements content_groups fields last_modified',
      [
        [BOOK, PROJECT, 't1', 'Book', 'book', '[]', '[]', '{}', 'now'],
        [NOTE, PROJECT, 't2', 'Note', 'note', '[]', '[]', '{}', 'now'],
      ],
    );
    const numbers = ITEMS.map((_, index) => index + 1);
    await one(
      'item',
      'number project id name codename type created last_modified',
      numbers.map((number) => [
        number,
        PROJECT,
        `id-${number}`,
        name(number),
        name(number),
        type(number),
        'now',
        'now',
      ]),
    );
    const documents = [
      ...numbers.map((number) => document(number, number, EN, 'en')),
      document(GERMAN_ADA, 1, 2, 'de'),
    ];
    await one(
      'document',
      'number project item language type version visible compiled_at slug components layout body',
      documents,
    );
    await one(
      'uses',
      'document kind target',
      LINKS.map(([from, to]) => [from, 1, to]),
    );
    await one('entry', 'document slot key codename visible item', entries());
    const resolved = numbers.flatMap((number) => [
      [VIEW.en, number, number, type(number), EN, name(number)],
      [
        VIEW.de,
        number,
        number === 1 ? GERMAN_ADA : number,
        type(number),
        number === 1 ? 2 : EN,
        name(number),
      ],
    ]);
    await one('resolved', 'view item document type language codename', resolved);
    await one('tally', 'view type language count', [
      [VIEW.en, BOOK, EN, 3],
      [VIEW.en, NOTE, EN, 2],
      [VIEW.de, BOOK, 2, 1],
      [VIEW.de, BOOK, EN, 2],
      [VIEW.de, NOTE, EN, 2],
    ]);
  });
}

/** All documents of the English view, by codename. */
export function plan(part: Partial<PagePlan>): PagePlan {
  return {
    project: PROJECT,
    modelSequence: 3,
    view: VIEW.en,
    channelBit: 1,
    types: null,
    languages: [{ number: EN, ordinal: 0, fallback: false }],
    languagesRestricted: false,
    conditions: [],
    order: { by: 'codename', descending: false },
    skip: 0,
    limit: null,
    total: false,
    costLimit: null,
    ...part,
  };
}

function name(number: number): string {
  return ITEMS[number - 1]![0];
}

function type(number: number): number {
  return ITEMS[number - 1]![1];
}

function document(number: number, item: number, language: number, codename: string): SqlValue[] {
  const components = item === 1 || item === 5 ? `"comp_${name(item)}":{}` : '';
  const body = JSON.stringify({ codename: name(item), text: `${name(item)} ${codename}` });
  return [number, PROJECT, item, language, type(item), number, 1, 5, '', components, '{}', body];
}

function entries(): SqlValue[][] {
  const rows = ITEMS.flatMap(([codename, , color, tags], index): SqlValue[][] => [
    ...(color === null ? [] : [[index + 1, SLOT.color, color, codename, 1, index + 1]]),
    ...tags.map((tag) => [index + 1, SLOT.tags, tag, codename, 1, index + 1]),
  ]);
  return [...rows, [GERMAN_ADA, SLOT.colorDe, '=blue', 'ada', 1, 1]];
}
