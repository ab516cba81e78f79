/** The history of variants, and plans of acts with what a person wants to know before, on both databases. */
import '../support/database/postgres-programs.ts';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { createItem, deleteItem } from '../../core/content/items.ts';
import { createSnippet } from '../../core/content/snippets.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { createType, deleteType } from '../../core/content/types.ts';
import { deleteVariant, restoreVariant, upsertVariant } from '../../core/content/variants.ts';
import type { ElementInput } from '../../core/model/inputs.ts';
import { actOnMany } from '../../core/publishing/act-on-many.ts';
import { type PlannedTarget, planTargets } from '../../core/publishing/plan-act.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../core/publishing/publish.ts';
import { schedulePublish } from '../../core/publishing/schedule.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { Cancellation } from '../../core/turns/cancellation.ts';
import { addWebhook, deleteWebhook } from '../../core/webhooks/registrations.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { failure } from '../support/failure.ts';
import { NotesService } from '../support/projects/notes-service.ts';

const FAR = '2999-01-01T00:00:00Z';

interface Entry {
  readonly operation: string;
  readonly version: number | null;
  readonly user: { readonly name: string } | null;
}

interface History {
  readonly history: readonly Entry[];
  readonly pagination: { readonly next: string | null };
}

interface Versioned {
  readonly draft: number | null;
  readonly published: number | null;
}

interface Version {
  readonly elements: readonly { readonly element: { readonly id: string }; readonly value: unknown }[];
  readonly references: readonly { readonly id: string; readonly name: string | null }[];
}

interface Named {
  readonly name?: string | null;
  readonly codename: string;
}

interface Found<T> {
  readonly count: number;
  readonly first: readonly T[];
}

interface Variant {
  readonly item: Named;
  readonly language: Named;
}

interface Plan {
  readonly version: string;
  readonly scheduled_to: string | null;
  readonly changes: Readonly<Record<string, number>>;
  readonly objects: readonly (Variant & {
    readonly is_included: boolean;
    readonly elements: readonly Named[] | null;
  })[];
  readonly dangling: Found<{ readonly from: Variant; readonly to: Named; readonly reason: string }>;
  readonly linked_drafts: Found<Variant>;
  readonly broken_links: Found<{ readonly from: Variant; readonly to: Named }>;
  readonly fallbacks: Found<{ readonly item: Named; readonly language: Named; readonly shows: Named | null }>;
  readonly violations: Found<{ readonly message: string }>;
  readonly shown_by: Found<Variant>;
  readonly webhook_count: number;
  readonly webhooks: readonly { readonly name: string }[];
}

/** Elements of the type `everything` in the order of their definition, twice with other values. */
const TEXTS = ['one', 'two – “drei”\n\n<b>&amp;</b> \u{1f6b2}'] as const;

