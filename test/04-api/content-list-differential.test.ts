/**
 * Random content, random lists: what the list of content answers against what its tables say, worked out without indexes. A
 * failure prints its seed; HEADWATER_TEST_SEED=<seed> runs that project alone.
 */

import { expect } from 'chai';
import { createItem, deleteItem, restoreItem, updateItem } from '../../core/content/items.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { createType } from '../../core/content/types.ts';
import { deleteVariant, upsertVariant } from '../../core/content/variants.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../core/publishing/publish.ts';
import { cancelScheduledPublish, schedulePublish } from '../../core/publishing/schedule.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { isLongForm } from '../support/long-form.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';

const PROJECTS = isLongForm ? 60 : 1;
const CHANGES = 120;
const LISTS = 70;
const LANGUAGES = ['en', 'de'];
const STATES = ['not_translated', 'draft', 'published', 'changed', 'scheduled', 'unpublished', 'archived'];
const WORDS = [
  'river',
  'Flüsse',
  'bridge',
  'bridges',
  'old',
  'Straße',
  'über',
  'nº2',
  'O’Neill',
  'x-ray',
  'AND',
];
const TERMS = ['north', 'south'];

/** An item in one language, as its tables have it. */
interface Expected {
  readonly codename: string;
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly changed: string;
  readonly author: string | null;
  readonly words: readonly string[];
  readonly nameWords: readonly string[];
  readonly terms: readonly string[];
  readonly rank: number | null;
  readonly isLacking: boolean;
  readonly isPlaced: boolean;
}

describe('the list of content, against its tables', function () {
  this.timeout(120_000);

  for (const seed of testSeeds(
    PROJECTS,
    Array.from({ length: PROJECTS }, (_, index) => 500 + index),
  ))
    it(`answers what they say, seed ${seed}`, async () => {
      const random = new Random(seed);
      const notes = await NotesService.start();
      try {
        await notes.run(model);
        for (let change = 0; change < CHANGES; change++)
          await notes.service.core.operations
            .inProject(notes.project, random.pick([null, notes.user]), (transaction) =>
              changeSomething(transaction, random),
            )
            .catch(refused);
        for (const language of LANGUAGES) {
          const rows = await expectedRows(notes, language);
          for (let list = 0; list < LISTS; list++) await compare(notes, rows, language, random, seed);
        }
      } finally {
        await notes.stop();
      }
    });
});

async function model(transaction: ProjectTransaction): Promise<void> {
  await createTaxonomy(transaction, { name: 'Region', terms: TERMS.map((name) => ({ name })) });
  await replaceSitemap(transaction, [{ name: 'Start' }]);
  await createType(transaction, {
    name: 'Article',
    elements: [
      { type: 'text', name: 'Title', is_required: true },
      { type: 'rich_text', name: 'Body' },
      { type: 'number', name: 'Rank' },
      { type: 'taxonomy', name: 'Region', taxonomy_group: { codename: 'region' } },
    ],
  });
}

/** Rules refuse some changes, such as to publish what is published. */
function refused(error: unknown): void {
  if (!(error as { errorName?: string }).errorName) throw error;
}

