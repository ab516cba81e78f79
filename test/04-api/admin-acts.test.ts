/** Acts on many objects: planned, all or none, taken back. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createItem } from '../../core/content/items.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { findWorkflowStep } from '../../core/content/workflow.ts';
import { ActJobs } from '../../core/publishing/act-jobs.ts';
import { insertObjects, startAct, UNDO_DAYS } from '../../core/publishing/act-on-many.ts';
import { ActRetention } from '../../core/publishing/act-retention.ts';
import { timestamp } from '../../core/storage/timestamp.ts';
import type { MovedItem } from '../../core/webhooks/message.ts';
import { WebhookQueueStore } from '../../core/webhooks/queues/webhook-queue-store.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { AWAY, failingWrites } from '../support/database/failing-writes.ts';
import { longTest } from '../support/long-form.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { until } from '../support/until.ts';

const FAR = '2999-01-01T00:00:00Z';
/** All moves between steps of the workflow. */
const STEPS = [{ type: 'content_item_variant', transitionsTo: [] }];

interface Named {
  readonly codename: string;
}

interface Findings<T> {
  readonly count: number;
  readonly first: readonly T[];
}

interface Plan {
  readonly total: number;
  readonly is_job: boolean;
  readonly changes: Readonly<Record<string, number>>;
  readonly objects: readonly {
    readonly item: Named;
    readonly language: Named | null;
    readonly change: string;
  }[];
  readonly dangling: Findings<{ readonly to: { readonly codename: string | null } }>;
  readonly broken_links: Findings<{ readonly from: { readonly item: Named }; readonly to: Named }>;
  readonly fallbacks: Findings<{
    readonly item: Named;
    readonly language: Named;
    readonly shows: Named | null;
  }>;
  readonly violations: Findings<{ readonly message: string; readonly path: string }>;
}

interface Act {
  readonly id: string;
  readonly state: string;
  readonly done: number;
  readonly total: number;
  readonly error: string | null;
  readonly can_undo: boolean;
}

interface Items {
  readonly items: readonly {
    readonly codename: string;
    readonly archived: string | null;
    readonly languages: readonly {
      readonly language: Named;
      readonly state: string;
      readonly scheduled_to: string;
    }[];
  }[];
}

const act = (codename: string) => codename.replace('_', '-');