for (const engine of ['sqlite', 'postgres'])
  describe(`versions and plans on ${engine}`, function () {
    this.timeout(60_000);
    let notes: NotesService;
    const former = process.env['HEADWATER_TEST_DATABASE'];
    before(async () => {
      process.env['HEADWATER_TEST_DATABASE'] = engine;
      notes = await NotesService.start();
      await notes.run(model);
    });
    after(async () => {
      if (former === undefined) delete process.env['HEADWATER_TEST_DATABASE'];
      else process.env['HEADWATER_TEST_DATABASE'] = former;
      await notes?.stop();
    });

    const asAnna = <T>(work: (transaction: ProjectTransaction) => Promise<T>) =>
      notes.service.core.operations.inProject(notes.project, notes.user, work);
    const idOf = (codename: string) =>
      notes.run(async ({ tx, model: { languages } }) => {
        const language = languages.find((one) => one.codename === codename);
        if (language) return language.id;
        const row = await tx.get<{ id: string }>('SELECT id FROM item WHERE codename = ?', [codename]);
        return row?.id ?? '';
      });
    const pathOf = async (item: string, language = 'en') =>
      `items/${await idOf(item)}/variants/${await idOf(language)}`;
    const history = async (item: string) =>
      (await notes.admin<History>('GET', `${await pathOf(item)}/history`)).body.history;
    const pagedHistory = async (item: string, limit: number) => {
      const path = `${await pathOf(item)}/history?limit=${limit}`;
      const entries: Entry[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const { body }: { body: History } = await notes.admin<History>('GET', `${path}&after=${next}`);
        entries.push(...body.history);
        next = body.pagination.next;
      }
      return entries;
    };
    const versioned = async (item: string) =>
      (await notes.admin<Versioned>('GET', `${await pathOf(item)}/draft`)).body;
    const restore = async (item: string, body: object) =>
      notes.admin<Versioned>('PUT', `${await pathOf(item)}/draft`, body);
    /** The bytes of a version. */
    const stored = (version: number | null) =>
      notes.run(async ({ tx }) => {
        const row = await tx.get<{ elements: string }>('SELECT elements FROM version WHERE number = ?', [
          version,
        ]);
        return row?.elements;
      });
    const write = (item: string, ...elements: ElementInput[]) =>
      notes.run((transaction) =>
        upsertVariant(transaction, { codename: item }, { codename: 'en' }, { elements }),
      );
    const text = (value: string): ElementInput => ({ element: { codename: 'text' }, value });
    const publish = (item: string, language = 'en') =>
      notes.run((transaction) => publishVariant(transaction, { codename: item }, { codename: language }));

    describe('the history of a variant', () => {
      it('says who did what when, with the version it is about, in pages', async () => {
        await notes.note('river');
        const english = { codename: 'en' };
        const river = { codename: 'river' };
        await asAnna((to) => upsertVariant(to, river, english, { elements: [text('Water')] }));
        await asAnna((to) => publishVariant(to, river, english));
        await asAnna((to) => newVersion(to, river, english));
        await asAnna((to) => upsertVariant(to, river, english, { elements: [text('More')] }));
        await asAnna((to) => schedulePublish(to, river, english, FAR));
        await asAnna((to) => unpublishVariant(to, river, english));
        const entries = await history('river');
        expect(entries.map(({ operation }) => operation)).to.deep.equal([
          'unpublish',
          'schedule',
          'upsert',
          'new_version',
          'publish',
          'upsert',
          'create',
        ]);
        const [, , third, , , second, first] = entries.map(({ version }) => version);
        expect(new Set([first, second, third]).size).to.equal(3);
        expect(entries.map(({ version }) => version)).to.deep.equal([
          third,
          third,
          third,
          second,
          second,
          second,
          first,
        ]);
        expect(entries.map(({ user }) => user?.name ?? null)).to.deep.equal([
          ...Array.from({ length: 6 }, () => 'Anna'),
          null,
        ]);
        expect(await versioned('river')).to.deep.include({ draft: third, published: null });

        expect(await pagedHistory('river', 2)).to.deep.equal(entries);
      });

      it('says which version is about what, where one commit wrote several', async () => {
        const english = { codename: 'en' };
        const mouth = { codename: 'mouth' };
        await notes.run(async (to) => {
          await createItem(to, { name: 'mouth', type: { codename: 'note' } });
          await upsertVariant(to, mouth, english, { elements: [text('Water')] });
          await publishVariant(to, mouth, english);
          await newVersion(to, mouth, english);
          await upsertVariant(to, mouth, english, { elements: [text('More')] });
        });
        const { draft, published } = await versioned('mouth');
        expect(draft).to.not.equal(published);
        expect((await history('mouth')).map(({ operation, version }) => [operation, version])).to.deep.equal([
          ['upsert', draft],
          ['new_version', published],
          ['publish', published],
          ['create', published],
        ]);
        expect(await pagedHistory('mouth', 1)).to.deep.equal(await history('mouth'));

        await publish('mouth');
        await notes.run(({ tx }) => tx.run('DELETE FROM version WHERE number = ?', [published]));
        expect((await history('mouth')).map(({ operation, version }) => [operation, version])).to.deep.equal([
          ['publish', draft],
          ['upsert', draft],
          ['new_version', null],
          ['publish', null],
          ['create', null],
        ]);
      });

      it('has the versions that are older than the change log', async () => {
        await notes.note('brook');
        await write('brook', text('b'));
        await write('brook', text('c'));
        const known = await history('brook');
        await notes.run(async ({ tx }) => {
          const rows = await tx.all<{ sequence: number }>(
            'SELECT DISTINCT sequence FROM version ORDER BY sequence',
          );
          await tx.run('DELETE FROM change WHERE sequence < ?', [rows.at(-1)?.sequence ?? 0]);
        });
        expect((await history('brook')).map(({ version }) => version)).to.deep.equal(
          known.map(({ version }) => version),
        );
      });

      it('does not name a version that is no longer kept, nor another one in its place', async () => {
        await notes.note('lake');
        await write('lake', text('gone'));
        const gone = (await versioned('lake')).draft;
        await publish('lake');
        await notes.run((to) => newVersion(to, { codename: 'lake' }, { codename: 'en' }));
        await write('lake', text('here'));
        await publish('lake');
        await notes.run(({ tx }) => tx.run('DELETE FROM version WHERE number = ?', [gone]));
        const entries = await history('lake');
        const here = (await versioned('lake')).published;
        expect(entries.map(({ operation, version }) => `${operation} ${version}`)).to.deep.equal([
          `publish ${here}`,
          `upsert ${here}`,
          'new_version null',
          'publish null',
          'upsert null',
          `create ${entries.at(-1)?.version}`,
        ]);
        const { status } = await notes.admin('GET', `${await pathOf('lake')}/versions/${gone}`);
        expect(status).to.equal(404);
      });

      it('shows what a person wrote in one sitting as one', async () => {
        await notes.note('pond');
        const english = { codename: 'en' };
        for (const value of ['p', 'po', 'pond'])
          await asAnna((to) => upsertVariant(to, { codename: 'pond' }, english, { elements: [text(value)] }));
        const [last, folded, other] = await history('pond');
        expect(await history('pond')).to.have.length(4);
        await notes.run(({ tx }) =>
          tx.run('DELETE FROM version WHERE number IN (?, ?)', [folded?.version ?? 0, other?.version ?? 0]),
        );
        const entries = await history('pond');
        expect(entries.map(({ operation, version }) => `${operation} ${version}`)).to.deep.equal([
          `upsert ${last?.version}`,
          `create ${entries[1]?.version}`,
        ]);
        expect(await pagedHistory('pond', 1)).to.deep.equal(entries);
      });

      it('shows a version with the names of what it refers to', async () => {
        const { browser: operator } = await signInPerson(notes.service, { name: 'Olga', isOperator: true });
        const [entry] = await history('all');
        const { body } = await notes.admin<Version>(
          'GET',
          `${await pathOf('all')}/versions/${entry?.version}`,
        );
        expect(body.elements).to.have.length(11);
        const linked = await idOf('linked');
        expect(body.references).to.deep.include({ kind: 'item', id: linked, name: 'Linked' });
        const role = await operator.request<{ id: string }>('POST', 'admin/roles', {
          codename: 'everything_only',
          name: 'Everything only',
          permissions: ['view-content'],
          limits: { 'view-content': { types: ['everything'], languages: null } },
        });
        const projects = [{ id: notes.project, roles: [role.body.id] }];
        const { browser } = await signInPerson(notes.service, { name: 'Limited', projects });
        const limited = await browser.request<Version>(
          'GET',
          `admin/projects/${notes.project}/${await pathOf('all')}/versions/${entry?.version}`,
        );
        expect(limited.body.references).to.deep.include({ kind: 'item', id: linked, name: null });
      });
    });

    describe('restoring', () => {
      it('a version returns exactly what was stored, of every kind of element', async () => {
        const before = await versioned('all');
        const bytes = await stored(before.draft);
        await notes.run((to) => writeAll(to, 1));
        const changed = await versioned('all');
        expect(await stored(changed.draft)).to.not.equal(bytes);
        const { status, body } = await restore('all', { version: before.draft });
        expect(status).to.equal(200);
        expect(body.draft).to.be.above(changed.draft ?? 0);
        expect(await stored(body.draft)).to.equal(bytes);
        // And back again: it can be undone.
        const undone = await restore('all', { version: changed.draft });
        expect(await stored(undone.body.draft)).to.equal(await stored(changed.draft));
        expect((await history('all'))[0]?.operation).to.equal('restore_version');
      });

      it('an element changes no byte of the others', async () => {
        const first = (await history('all')).at(-1)?.version ?? 0;
        const old = JSON.parse((await stored(first)) ?? '');
        const fields = await notes.run(
          async ({ model }) => model.types.find(({ codename }) => codename === 'everything')?.fields ?? [],
        );
        for (const { element } of fields) {
          const before = JSON.parse((await stored((await versioned('all')).draft)) ?? '');
          expect(before[element.id], element.codename).to.not.deep.equal(old[element.id]);
          const { body } = await restore('all', {
            version: first,
            elements: [element.id.toUpperCase()],
          });
          const text = await stored(body.draft);
          expect(text, element.codename).to.equal(
            JSON.stringify({ ...before, [element.id]: old[element.id] }),
          );
        }
        expect(await stored((await versioned('all')).draft)).to.equal(await stored(first));
      });

      it('a version returns what it had when the model has lost parts of it', async () => {
        const id = 'bbbbbbbb-0000-4000-8000-000000000001';
        await notes.run(async (to) => {
          await createType(to, { name: 'Short lived', elements: [{ type: 'text', name: 'Text' }] });
          await createItem(to, { name: 'Old', type: { codename: 'everything' } });
        });
        const body = (value: string, components: object[]) =>
          ({ element: { codename: 'body' }, value, components }) as ElementInput;
        await write(
          'old',
          body(`<p>See</p><object data-type="component" data-id="${id}"></object>`, [
            { id, type: { codename: 'short_lived' }, elements: [text('inside')] },
          ]),
        );
        const first = (await versioned('old')).draft;
        await write('old', body('<p>Nothing</p>', []));
        await notes.run((to) => deleteType(to, { codename: 'short_lived' }));
        const restored = await restore('old', { version: first });
        expect(restored.status, JSON.stringify(restored.body)).to.equal(200);
        expect(await stored(restored.body.draft)).to.equal(await stored(first));
        expect(await notes.manage('GET', `items/codename/old/variants/codename/en`)).to.equal(200);
      });

      it('an element is refused where its component is in another one since', async () => {
        const id = 'bbbbbbbb-0000-4000-8000-000000000002';
        await notes.run(async (to) => {
          const elements = ['Intro', 'Body'].map((name) => ({ type: 'rich_text' as const, name }));
          await createType(to, { name: 'Story', elements });
          await createItem(to, { name: 'Moved', type: { codename: 'story' } });
        });
        const value = `<object data-type="component" data-id="${id}"></object>`;
        const component = { id, type: { codename: 'note' }, elements: [text('inside')] };
        const element = (codename: string, isIn: boolean) =>
          ({
            element: { codename },
            value: isIn ? value : '<p>x</p>',
            components: isIn ? [component] : [],
          }) as ElementInput;
        await write('moved', element('intro', true), element('body', false));
        const { draft: first } = await versioned('moved');
        await write('moved', element('intro', false), element('body', true));
        const { draft } = await versioned('moved');
        const { fields } = (await notes.run(async ({ model }) =>
          model.types.find(({ codename }) => codename === 'story'),
        ))!;
        const [intro, body] = fields.map(({ element: { id: one } }) => one);
        const refused = await restore('moved', { version: first, elements: [intro] });
        expect(refused.status).to.equal(400);
        expect(JSON.stringify(refused.body)).to.include(
          `The component '${id}' has moved to another element since`,
        );
        expect((await versioned('moved')).draft).to.equal(draft);
        const both = await restore('moved', { version: first, elements: [intro, body] });
        expect(await stored(both.body.draft)).to.equal(await stored(first));
      });

      it('gives a published variant a draft, and readers see no change', async () => {
        await notes.note('bay');
        const { draft: first } = await versioned('bay');
        await write('bay', text('new'));
        await publish('bay');
        const { published } = await versioned('bay');
        const { body } = await restore('bay', { version: first });
        expect(body.published).to.equal(published);
        expect(body.draft).to.not.equal(published);
        expect(await stored(body.draft)).to.equal(await stored(first));
        const answer = await fetch(`${notes.service.url}/delivery/${notes.project}/items/bay`);
        const { item } = (await answer.json()) as { item: { elements: { text: { value: string } } } };
        expect(item.elements.text.value).to.equal('new');
      });

      it('what is there already writes nothing; what does not exist is refused', async () => {
        const before = await history('bay');
        const { draft } = await versioned('bay');
        expect((await restore('bay', { version: draft })).body.draft).to.equal(draft);
        expect(await history('bay')).to.deep.equal(before);
        const other = (await versioned('lake')).published;
        expect((await restore('bay', { version: other })).status).to.equal(404);
        expect((await restore('bay', { version: draft, elements: ['title'] })).status).to.equal(400);
        expect((await restore('bay', { version: -1 })).status).to.equal(400);
        expect(await history('bay')).to.deep.equal(before);
      });

      it('is refused where the variant changed since it was read', async () => {
        const url = `${notes.service.url}/admin/projects/${notes.project}/${await pathOf('bay')}/draft`;
        const headers = {
          authorization: `Bearer ${notes.service.adminToken}`,
          'content-type': 'application/json',
        };
        const read = await fetch(url, { headers });
        const etag = read.headers.get('etag') ?? '';
        const { published } = (await read.json()) as Versioned;
        await write('bay', text('changed meanwhile'));
        const put = (tag: string) =>
          fetch(url, {
            method: 'PUT',
            headers: { ...headers, 'if-match': tag },
            body: JSON.stringify({ version: published }),
          });
        const { draft } = await versioned('bay');
        expect((await put(etag)).status).to.equal(412);
        expect((await versioned('bay')).draft).to.equal(draft);
        const now = (await fetch(url, { headers })).headers.get('etag') ?? '';
        const done = await put(now);
        expect(done.status).to.equal(200);
        expect(done.headers.get('etag')).to.be.a('string').that.does.not.equal(now);
      });
    });

    describe('a plan', () => {
      const links = (...items: string[]): Promise<ElementInput> =>
        Promise.all(items.map(idOf)).then((ids) => ({
          element: { codename: 'links' },
          value: ids.map((id) => ({ id })),
        }));
      const variants = async (language: string, ...items: string[]) => ({
        objects: await Promise.all(
          items.map(async (item) => ({ item: { id: await idOf(item) }, language: { codename: language } })),
        ),
      });
      const plan = async (act: string, body: object) => {
        const answer = await notes.admin<Plan>('POST', `acts/${act}?plan=true`, body);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        return answer.body;
      };
      const perform = (act: string, body: object) =>
        notes.admin<{ id: string; message: string }>('POST', `acts/${act}`, body);
      const named = ({ item, language }: Variant) => `${item.codename}/${language?.codename}`;

      before(async () => {
        // A chain of drafts: a links b and c, b links d.
        for (const name of ['d', 'c']) await notes.note(name);
        await notes.note('b', ['en'], await links('d'));
        await notes.note('a', ['en'], await links('b', 'c'));
        await notes.run(async (to) => {
          const url = 'https://example.org/hook';
          const variant = (operations: string[]) => [{ type: 'content_item_variant', operations }];
          const workflowSteps = [
            { type: 'content_item_variant', transitionsTo: [{ id: '8e172e83-945e-43c2-affd-5b0c725f986c' }] },
          ];
          await addWebhook(to, { name: 'All', url, contentChanges: [], workflowSteps: [] });
          await addWebhook(to, {
            name: 'Gone',
            url,
            contentChanges: variant(['unpublish']),
            workflowSteps: [],
          });
          await addWebhook(to, { name: 'Step', url, contentChanges: [], workflowSteps });
        });
      });

      it('says what is linked and not public, and publishes all of it with one word', async () => {
        const body = await variants('en', 'a');
        const alone = await plan('publish', body);
        expect(alone.dangling.first.map(({ to, reason }) => `${to.codename} ${reason}`)).to.have.members([
          'b unpublished',
          'c unpublished',
        ]);
        expect(alone.linked_drafts.first.map(named)).to.have.members(['b/en', 'c/en']);
        expect(alone.webhooks.map(({ name }) => name)).to.deep.equal(['All', 'Step']);
        expect(alone.scheduled_to).to.equal(null);

        const with_linked = { ...body, include_linked: true };
        const whole = await plan('publish', with_linked);
        expect(whole.dangling.count + whole.linked_drafts.count).to.equal(0);
        expect(whole.objects.map((one) => `${named(one)} ${one.is_included}`)).to.have.members([
          'a/en false',
          'b/en true',
          'c/en true',
          'd/en true',
        ]);
        const done = await perform('publish', { ...with_linked, plan: whole.version });
        expect(done.status, done.body.message).to.equal(201);
        expect(await notes.published()).to.include.members(['a', 'b', 'c', 'd']);
        // All of it is one act: it is taken back as one.
        await notes.admin('DELETE', `acts/publish/${done.body.id}`);
        expect(await notes.published()).to.not.include.members(['d']);
        await perform('publish', with_linked);
      });

      it('names no webhooks and no items of other types to whom the roles do not show them', async () => {
        await notes.run(async (to) => {
          await createItem(to, { name: 'Secret', type: { codename: 'strict' } });
        });
        await notes.note('e0');
        await notes.note('open', ['en'], await links('secret', 'e0'));
        const limit = { types: ['note'], languages: null };
        const role = await notes.admin<{ id: string }>('POST', '/roles', {
          codename: 'noter',
          name: 'Noter',
          permissions: ['view-content', 'publish'],
          limits: { 'view-content': limit, publish: limit },
        });
        const projects = [{ id: notes.project, roles: [role.body.id] }];
        const { browser } = await signInPerson(notes.service, { name: 'Noter', projects });
        const path = `admin/projects/${notes.project}/acts/publish?plan=true`;
        const { status, body } = await browser.request<Plan>('POST', path, await variants('en', 'open'));
        expect(status, JSON.stringify(body)).to.equal(200);
        expect(body.dangling.first.map(({ to }) => [to.name, to.codename])).to.have.deep.members([
          [null, null],
          ['e0', 'e0'],
        ]);
        expect([body.webhook_count, body.webhooks]).to.deep.equal([2, []]);
        const all = await plan('publish', await variants('en', 'open'));
        expect(all.dangling.first.map(({ to }) => [to.name, to.codename])).to.have.deep.members([
          ['Secret', 'secret'],
          ['e0', 'e0'],
        ]);
        expect([all.webhook_count, all.webhooks.length]).to.deep.equal([2, 2]);
      });

      it('that followed links is done as it was made, or not at all', async () => {
        await notes.note('h');
        await notes.note('g', ['en'], await links('h'));
        const { objects } = await variants('en', 'g');
        const request = {
          act: 'publish',
          input: { includeLinked: true },
          selection: {
            path: 'objects',
            objects,
          },
        } as const;
        const plannedNow = () => notes.run((to) => planTargets(to, request));
        const act = (planned: readonly PlannedTarget[]) =>
          notes.run(async (to) => {
            const statements: string[] = [];
            const all = to.tx.all.bind(to.tx);
            to.tx.all = (text, parameters) => {
              statements.push(text);
              return all(text, parameters);
            };
            await actOnMany(
              to,
              { ...request, selection: { planned, path: 'objects' } },
              { owner: notes.service.core.operations.storage.owner.id },
            );
            return statements;
          });
        const followed = /AS language FROM item i JOIN variant v/;
        const before = await plannedNow();
        expect(before.map(({ isIncluded }) => isIncluded === true)).to.deep.equal([false, true]);
        await write('h', text('someone else wrote this'));
        expect((await failure(() => act(before))).message).to.match(/changed while its links were followed/);
        expect(await notes.published()).to.not.include.members(['g']);
        const statements = await act(await plannedNow());
        expect(statements.length).to.be.above(0);
        expect(statements.filter((one) => followed.test(one))).to.deep.equal([]);
        expect(await notes.published()).to.include.members(['g', 'h']);
      });

      it('stops where its caller is gone', async () => {
        const gone = new Cancellation();
        gone.abort(new Error('gone'));
        const request = {
          surface: 'admin',
          method: 'POST',
          path: `/projects/${notes.project}/acts/publish`,
          query: 'plan=true',
          headers: { 'content-type': 'application/json' },
          bases: { self: '', assets: '' },
          principal: { kind: 'admin' },
          requestId: 'one',
        } as const;
        const send = (signal?: Cancellation) =>
          notes.service.core.handle({
            ...request,
            ...(signal && { signal }),
            body: Readable.from([Buffer.from('{"filter":"type=note"}')]),
          });
        expect((await send()).status).to.equal(200);
        expect((await failure(() => send(gone))).message).to.match(/cancelled/);
      });

      it('says what changes for readers, and who else shows it', async () => {
        await notes.run((to) => newVersion(to, { codename: 'd' }, { codename: 'en' }));
        expect((await plan('publish', await variants('en', 'd'))).objects[0]?.elements).to.deep.equal([]);
        await write('d', text('other words'));
        const { objects, changes, shown_by, fallbacks } = await plan('publish', await variants('en', 'd'));
        expect(changes).to.deep.equal({ replace: 1 });
        expect(objects[0]?.elements?.map(({ codename }) => codename)).to.deep.equal(['text']);
        expect(shown_by.count).to.equal(1);
        expect(shown_by.first.map(named)).to.deep.equal(['b/en']);
        // German has no variant of its own.
        expect(
          fallbacks.first.map(({ language, shows }) => `${language.codename} shows ${shows?.codename}`),
        ).to.deep.equal(['de shows en']);
        const later = await plan('schedule', { ...(await variants('en', 'd')), scheduled_to: FAR });
        expect(later.scheduled_to).to.match(/^2999-01-01T00:00:00/);
        expect(later.objects[0]?.elements?.map(({ codename }) => codename)).to.deep.equal(['text']);
      });

      it('of unpublishing, archiving and deleting says which links break and which languages lose it', async () => {
        for (const [act, body, webhooks] of [
          ['unpublish', await variants('en', 'c'), ['All', 'Gone']],
          ['archive', await variants('en', 'c'), ['All']],
          ['archive', { objects: [{ item: { id: await idOf('c') } }] }, ['All']],
        ] as const) {
          const found = await plan(act, body);
          expect(
            found.broken_links.first.map(({ from, to }) => `${named(from)} → ${to.codename}`),
          ).to.deep.equal(['a/en → c']);
          expect(found.shown_by.first.map(named)).to.deep.equal(['a/en']);
          expect(found.webhooks.map(({ name }) => name)).to.deep.equal(webhooks);
          expect(found.objects[0]?.elements).to.equal(null);
        }
      });

      it('of restoring names the webhooks for the steps to which the variants come back', async () => {
        const hooks = async (act: string, objects: object[]) =>
          (await plan(act, { objects })).webhooks.map(({ name }) => name);
        const steps = (id: string) => [{ type: 'content_item_variant', transitionsTo: [{ id }] }];
        const drafts = await notes.run((to) =>
          addWebhook(to, {
            name: 'Drafts',
            url: 'https://example.org/hook',
            contentChanges: [{ type: 'content_item_variant', operations: ['unpublish'] }],
            workflowSteps: steps('d5492dce-fa30-416e-be33-f2afa061988b'),
          }),
        );
        // English is public with a newer draft, German only a draft.
        await notes.note('back', ['en', 'de']);
        await publish('back');
        await notes.run((to) => newVersion(to, { codename: 'back' }, { codename: 'en' }));
        const item = { item: { id: await idOf('back') } };
        const english = { ...item, language: { codename: 'en' } };
        await notes.run((to) => deleteVariant(to, item.item, { codename: 'en' }));
        expect(await hooks('restore', [english])).to.deep.equal(['All', 'Drafts']);
        await notes.run((to) => restoreVariant(to, item.item, { codename: 'en' }));
        await notes.run((to) => deleteItem(to, { codename: 'back' }));
        expect(await hooks('restore', [item])).to.deep.equal(['All', 'Drafts']);
        await notes.run((to) => deleteWebhook(to, drafts.id));
      });

      it('of a schedule names no webhooks for the step Scheduled where it only gets another time', async () => {
        const transitionsTo = [{ id: '87c3a39a-f4ec-4046-9a53-8465c43f5d38' }];
        const scheduled = await notes.run((to) =>
          addWebhook(to, {
            name: 'Scheduled',
            url: 'https://example.org/hook',
            contentChanges: [{ type: 'content_item_variant', operations: ['unpublish'] }],
            workflowSteps: [{ type: 'content_item_variant', transitionsTo }],
          }),
        );
        await notes.note('later');
        const body = { ...(await variants('en', 'later')), scheduled_to: FAR };
        const hooks = async () => (await plan('schedule', body)).webhooks.map(({ name }) => name);
        expect(await hooks()).to.deep.equal(['All', 'Scheduled', 'Step']);
        await notes.run((to) => schedulePublish(to, { codename: 'later' }, { codename: 'en' }, FAR));
        expect(await hooks()).to.deep.equal(['All', 'Step']);
        await notes.run((to) => deleteWebhook(to, scheduled.id));
      });

      it('lists what is incomplete', async () => {
        await notes.run(async (to) => {
          await createItem(to, { name: 'Empty', type: { codename: 'strict' } });
          await upsertVariant(to, { codename: 'empty' }, { codename: 'en' }, { elements: [] });
        });
        const { violations } = await plan('publish', await variants('en', 'empty'));
        expect(violations.first[0]?.message).to.contain("'needed'");
      });

      it('and the act agree: what changed since is said, and nothing is done', async () => {
        await notes.note('e');
        await notes.note('f', ['en'], await links('e'));
        await publish('e');
        const body = await variants('en', 'f');
        const refused = async (version: string, reason: RegExp) => {
          const { status, body: answer } = await perform('publish', { ...body, plan: version });
          expect(status).to.equal(409);
          expect(answer.message).to.match(reason);
          expect(await notes.published()).to.not.include('f');
        };
        const first = await plan('publish', body);
        await write('f', text('someone else wrote this'));
        await refused(
          first.version,
          /out of date: other content would change, or other versions of it\. Nothing/,
        );
        const second = await plan('publish', body);
        await notes.run((to) => unpublishVariant(to, { codename: 'e' }, { codename: 'en' }));
        await refused(second.version, /what the content links to/);
        const third = await plan('publish', body);
        await notes.run((to) =>
          addWebhook(to, {
            name: 'New',
            url: 'https://example.org/new',
            contentChanges: [],
            workflowSteps: [],
          }),
        );
        await refused(third.version, /other webhooks/);
        const fourth = await plan('publish', body);
        // Something else changed, which the plan is not about.
        await notes.note('unrelated');
        expect((await perform('publish', { ...body, plan: fourth.version })).status).to.equal(201);
      });
    });

    async function model(to: ProjectTransaction): Promise<void> {
      await createTaxonomy(to, { name: 'Moods', terms: [{ name: 'Glad' }, { name: 'Sad' }] });
      await createSnippet(to, { name: 'Meta', elements: [{ type: 'text', name: 'Summary' }] });
      await createType(to, {
        name: 'Strict',
        elements: [{ type: 'text', name: 'Needed', is_required: true }],
      });
      await createType(to, {
        name: 'Everything',
        elements: [
          { type: 'text', name: 'Text' },
          { type: 'rich_text', name: 'Body' },
          { type: 'number', name: 'Amount' },
          { type: 'date_time', name: 'Day' },
          {
            type: 'multiple_choice',
            name: 'Choice',
            mode: 'multiple',
            options: [{ name: 'Red' }, { name: 'Blue' }],
          },
          { type: 'asset', name: 'Files' },
          { type: 'modular_content', name: 'Links' },
          { type: 'taxonomy', name: 'Mood', taxonomy_group: { codename: 'moods' } },
          { type: 'url_slug', name: 'Slug', depends_on: { element: { codename: 'text' } } },
          { type: 'custom', name: 'Map', source_url: 'https://example.org/map' },
          { type: 'snippet', snippet: { codename: 'meta' } },
        ],
      });
      await createItem(to, { name: 'Linked', type: { codename: 'note' } });
      await createItem(to, { name: 'All', type: { codename: 'everything' } });
      await writeAll(to, 0);
    }

    async function writeAll(to: ProjectTransaction, at: 0 | 1): Promise<void> {
      const row = await to.tx.get<{ id: string }>(`SELECT id FROM item WHERE codename = 'linked'`);
      const linked = row?.id ?? '';
      const component = 'aaaaaaaa-0000-4000-8000-000000000001';
      const object = `<object type="application/${'service'}" data-type="component" data-id="${component}"></object>`;
      const value = (codename: string, given: unknown, more: object = {}) =>
        ({ element: { codename }, value: given, ...more }) as ElementInput;
      const note = {
        id: component,
        type: { codename: 'note' },
        elements: [value('text', TEXTS[at])],
      };
      await upsertVariant(
        to,
        { codename: 'all' },
        { codename: 'en' },
        {
          elements: [
            value('text', TEXTS[at]),
            at === 0
              ? value('body', `<p>One <a data-item-id="${linked}">link</a></p>${object}`, {
                  components: [note],
                })
              : value('body', `<h2>Two</h2>${object}<p>more</p>`, { components: [note] }),
            value('amount', at + 0.5),
            value('day', `2030-01-0${at + 1}T00:00:00Z`),
            value('choice', [{ codename: at === 0 ? 'red' : 'blue' }]),
            value('files', [{ external_id: `file-${at}` }]),
            value('links', at === 0 ? [{ id: linked }] : []),
            value('mood', [{ codename: at === 0 ? 'glad' : 'sad' }]),
            value('slug', `slug-${at}`, { mode: 'custom' }),
            value('map', JSON.stringify({ zoom: at })),
            value('meta__summary', TEXTS[1 - at]),
          ],
        },
      );
    }
  });