async function changeSomething(transaction: ProjectTransaction, random: Random): Promise<void> {
  const rows = await transaction.tx.all<{ id: string; archived: string | null; type: number }>(
    'SELECT id, archived, type FROM item WHERE project = ? AND type IS NOT NULL ORDER BY number',
    [transaction.project.number],
  );
  const text = () => Array.from({ length: 1 + random.int(0, 2) }, () => random.pick(WORDS)).join(' ');
  if (rows.length < 12 || random.int(0, 9) === 0) {
    const type = { codename: random.pick(['article', 'note']) };
    await createItem(transaction, { name: text(), type });
    return;
  }
  const { id, archived, type } = random.pick(rows);
  if (archived !== null) {
    if (random.int(0, 1) === 0) await restoreItem(transaction, id);
    return;
  }
  const item = { id };
  const language = { codename: random.pick(LANGUAGES) };
  const acts = [
    () => publishVariant(transaction, item, language),
    () => unpublishVariant(transaction, item, language),
    () => newVersion(transaction, item, language),
    () => schedulePublish(transaction, item, language, '2999-01-01T00:00:00Z'),
    () => cancelScheduledPublish(transaction, item, language),
    () => deleteVariant(transaction, item, language),
    () => (random.int(0, 3) === 0 ? deleteItem(transaction, item) : Promise.resolve()),
    () =>
      updateItem(transaction, item, {
        name: text(),
        sitemap_locations: random.int(0, 1) === 0 ? [{ codename: 'start' }] : [],
      }),
  ];
  if (random.int(0, 1) === 0) {
    await random.pick(acts)();
    return;
  }
  const isArticle = transaction.model.typeByNumber.get(type)?.codename === 'article';
  const elements = isArticle
    ? [
        { element: { codename: 'title' }, value: random.pick([text(), '']) },
        {
          element: { codename: 'body' },
          value: `<p>${text()} <strong>${text()}</strong></p><ul><li>${text()}</li></ul>`,
        },
        { element: { codename: 'rank' }, value: random.pick([null, 1, 2.5, -3, 100]) },
        {
          element: { codename: 'region' },
          value: TERMS.filter(() => random.int(0, 1) === 0).map((codename) => ({ codename })),
        },
      ]
    : [{ element: { codename: 'text' }, value: text() }];
  await upsertVariant(transaction, item, language, { elements });
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

async function expectedRows(notes: NotesService, codename: string): Promise<Expected[]> {
  const { operations } = notes.service.core;
  return operations.read(notes.project, async ({ tx, model }) => {
    const language = model.languages.find((one) => one.codename === codename);
    const rows = await tx.all<Record<string, string | null> & { number: number; type: number }>(
      `SELECT i.number AS number, i.name AS name, i.codename AS codename, i.type AS type, i.archived AS archived,
         i.last_modified AS last_modified, i.sitemap_locations AS locations, v.number AS variant, v.archived AS gone,
         v.draft AS draft, v.published AS published, v.scheduled_to AS scheduled_to, v.was_published AS was_published,
         v.last_modified AS variant_modified, n.account AS account, n.elements AS elements
       FROM item i LEFT JOIN variant v ON v.item = i.number AND v.language = ?
         LEFT JOIN version n ON n.number = COALESCE(v.draft, v.published)
       WHERE i.type IS NOT NULL ORDER BY i.number`,
      [language?.number ?? 0],
    );
    return rows.map((row) => {
      const type = model.typeByNumber.get(row.type);
      const stored = JSON.parse(row['elements'] ?? '{}');
      const value = (name: string) => stored[type?.fieldByCodename.get(name)?.element.id ?? ''];
      const text = [
        value('title'),
        value('text'),
        (value('body')?.html ?? '').replace(/<\/?strong>/g, '').replace(/<[^>]*>/g, ' '),
      ];
      const nameWords = wordsOf(`${row['name']} ${row['codename']}`);
      const isGone = row['archived'] !== null || row['gone'] !== null;
      const state = stateOf(row, row['archived'] !== null, row['gone'] !== null);
      const groups = model.taxonomies.flatMap(({ terms }) => terms);
      return {
        codename: row['codename'] ?? '',
        number: row.number,
        name: (row['name'] ?? '')
          .toLowerCase()
          .normalize('NFKD')
          .replace(/[\u0300-\u036f]/g, ''),
        type: type?.codename ?? '',
        state,
        changed: [row['variant_modified'] ?? '', row['last_modified'] ?? ''].sort()[1] ?? '',
        author: row['account'] ?? null,
        words: [...nameWords, ...wordsOf(text.join(' '))],
        nameWords,
        terms: isGone
          ? []
          : groups.filter(({ id }) => (value('region') ?? []).includes(id)).map((term) => term.codename),
        rank: isGone ? null : (value('rank') ?? null),
        isLacking: type?.codename === 'article' && row['variant'] !== null && !value('title'),
        isPlaced: row['locations'] !== '[]',
      };
    });
  });
}

function stateOf(row: Record<string, unknown>, itemGone: boolean, variantGone: boolean): string {
  if (itemGone) return 'archived';
  if (row['variant'] === null) return 'not_translated';
  if (variantGone) return 'archived';
  if (row['scheduled_to'] !== null) return 'scheduled';
  if (row['published'] !== null) return row['draft'] === null ? 'published' : 'changed';
  return row['was_published'] === 1 ? 'unpublished' : 'draft';
}

async function compare(
  notes: NotesService,
  all: readonly Expected[],
  language: string,
  random: Random,
  seed: number,
): Promise<void> {
  const asked = new URLSearchParams({ language });
  let rows = all;
  const some = (one: number) => random.int(1, one) === 1;
  const keep = (test: (row: Expected) => boolean) => {
    rows = rows.filter(test);
  };
  const type = some(2) ? random.pick(['article', 'note']) : undefined;
  if (type !== undefined) {
    asked.set('type', type);
    keep((row) => row.type === type);
  }
  const states = some(2) ? STATES.filter(() => some(2)) : [];
  if (states.length > 0) asked.set('state', states.join(','));
  keep(({ state }) => (states.length > 0 ? states.includes(state) : state !== 'archived'));
  if (some(4)) {
    const term = random.pick(TERMS);
    asked.set('term', term);
    keep(({ terms }) => terms.includes(term));
  }
  if (some(5)) {
    asked.set('author', notes.user);
    keep(({ author }) => author === notes.user);
  }
  if (some(5)) {
    asked.set('location', 'start');
    keep(({ isPlaced }) => isPlaced);
  }
  if (some(5)) {
    asked.set('lacking', 'true');
    keep(({ isLacking }) => isLacking);
  }
  if (some(5)) {
    const { changed } = random.pick(all);
    const name = random.pick(['changed_from', 'changed_before']);
    const at = `${changed.slice(0, 23)}Z`;
    asked.set(name, at);
    const bound = at.replace('Z', '0000Z');
    keep((row) => (name === 'changed_from' ? row.changed >= bound : row.changed < bound));
  }
  /** The least comes first. */
  let relevance: (row: Expected) => number = () => 0;
  if (some(3)) {
    const words = Array.from({ length: 1 + random.int(0, 1) }, () => wordsOf(random.pick(WORDS))).flat();
    const last = words.at(-1) ?? '';
    const isOpen = some(2) && last.length > 3;
    const typed = isOpen ? [...words.slice(0, -1), last.slice(0, 3)] : words;
    asked.set('text', isOpen ? typed.join(' ') : `${typed.join(' ')} `);
    const has = (among: readonly string[]) =>
      typed.every((word, at) =>
        among.some((one) => (isOpen && at === typed.length - 1 ? one.startsWith(word) : one === word)),
      );
    keep(({ words: among }) => has(among));
    const codename = typed.join(' ');
    relevance = (row) => (row.codename === codename ? 0 : has(row.nameWords) ? 1 : 2);
  }
  const orders = ['name', 'changed', 'type', 'state', ...(type === 'article' ? ['elements.rank'] : [])];
  const order = asked.has('text') && some(2) ? 'relevance' : random.pick(orders);
  asked.set('order', order);
  const descending = order !== 'relevance' && some(2);
  if (descending) asked.set('descending', 'true');
  const offset = random.int(0, rows.length + 1);
  asked.set('offset', `${offset}`);
  const limit = 1 + random.int(0, 8);
  asked.set('limit', `${limit}`);
  const sorted = sort(rows, order, descending, relevance);
  const { status, body } = await notes.admin<{
    items: { codename: string }[];
    total: number;
    unlisted: number;
  }>('GET', `content?${asked}`);
  const title = `seed ${seed}: content?${asked}`;
  expect(status, title).to.equal(200);
  expect(body.unlisted, title).to.equal(0);
  expect(body.total, title).to.equal(rows.length);
  expect(
    body.items.map(({ codename }) => codename),
    title,
  ).to.deep.equal(sorted.slice(offset, offset + limit).map(({ codename }) => codename));
}

function sort(
  rows: readonly Expected[],
  order: string,
  descending: boolean,
  relevance: (row: Expected) => number,
): Expected[] {
  const sign = descending ? -1 : 1;
  const compareValues = (one: string | number, other: string | number) =>
    one < other ? -1 : one > other ? 1 : 0;
  const byName = (one: Expected, other: Expected) =>
    compareValues(one.name, other.name) || one.number - other.number;
  const byChange = (one: Expected, other: Expected) =>
    compareValues(one.changed, other.changed) || one.number - other.number;
  const orders: Record<string, (one: Expected, other: Expected) => number> = {
    name: byName,
    changed: byChange,
    type: (one, other) => compareValues(one.type, other.type) || byName(one, other),
    state: (one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state) || byName(one, other),
  };
  const by = orders[order];
  if (by) return [...rows].sort((one, other) => sign * by(one, other));
  if (order === 'relevance')
    return [...rows].sort((one, other) => relevance(one) - relevance(other) || byChange(other, one));
  const valued = rows.filter(({ rank }) => rank !== null);
  const others = rows.filter(({ rank }) => rank === null);
  valued.sort(
    (one, other) =>
      sign * ((one.rank ?? 0) - (other.rank ?? 0) || compareValues(one.codename, other.codename)),
  );
  return [...valued, ...others.sort(byName)];
}
