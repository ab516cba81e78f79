/**
 * Statements of SQLite, as the service runs them: none may begin with all rows of a project where it names those it wants.
 * Without statistics its planner prefers the index of all items of a project to the numbers of a few.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import sqlite3 from 'sqlite3';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { DEFAULT_LANGUAGE_ID } from '../../core/model/model.ts';
import { importProject } from '../../core/transfer/import-project.ts';
import { archiveOf } from '../support/archives/tar-entries.ts';
import { isPostgres } from '../support/database/test-database.ts';
import { failure } from '../support/failure.ts';
import { NotesService } from '../support/projects/notes-service.ts';

/** Of these tables a large project has a row for each item or more. */
const LARGE = 'item|variant|version|document|entry|uses|resolved|listed|change';

/** Begins with all items of a project, or all rows of a large table. */
const WHOLE = new RegExp(
  `^SEARCH \\w+ USING .*INDEX (sqlite_autoindex_item_1|item_\\w+) \\(project=\\?\\)|^SCAN (${LARGE})\\b`,
);

/** Changes of an object in their order, from a position on. */
const ORDERED = 'SEARCH change USING INDEX change_object (object=? AND (sequence,part)<(?,?))';

/** What reads all items because there is no other way. */
const ALLOWED: readonly RegExp[] = [
  // Items by their place in the sitemap, which no index has.
  /sitemap_locations LIKE/,
  // A change of the model: all items are listed or compiled again.
  /^INSERT INTO unlisted/,
  /compiled_at < \?/,
  // The first items by id, up to a limit.
  /^WITH ids AS MATERIALIZED /,
  // The newest rows, up to a limit.
  /FROM change\s+ORDER BY sequence DESC, part DESC LIMIT/,
];

describe('statements of SQLite', () => {
  // PostgreSQL has tests of its plans of its own (postgres-plans.test.ts).
  if (isPostgres()) return;

  it('read neither all items of a project nor all rows of a list, whatever the console and the APIs request', async () => {
    const statements = new Map<string, string>();
    const { prepare } = sqlite3.Database.prototype;
    sqlite3.Database.prototype.prepare = function (this: sqlite3.Database, text: string, ...rest: never[]) {
      statements.set(text, (this as unknown as { readonly filename: string }).filename);
      return prepare.call(this, text, ...rest);
    };
    const notes = await NotesService.start({ unlimited: true });
    try {
      await use(notes);
      const plans = await explained(notes, statements);
      expect(plans.size).to.be.above(150);
      const whole = [...plans].filter(([text]) => !ALLOWED.some((allowed) => allowed.test(text)));
      expect(whole.filter(([, plan]) => plan.some((step) => WHOLE.test(step)))).to.deep.equal([]);
      // Batch after batch, which each would sort all that is left.
      const batches = [...plans].filter(([text]) => /FROM unlisted\w* u\b/.test(text));
      expect(batches).to.have.length(2);
      for (const [text, plan] of batches) expect(plan.join('; '), text).not.to.include('ORDER BY');
      // For each of the languages of an item, which all rows of the item would be read for.
      const ofVariants = [...plans].filter(([text]) => text.includes('LEFT JOIN listed r'));
      expect(ofVariants).to.have.length.above(0);
      for (const [text, plan] of ofVariants)
        expect(plan, text).to.include('SEARCH r USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN');
      // Pages of the history of a variant: its changes are many.
      const histories = [...plans].filter(([text]) => text.includes('AS of_variant'));
      expect(histories).to.have.length(1);
      for (const [text, plan] of histories)
        expect(
          plan.filter((step) => step.startsWith('SEARCH change')),
          text,
        ).to.deep.equal(Array(2).fill(ORDERED));
      // Lists of jobs: each act of the console is one, and they are kept.
      const jobs = [...plans].filter(([text]) =>
        /FROM job j LEFT JOIN project p (?!.*j\.state = ).* LIMIT/s.test(text),
      );
      expect(jobs.map(([, [first]]) => first).sort()).to.deep.equal([
        ...Array(5).fill('SCAN job USING INDEX job_listing'),
        'SEARCH j USING INDEX job_kind (kind=? AND project=?)',
      ]);
      for (const [text, plan] of jobs) expect(plan.join('; '), text).not.to.include('ORDER BY');
      // Of acts those that run or are taken back.
      const acts = [...plans].filter(([text]) => /FROM job WHERE kind \|\| '' = /.test(text));
      expect(acts.map(([, [first]]) => first)).to.deep.equal(['MULTI-INDEX OR']);
      // What is allowed shows that such a plan is found.
      expect([...plans].some(([, plan]) => plan.some((step) => WHOLE.test(step)))).to.equal(true);
    } finally {
      sqlite3.Database.prototype.prepare = prepare;
      await notes.stop();
    }
  });

  it('read the change log from the beginning of an import that is removed, not all of it', async () => {
    const notes = await NotesService.start();
    const texts = new Set<string>();
    const { prepare } = sqlite3.Database.prototype;
    sqlite3.Database.prototype.prepare = function (this: sqlite3.Database, text: string, ...rest: never[]) {
      texts.add(text);
      return prepare.call(this, text, ...rest);
    };
    try {
      const { operations } = notes.service.core;
      const archive = await archiveOf(operations, notes.project);
      const project = randomUUID();
      const cut = Readable.from([archive.subarray(0, -2048)]);
      expect((await failure(() => importProject(operations, cut, { project }))).status).to.equal(400);
      const [text = ''] = [...texts].filter((one) => one.startsWith('UPDATE change'));
      const plan = await operations.storage.sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
      expect(plan[0]?.detail).to.equal('SEARCH change USING PRIMARY KEY (sequence>?)');
      const named = await operations.storage.sql.all(
        'SELECT object FROM change WHERE project NOT IN (SELECT number FROM project)',
      );
      expect(named).to.deep.equal([]);
    } finally {
      sqlite3.Database.prototype.prepare = prepare;
      await notes.stop();
    }
  });
});