describe('admin API: acts on many objects', () => {
  let notes: NotesService;
  const ids = new Map<string, string>();
  before(async () => {
    notes = await NotesService.start();
    await notes.run(async (transaction) => {
      await createType(transaction, {
        name: 'Strict',
        elements: [{ type: 'text', name: 'Text', is_required: true }],
      });
      await replaceSitemap(transaction, [{ name: 'News' }, { name: 'Shop' }]);
    });
    for (const name of ['one', 'two', 'three']) ids.set(name, await notes.note(name, ['en', 'de']));
    const value = [{ id: ids.get('one')! }];
    ids.set('linking', await notes.note('linking', ['en'], { element: { codename: 'links' }, value }));
  });
  after(() => notes.stop());

  const variants = (language: string, ...names: string[]) =>
    names.map((name) => ({ item: ids.get(name)!, language }));
  const items = (...names: string[]) => names.map((name) => ({ item: ids.get(name)! }));
  const plan = async (name: string, body: object) => {
    const answer = await notes.admin<Plan>('POST', `acts/${act(name)}?plan=true`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const perform = async (name: string, body: object) => {
    const { total } = await plan(name, body);
    const answer = await notes.admin<Act>('POST', `acts/${act(name)}`, { ...body, expected: total });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    expect(answer.body).to.include({ state: 'done', done: total, total });
    return answer.body;
  };
  const undo = (name: string, { id }: Act) => notes.admin<Act>('DELETE', `acts/${act(name)}/${id}`);
  /** What the admin API and readers see of everything. */
  const seen = async () => {
    const { body } = await notes.admin<Items>('GET', 'items');
    const states = body.items.map(({ codename, languages }) => [
      codename,
      ...languages.map(
        ({ language, state, scheduled_to }) => `${language.codename} ${state} ${scheduled_to}`,
      ),
    ]);
    return { states, en: await notes.published('en'), de: await notes.published('de') };
  };

  it('plan what they then do, and are undone to the state before', async () => {
    await perform('publish', { objects: variants('en', 'one', 'two', 'linking') });
    expect(await notes.published()).to.have.members(['one', 'two', 'linking']);
    for (const [name, body, changes] of [
      [
        'publish',
        { objects: [...variants('de', 'one'), ...variants('en', 'one', 'three')] },
        { publish: 2, none: 1 },
      ],
      ['schedule', { objects: variants('de', 'one', 'two'), scheduled_to: FAR }, { publish: 2 }],
      ['unpublish', { objects: variants('en', 'one', 'three') }, { unpublish: 1, none: 1 }],
      ['archive', { objects: [...variants('de', 'two'), ...variants('en', 'linking')] }, { archive: 2 }],
      ['archive', { objects: items('one', 'two') }, { archive: 2 }],
      ['move', { objects: items('one', 'two'), sitemap_locations: ['shop'] }, { move: 2 }],
      ['change_step', { objects: variants('en', 'one'), workflow_step: 'draft' }, { new_version: 1 }],
      ['change_step', { objects: variants('de', 'one'), workflow_step: 'archived' }, { archive: 1 }],
    ] as const) {
      const before = await seen();
      expect((await plan(name, body)).changes, name).to.deep.equal(changes);
      expect(await seen(), name).to.deep.equal(before);
      const done = await perform(name, body);
      expect(done.can_undo).to.equal(true);
      if (name !== 'move') expect(await seen(), name).not.to.deep.equal(before);
      const isGone = name === 'archive' || 'workflow_step' in body;
      if (!isGone) expect((await plan(name, body)).total, name).to.equal(name === 'schedule' ? 2 : 0);
      const undone = await undo(name, done);
      expect(undone.body, name).to.include({ state: 'canceled', done: 0, can_undo: false });
      expect(await seen(), name).to.deep.equal(before);
      expect((await undo(name, done)).status).to.equal(409);
    }
  });

  it('restore what is archived, and cancel schedules', async () => {
    const before = await seen();
    const archived = await perform('archive', { objects: items('one', 'three') });
    expect((await plan('restore', { filter: 'state=archived' })).changes).to.deep.equal({ restore: 2 });
    await perform('restore', { filter: 'state=archived' });
    expect(await seen()).to.deep.equal(before);
    // Restored in the meantime: nothing is left to undo.
    expect((await undo('archive', archived)).body).to.include({ done: 2 });
    const objects = variants('de', 'one', 'two');
    await perform('schedule', { objects, scheduled_to: FAR });
    const canceled = await perform('cancel_schedule', { objects });
    expect(await seen()).to.deep.equal(before);
    await undo('cancel_schedule', canceled);
    const { body } = await notes.admin<{ schedules: { schedule: string; item: Named }[] }>(
      'GET',
      'schedules?from=2998-12-31&to=2999-01-02',
    );
    expect(body.schedules.map(({ item }) => item.codename)).to.deep.equal(['one', 'two']);
    // Together, as they were.
    expect(new Set(body.schedules.map(({ schedule }) => schedule)).size).to.equal(1);
    for (const range of [`from=${FAR}&to=${FAR}`, 'to=2998-12-31', 'from=2999-01-01T00:00:01Z'])
      expect((await notes.admin<typeof body>('GET', `schedules?${range}`)).body.schedules).to.deep.equal([]);
    await perform('cancel_schedule', { filter: 'language=de&state=scheduled' });
    expect(await seen()).to.deep.equal(before);
  });

  it('restore only the languages that are meant, and undo that', async () => {
    const archived = await perform('archive', { objects: items('two') });
    const before = await seen();
    const german = await perform('restore', { objects: variants('de', 'two') });
    const states = (await seen()).states.find(([codename]) => codename === 'two') ?? [];
    expect(states.slice(1).map((state) => state.replace(' null', ''))).to.have.members([
      'en archived',
      'de draft',
    ]);
    expect(await notes.published()).not.to.include('two');
    expect((await undo('restore', german)).body).to.include({ state: 'canceled', done: 0 });
    expect(await seen()).to.deep.equal(before);
    await undo('archive', archived);
    expect(await notes.published()).to.include('two');
  });

  it('show which links break, and which readers get another language', async () => {
    await notes.run(async ({ tx, project }) => {
      await tx.run(
        `UPDATE language SET fallback = (SELECT id FROM language WHERE project = ? AND is_default = 1) WHERE project = ? AND is_default = 0`,
        [project.number, project.number],
      );
    });
    const away = await plan('unpublish', { objects: variants('en', 'one') });
    expect(away.broken_links.first.map(({ from, to }) => [from.item.codename, to.codename])).to.deep.equal([
      ['linking', 'one'],
    ]);
    const together = await plan('archive', { objects: items('one', 'linking') });
    expect(together.broken_links.count).to.equal(0);
    const fallbacks = ({ fallbacks: { first } }: Plan) =>
      first.map(({ item, language, shows }) => [item.codename, language.codename, shows?.codename ?? null]);
    expect(fallbacks(await plan('publish', { objects: variants('en', 'three') }))).to.deep.equal([
      ['three', 'de', 'en'],
    ]);
    expect(fallbacks(await plan('publish', { objects: variants('de', 'one') }))).to.deep.equal([]);
  });

  it('do nothing where one cannot be done, or the plan is out of date', async () => {
    const before = await seen();
    const strict = await notes.run(async (transaction) => {
      const { id } = await createItem(transaction, { name: 'strict', type: { codename: 'strict' } });
      await upsertVariant(transaction, { id }, { codename: 'en' }, { elements: [] });
      return { item: id, language: 'en' };
    });
    const objects = [...variants('en', 'three'), strict];
    const planned = await plan('publish', { objects });
    expect(planned.violations.first.map(({ path }) => path)).to.deep.equal(['objects[1].elements.text']);
    for (const name of ['publish', 'schedule']) {
      const body = { objects, ...(name === 'schedule' && { scheduled_to: FAR }) };
      expect((await notes.admin('POST', `acts/${name}`, body)).status).to.equal(400);
    }
    await notes.admin('POST', `items/${strict.item}/archive`);
    const three = variants('en', 'three');
    for (const [name, body, status] of [
      ['publish', { objects: three, expected: 2 }, 409],
      ['publish', { objects: [...three, ...three] }, 400],
      ['publish', { objects: [...three, { item: 'unknown', language: 'en' }] }, 400],
      ['publish', { objects: [...three, strict] }, 400],
      ['publish', { objects: items('three') }, 400],
      ['publish', { objects: three, filter: '' }, 400],
      ['publish', {}, 400],
      ['publish', { objects: [] }, 400],
      ['publish', { objects: three, scheduled_to: FAR }, 400],
      ['publish', { filter: 'state=lost' }, 400],
      ['publish', { filter: '', languages: ['fr'] }, 404],
      ['schedule', { objects: three }, 400],
      ['schedule', { objects: three, scheduled_to: 'soon' }, 400],
      ['move', { objects: three, sitemap_locations: ['shop'] }, 400],
      ['move', { objects: items('three'), sitemap_locations: ['lost'] }, 400],
      ['change_step', { objects: three, workflow_step: 'published' }, 400],
    ] as const)
      expect((await notes.admin('POST', `acts/${act(name)}`, body)).status, JSON.stringify(body)).to.equal(
        status,
      );
    const after = await seen();
    expect(after.states.filter(([codename]) => codename !== 'strict')).to.deep.equal(before.states);
    expect(after.en).to.deep.equal(before.en);
  });

  it('leave alone at an undo what somebody changed since', async () => {
    const done = await perform('unpublish', { objects: variants('en', 'one', 'two') });
    const elements = [{ element: { codename: 'text' }, value: 'changed since' }];
    const variant = `items/${ids.get('two')}/variants/codename/en`;
    expect(await notes.manage('PUT', variant, { elements })).to.equal(200);
    expect((await undo('unpublish', done)).body).to.include({ state: 'canceled', done: 1 });
    expect(await notes.published()).to.have.members(['one', 'linking']);
  });

  it('archive an item together with a translation of one that links to it', async () => {
    const page = await notes.run(async (transaction) => {
      await createType(transaction, { name: 'Page', elements: [{ type: 'rich_text', name: 'Body' }] });
      return (await createItem(transaction, { name: 'page', type: { codename: 'page' } })).id;
    });
    const target = await notes.note('target');
    for (const codename of ['en', 'de']) {
      const value = codename === 'en' ? '<p>x</p>' : `<p><a data-item-id="${target}" href="">x</a></p>`;
      const elements = [{ element: { codename: 'body' }, value }];
      await notes.run((transaction) => upsertVariant(transaction, { id: page }, { codename }, { elements }));
    }
    const ofPage = (language: string) => ({ item: page, language });
    const ofTarget = { item: target, language: 'en' };
    await perform('publish', { objects: [ofPage('en'), ofPage('de'), ofTarget] });
    const links = async () => {
      await notes.service.core.operations.settled();
      const answer = await fetch(`${notes.service.url}/delivery/${notes.project}/items/page?language=de`);
      const { item } = (await answer.json()) as { item: { elements: { body: { links: object } } } };
      return Object.keys(item.elements.body.links);
    };
    expect(await links()).to.deep.equal([target]);
    const archived = await perform('archive', { objects: [ofPage('en'), ofTarget] });
    expect(await links()).to.deep.equal([]);
    await undo('archive', archived);
    expect(await links()).to.deep.equal([target]);
    await perform('archive', { objects: [{ item: page }, { item: target }] });
  });

  it('are undone with notifications of the steps that variants move to', async () => {
    const { storage } = notes.service.core.operations;
    const [webhook, queue] = await notes.run(async (transaction) => {
      const input = { name: 'All', url: 'https://example.com/', contentChanges: [], workflowSteps: STEPS };
      const { id } = await addWebhook(transaction, input);
      await transaction.tx.run('UPDATE webhook SET enabled = 0 WHERE id = ?', [id]);
      const row = await transaction.tx.get<{ number: number }>(
        'SELECT number FROM webhook_lane WHERE webhook = ?',
        [id],
      );
      return [id, row?.number ?? 0];
    });
    let seen = 0;
    const moves = async () => {
      const all = await new WebhookQueueStore(storage).upcoming(queue, 1000);
      const fresh = all.slice(seen).filter(({ message }) => message.operation === 'change_workflow_step');
      seen = all.length;
      const name = (step: string) => findWorkflowStep({ id: step })?.codename;
      return fresh.flatMap(({ message }) =>
        (message.items as MovedItem[]).map(({ from, to }) => `${name(from)} → ${name(to)}`),
      );
    };
    ids.set('moved', await notes.note('moved', ['en', 'de']));
    const objects = variants('en', 'moved');
    const published = 'draft → published';
    for (const [name, body, forth, back, stays] of [
      ['publish', {}, [published], ['published → draft'], false],
      ['archive', {}, ['draft → archived'], ['archived → draft'], false],
      ['publish', {}, [published], [], true],
      ['change_step', { workflow_step: 'draft' }, ['published → draft'], [published], false],
      ['change_step', { workflow_step: 'draft' }, ['published → draft'], [], true],
      ['unpublish', {}, [], [], false],
    ] as const) {
      const done = await perform(name, { objects, ...body });
      expect(await moves(), name).to.deep.equal(forth);
      if (stays) continue;
      await undo(name, done);
      expect(await moves(), `undo of ${name}`).to.deep.equal(back);
    }
    await notes.run(({ tx }) => tx.run('DELETE FROM webhook WHERE id = ?', [webhook]));
  });

  describe('above a thousand', () => {
    const COUNT = 1100;
    const filter = 'text=many';
    before(() =>
      notes.run(async (transaction) => {
        for (let at = 0; at < COUNT; at += 1) {
          const { id } = await createItem(transaction, {
            name: `many ${String(at).padStart(4, '0')}`,
            type: { codename: at === COUNT - 1 ? 'strict' : 'note' },
          });
          await upsertVariant(transaction, { id }, { codename: 'en' }, { elements: [] });
        }
      }),
    );
    const begin = async (name: string, body: object) => {
      const answer = await notes.admin<Act>('POST', `acts/${act(name)}`, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
      return answer.body;
    };
    const state = async ({ id }: Act) => (await notes.admin<Act>('GET', `acts/${id}`)).body;
    const ended = async (job: Act) => {
      await until(async () => {
        await notes.service.core.operations.settled();
        return (await state(job)).state !== 'running';
      });
      return state(job);
    };
    const count = async (query: string) => (await plan('unpublish', { filter: query })).total;

    it('a job checks everything before the first change', async () => {
      const { is_job, total, violations } = await plan('publish', { filter });
      expect({ is_job, total, violations: violations.count }).to.deep.equal({
        is_job: true,
        total: COUNT,
        violations: 1,
      });
      const failed = await ended(await begin('publish', { filter }));
      expect(failed).to.include({ state: 'failed', done: 0 });
      expect(failed.error).to.include('many_1099');
      expect(await count(filter)).to.equal(0);
      const strict = { filter: 'type=strict&text=many' };
      await perform('archive', strict);
    });

    it('a job reaches all of them, and is undone', async () => {
      const more = { filter };
      await notes.run(async (transaction) => {
        const { id } = await createItem(transaction, { name: 'many more', type: { codename: 'note' } });
        await upsertVariant(transaction, { id }, { codename: 'en' }, { elements: [] });
      });
      const done = await ended(await begin('publish', { ...more, expected: COUNT }));
      expect(done).to.include({ state: 'done', done: COUNT, total: COUNT, can_undo: true });
      expect(await count(filter)).to.equal(COUNT);
      const undone = await undo('publish', done);
      expect(undone.status).to.equal(202);
      await notes.service.core.operations.settled();
      expect(await state(done)).to.include({ state: 'canceled', done: 0, can_undo: false });
      expect(await count(filter)).to.equal(0);
    });

    it('a canceled job takes back what it did', async () => {
      const job = await begin('publish', { filter });
      const canceled = await undo('publish', job);
      expect(canceled.status).to.equal(202);
      await notes.service.core.operations.settled();
      expect(await state(job)).to.include({ state: 'canceled', done: 0 });
      expect(await count(filter)).to.equal(0);
    });

    it('a move to the archived step needs the permission to delete all of them', async () => {
      interface Roles {
        readonly roles: readonly { readonly id: string; readonly codename: string }[];
      }
      const { body } = await notes.admin<Roles>('GET', '/roles');
      const roles = body.roles.flatMap(({ id, codename }) => (codename === 'contributor' ? [id] : []));
      const projects = [{ id: notes.project, roles }];
      const { browser } = await signInPerson(notes.service, { name: 'Contributor', projects });
      for (const query of ['', '?plan=true']) {
        const path = `admin/projects/${notes.project}/acts/change-step${query}`;
        const answer = await browser.request('POST', path, { filter, workflow_step: 'archived' });
        expect(answer.status, query).to.equal(403);
        expect(answer.body['message']).to.include("do not include 'delete-content'");
      }
    });

    const fail = (error: unknown) => {
      throw error;
    };
    /** An act on all of them that has not begun. */
    const startedAct = async () => {
      const { storage, read } = notes.service.core.operations;
      const rows = await storage.sql.all<{ number: number }>(
        `SELECT number FROM item WHERE name LIKE 'many%' AND archived IS NULL`,
      );
      const job = await notes.run((transaction) => {
        const { total, owner } = { total: rows.length, owner: storage.owner.id };
        return startAct(transaction, { act: 'publish', input: {} }, { total, owner });
      });
      const language = await read(notes.project, async ({ model }) => model.languages[0]!.number);
      return { job, objects: rows.map(({ number }) => ({ item: number, language })) };
    };
    /** The same that ends after its first change, as a killed process does. */
    const interruptedAct = async () => {
      const { storage, read, inProject } = notes.service.core.operations;
      const { job, objects } = await startedAct();
      let transactions = 0;
      const interrupted = new ActJobs(
        {
          storage,
          read,
          inProject: async (...call) => {
            const result = await inProject(...call);
            // The first one enters the objects.
            if (++transactions === 2) void interrupted.close();
            return result;
          },
        },
        false,
        fail,
      );
      interrupted.run(job, objects);
      await interrupted.idle();
      expect(await state({ id: job } as Act)).to.include({ state: 'running', done: 200 });
      expect(await count(filter)).to.equal(200);
      return { id: job } as Act;
    };

    longTest('what a job did before the database was away is taken back once it answers', async () => {
      const { storage, read, inProject } = notes.service.core.operations;
      const { job, objects } = await startedAct();
      let transactions = 0;
      const errors: unknown[] = [];
      const jobs = new ActJobs(
        {
          storage: failingWrites(storage, 2),
          read,
          async inProject(...call) {
            transactions += 1;
            // The second change, and the first that is taken back.
            if (transactions === 3 || transactions === 4) throw AWAY;
            return inProject(...call);
          },
        },
        false,
        (error) => errors.push(error),
      );
      jobs.run(job, objects);
      await jobs.idle();
      expect(await state({ id: job } as Act)).to.include({ state: 'failed', done: 0, error: AWAY.message });
      expect(await count(filter)).to.equal(0);
      expect(errors).to.deep.equal([AWAY, AWAY, AWAY]);
    });

    it('what an ended process did is taken back by another one', async () => {
      const { operations } = notes.service.core;
      const job = await interruptedAct();
      await operations.storage.write((tx) =>
        tx.run(`UPDATE job SET owner = 'ended' WHERE id = ? AND state = 'running'`, [job.id]),
      );
      const other = new ActJobs(operations, false, fail);
      // Several cores wait a moment before they take a process for ended that none of them has seen.
      await until(async () => {
        await other.takeOver();
        await other.idle();
        return (await state(job)).state !== 'running';
      });
      const end = await state(job);
      expect(end).to.include({ state: 'failed', done: 0 });
      expect(end.error).to.include('taken back');
      expect(await count(filter)).to.equal(0);
    });

    it('a job that was canceled before its first change, by a process that ended, is canceled', async () => {
      const { operations } = notes.service.core;
      const { job, objects } = await startedAct();
      await notes.run(async (transaction) => {
        await insertObjects(transaction, job, objects);
        await transaction.tx.run(`UPDATE job SET state = 'canceled', owner = NULL WHERE id = ?`, [job]);
      });
      const canceled = { id: job } as Act;
      expect(await state(canceled)).to.include({ state: 'taking_back' });
      const other = new ActJobs(operations, false, fail);
      await other.takeOver();
      await other.idle();
      expect(await state(canceled)).to.include({ state: 'canceled', done: 0 });
    });

    it('what an ended process did in a project that was archived since is taken back', async () => {
      const { operations } = notes.service.core;
      const job = await interruptedAct();
      const archive = (archived: string | null) =>
        operations.storage.write(async (tx) => {
          await tx.run('UPDATE project SET archived = ? WHERE id = ?', [archived, notes.project]);
          await tx.run('UPDATE job SET owner = NULL WHERE id = ?', [job.id]);
        });
      await archive(timestamp(Date.now()));
      const other = new ActJobs(operations, false, fail);
      await other.takeOver();
      await other.idle();
      await archive(null);
      expect(await state(job)).to.include({ state: 'failed', done: 0 });
      expect(await count(filter)).to.equal(0);
    });

    it('what an act had done in a backup is taken back when that is restored', async () => {
      const { storage, settled } = notes.service.core.operations;
      const job = await interruptedAct();
      const folder = await mkdtemp(join(tmpdir(), 'headwater-acts-'));
      try {
        const copy = join(folder, 'copy.db');
        await storage.copyTo(copy);
        // This process is still the owner of the act in the copy.
        await storage.replaceWith(copy);
        await until(async () => {
          await settled();
          return (await state(job)).state === 'failed';
        });
      } finally {
        await rm(folder, { recursive: true });
      }
      const end = await state(job);
      expect(end).to.include({ state: 'failed', done: 0 });
      expect(end.error).to.include('taken back');
      await settled();
      expect(await count(filter)).to.equal(0);
    });

    it('are read before the transaction that starts the act', async () => {
      const { storage } = notes.service.core.operations;
      const { write } = storage;
      const statements: string[] = [];
      storage.write = (work, share) =>
        write.call(
          storage,
          (tx) => {
            const all = tx.all.bind(tx);
            tx.all = (text, parameters) => {
              statements.push(text);
              return all(text, parameters);
            };
            return work(tx);
          },
          share,
        ) as never;
      try {
        const job = await begin('schedule', { filter, scheduled_to: FAR });
        storage.write = write;
        await ended(job);
        await undo('schedule', job);
        await notes.service.core.operations.settled();
      } finally {
        storage.write = write;
      }
      expect(statements.filter((text) => text.includes('listed'))).to.deep.equal([]);
    });

    longTest('are scheduled together again by an undo', async () => {
      const { operations } = notes.service.core;
      await ended(await begin('schedule', { filter, scheduled_to: FAR }));
      const schedules = () =>
        operations.storage.sql.all<{ schedule: string; count: number }>(
          'SELECT schedule, count(*) AS count FROM variant WHERE schedule IS NOT NULL GROUP BY schedule ORDER BY schedule',
        );
      const before = await schedules();
      const canceled = await ended(await begin('cancel_schedule', { filter }));
      expect(await schedules()).to.deep.equal([]);
      await undo('cancel_schedule', canceled);
      await operations.settled();
      expect(await schedules()).to.deep.equal(before);
      await ended(await begin('cancel_schedule', { filter }));
    });

    longTest(
      'of which variants are archived are restored once by an undo, whatever their transactions',
      async () => {
        const { operations } = notes.service.core;
        await notes.run(async (transaction) => {
          const rows = await transaction.tx.all<{ id: string }>(
            `SELECT id FROM item WHERE name LIKE 'many%' AND archived IS NULL`,
          );
          for (const { id } of rows.slice(0, 150))
            await upsertVariant(transaction, { id }, { codename: 'de' }, { elements: [] });
        });
        const before = await seen();
        const restored = async () =>
          (
            await operations.storage.sql.get<{ count: number }>(
              `SELECT count(*) AS count FROM change WHERE type = 'content_item' AND operation = 'restore'`,
            )
          )?.count ?? 0;
        const count = await restored();
        // Those with two languages lie across the ends of transactions of 200.
        const archived = await ended(await begin('archive', { filter, languages: ['de', 'en'] }));
        expect(archived).to.include({ state: 'done' });
        expect((await undo('archive', archived)).status).to.equal(202);
        await operations.settled();
        expect(await state(archived)).to.include({ state: 'canceled', done: 0 });
        expect(await seen()).to.deep.equal(before);
        expect((await restored()) - count).to.equal(COUNT);
      },
    );

    it('of acts that can no longer be undone are removed, and so are the acts', async () => {
      const { storage } = notes.service.core.operations;
      const recent = await perform('move', { objects: items('three'), sitemap_locations: ['news'] });
      const rows = (table: string) =>
        storage.sql.all<{ job: string }>(`SELECT DISTINCT job FROM ${table} WHERE job <> ?`, [recent.id]);
      expect(await rows('act')).not.to.deep.equal([]);
      expect(await rows('act_object')).not.to.deep.equal([]);
      const later = new Date(Date.now() + (UNDO_DAYS + 1) * 86_400_000);
      await storage.write(async (tx) => {
        await tx.run('UPDATE act SET created = ? WHERE job = ?', [timestamp(later), recent.id]);
        await tx.run('UPDATE job SET updated = ? WHERE id = ?', [timestamp(later), recent.id]);
      });
      await new ActRetention({ storage, clock: () => later, failed: fail }, UNDO_DAYS).removeOld();
      expect(await rows('act')).to.deep.equal([]);
      expect(await rows('act_object')).to.deep.equal([]);
      expect((await undo('move', recent)).status).to.equal(200);
    });
  });
});