/** Requests what the screens of the console and clients of the APIs do. */
async function use(notes: NotesService): Promise<void> {
  await notes.run((transaction) => replaceSitemap(transaction, [{ name: 'News' }]));
  const ids = [
    await notes.note('First', ['en', 'de']),
    await notes.note('Second'),
    await notes.note('Third'),
  ];
  const [first, second, third] = ids as [string, string, string];
  const objects = ids.map((id) => ({ item: { id }, language: { codename: 'en' } }));
  const publish = (id: string, body?: unknown) =>
    notes.manage('PUT', `items/${id}/variants/codename/en/publish`, body);
  expect(await publish(first)).to.equal(204);
  expect(await publish(second, { scheduled_to: '2999-01-01T00:00:00Z' })).to.equal(204);
  expect(await publish(third)).to.equal(204);
  const lists = [
    ...['', 'order=changed', 'order=type', 'order=state', 'type=note', 'type=note&order=elements.text'],
    ...['text=first', 'state=published', 'lacking=true', 'location=news', 'elements=text', 'beside=de'],
  ];
  const requested = [
    ...lists.map((query) => `content?counts=true&${query}`),
    ...['find?text=fi', 'find', 'schedules', 'schedules?from=2026-01-01&to=3000-01-01', 'attention', 'items'],
    ...['items?type=note&text=f', `items/${first}`, `items/${first}/used-in`, 'revisions', 'usage', 'assets'],
    `items/${first}/variants/${DEFAULT_LANGUAGE_ID}/history`,
    ...[
      '',
      'kind=act',
      'state=done',
      `project=${notes.project}`,
      `after=2_2026-01-01T00:00:00.000Z_${first}`,
    ].map((query) => `/jobs?${query}`),
    'exports',
  ];
  for (const path of requested) {
    const { status, body } = await notes.admin('GET', path);
    expect(status, `${path}: ${JSON.stringify(body)}`).to.equal(200);
  }
  for (const act of ['publish', 'unpublish', 'archive', 'cancel-schedule']) {
    const { status, body } = await notes.admin('POST', `acts/${act}?plan=true`, { objects });
    expect(status, `${act}: ${JSON.stringify(body)}`).to.equal(200);
  }
  for (const path of ['items', `items/${first}`, `items/${first}/variants`, 'types', 'assets'])
    expect(await notes.manage('GET', path), path).to.equal(200);
  const written: readonly (readonly [string, string, unknown?])[] = [
    ['PUT', `items/${first}/variants/codename/en/new-version`],
    [
      'PUT',
      `items/${first}/variants/codename/en`,
      { elements: [{ element: { codename: 'text' }, value: 'b' }] },
    ],
    ['PUT', `items/${third}/variants/codename/en/unpublish`],
    ['DELETE', `items/${third}`],
  ];
  for (const [method, path, body] of written)
    expect(await notes.manage(method, path, body), path).to.be.below(300);
  const orders = ['system.id', 'system.name[desc]', 'system.type', 'system.last_modified', 'elements.text'];
  for (const order of orders)
    for (const filter of [
      '',
      `&${order.replace('[desc]', '')}[gt]=a`,
      '&system.type=note&includeTotalCount',
    ]) {
      const path = `/delivery/${notes.project}/items?order=${order}${filter}`;
      const answer = await fetch(`${notes.service.url}${path}`);
      await answer.arrayBuffer();
      expect(answer.status, path).to.equal(200);
    }
}

/** Plans of the statements that read or change rows, by statement. */
async function explained(
  notes: NotesService,
  statements: ReadonlyMap<string, string>,
): Promise<Map<string, string[]>> {
  const { sql } = notes.service.core.operations.reader;
  const plans = new Map<string, string[]>();
  for (const [text, file] of statements) {
    if (!file.endsWith('headwater.db') || !/^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(text)) continue;
    const steps = await sql.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, []).catch(() => []);
    const tables = new Map(
      [...text.matchAll(/(?:FROM|JOIN)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?/g)].map(
        ([, table = '', alias = table]) => [alias, table],
      ),
    );
    const named = (detail: string) =>
      detail.replace(/^SCAN (\w+)(?! VIRTUAL)/, (_, alias: string) => `SCAN ${tables.get(alias) ?? alias}`);
    plans.set(
      text,
      steps.map(({ detail }) => named(detail)),
    );
  }
  return plans;
}
