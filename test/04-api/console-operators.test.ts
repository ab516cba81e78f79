/** What the console shows operators: attention, webhooks, jobs, audit, copies of projects, gateways. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createRole } from '../../core/access/roles.ts';
import { createItem } from '../../core/content/items.ts';
import { updateLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { until } from '../support/until.ts';
import { answering, type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

interface Part<Entry> {
  readonly count: number;
  readonly is_more: boolean;
  readonly entries: readonly Entry[];
}
interface Named {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
}
interface Attention {
  readonly scheduled: Part<{ item: Named; language: Named; at: string }>;
  readonly incomplete: Part<{ item: Named; language: Named; elements: string[] }>;
  readonly broken_links: Part<{ item: Named; to: Named }> & { readonly is_complete: boolean };
  readonly webhooks: Part<{ id: string; state: string }> | null;
  readonly keys: Part<{ id: string; tail: string }> | null;
  readonly failed_jobs: Part<{ kind: string; error: string }>;
  readonly recent: readonly { item: Named; operation: string }[];
}
interface JobJson {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly done: number;
  readonly total: number;
  readonly error: string | null;
}

describe('admin API: what operators see in the console', () => {
  let notes: NotesService;
  let receiver: Receiver;
  before(async () => {
    notes = await NotesService.start({
      unlimited: true,
      environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1' },
    });
    receiver = await startReceiver();
  });
  after(async () => {
    await notes.stop();
    await receiver.close();
  });
  const attention = async () => (await notes.admin<Attention>('GET', 'attention')).body;
  const publish = (id: string, at?: string) =>
    notes.manage('PUT', `items/${id}/variants/codename/en/publish`, at ? { scheduled_to: at } : undefined);

  describe('attention', () => {
    it('is empty where nothing needs it', async () => {
      const { broken_links, recent, ...parts } = await attention();
      for (const [name, part] of Object.entries(parts))
        expect(part, name).to.deep.equal({ count: 0, is_more: false, entries: [] });
      expect([broken_links.count, broken_links.is_complete, recent]).to.deep.equal([0, true, []]);
    });

    it('has what is scheduled for the next days, the next one first', async () => {
      const day = 86_400_000;
      const soon = new Date(Date.now() + 2 * day).toISOString();
      const [later, next, far] = [
        await notes.note('later'),
        await notes.note('next'),
        await notes.note('far'),
      ];
      expect(await publish(later!, soon)).to.equal(204);
      expect(await publish(next!, new Date(Date.now() + day).toISOString())).to.equal(204);
      expect(await publish(far!, new Date(Date.now() + 40 * day).toISOString())).to.equal(204);
      const { scheduled } = await attention();
      expect(scheduled.entries.map(({ item }) => item.name)).to.deep.equal(['next', 'later']);
      expect(scheduled.entries[1]).to.deep.include({ language: scheduled.entries[0]?.language });
      expect(Date.parse(scheduled.entries[1]!.at)).to.equal(Date.parse(soon));
    });

    it('has each kind of required element without a value, also where it became required later', async () => {
      const id = await notes.run(async (transaction) => {
        await createType(transaction, {
          name: 'Form',
          elements: (
            ['text', 'rich_text', 'number', 'date_time', 'asset', 'modular_content', 'custom'] as const
          ).map((type) => ({
            type,
            name: type,
            is_required: true,
            ...(type === 'custom' && { source_url: 'https://example.org/' }),
          })) as never,
        });
        const { id } = await createItem(transaction, { name: 'form', type: { codename: 'form' } });
        await upsertVariant(transaction, { id }, { codename: 'de' }, { elements: [] });
        return id;
      });
      const found = async () => (await attention()).incomplete.entries.find(({ item }) => item.id === id);
      const entry = await found();
      expect(entry?.language.codename).to.equal('de');
      expect([...(entry?.elements ?? [])].sort()).to.deep.equal(
        ['text', 'rich_text', 'number', 'date_time', 'asset', 'modular_content', 'custom'].sort(),
      );
      await notes.run((transaction) =>
        upsertVariant(
          transaction,
          { id },
          { codename: 'de' },
          {
            elements: [
              { element: { codename: 'text' }, value: '<p><br></p>' },
              { element: { codename: 'rich_text' }, value: '<p>words</p>' },
              { element: { codename: 'number' }, value: 0 },
            ],
          },
        ),
      );
      expect([...((await found())?.elements ?? [])].sort()).to.deep.equal(
        ['asset', 'custom', 'date_time', 'modular_content'].sort(),
      );
    });

    it('has links of public content to what is not public, until it is', async () => {
      const target = await notes.note('target');
      const from = await notes.note('from', ['en'], {
        element: { codename: 'links' },
        value: [{ id: target }],
      });
      const names = async () =>
        (await attention()).broken_links.entries.map(({ item, to }) => `${item.name} → ${to.name}`);
      expect(await names()).to.deep.equal([]);
      expect(await publish(from)).to.equal(204);
      expect(await names()).to.deep.equal(['from → target']);
      expect(await publish(target)).to.equal(204);
      expect(await names()).to.deep.equal([]);
      expect(await notes.manage('PUT', `items/${target}/variants/codename/en/unpublish`)).to.equal(204);
      expect(await names()).to.deep.equal(['from → target']);
      expect(await notes.manage('PUT', `items/${from}/variants/codename/en/unpublish`)).to.equal(204);
      expect(await names()).to.deep.equal([]);
    });

    it('has no links of content in a language that is not active', async () => {
      const german = { codename: 'de' };
      const target = await notes.note('both', ['en', 'de']);
      const value = [{ id: target }];
      const from = await notes.note('linking', ['de'], { element: { codename: 'links' }, value });
      for (const id of [target, from])
        expect(await notes.manage('PUT', `items/${id}/variants/codename/de/publish`)).to.equal(204);
      const found = async () => {
        const plan = await notes.admin<{ shown_by: Part<object> }>('POST', 'acts/unpublish?plan=true', {
          objects: [{ item: target, language: 'en' }],
        });
        return [(await attention()).broken_links.count, plan.body.shown_by.count];
      };
      expect(await publish(target)).to.equal(204);
      expect(await found()).to.deep.equal([0, 1]);
      await notes.run((transaction) => updateLanguage(transaction, german, { is_active: false }));
      expect(await found()).to.deep.equal([0, 0]);
      await notes.run((transaction) => updateLanguage(transaction, german, { is_active: true }));
    });

    it('names nothing that a person may not view', async () => {
      const { service, project } = notes;
      const hidden = await notes.run(async (transaction) => {
        await createType(transaction, { name: 'Secret', codename: 'secret', elements: [] });
        return (await createItem(transaction, { name: 'hidden', type: { codename: 'secret' } })).id;
      });
      const value = [{ id: hidden }];
      const from = await notes.note('shown', ['en'], { element: { codename: 'links' }, value });
      expect(await publish(from)).to.equal(204);
      const job = '00000000-0000-4000-8000-0000000000ab';
      await service.core.operations.storage.write((tx) =>
        tx.run(
          `INSERT INTO job (id, project, kind, subject, state, error, created, updated)
           SELECT ?, number, 'scheduled-publish', 'hidden/en', 'failed', 'The item hidden …', ?, ? FROM project WHERE id = ?`,
          [job, tx.now, tx.now, project],
        ),
      );
      const seenBy = async (name: string, limits: object) => {
        const role = { codename: name, name, permissions: ['view-content'], limits };
        const { id } = await service.core.operations.installation(null, (to) => createRole(to, role));
        const { browser } = await signInPerson(service, { name, projects: [{ id: project, roles: [id] }] });
        return (await browser.request<Attention>('GET', `admin/projects/${project}/attention`)).body;
      };
      const all = await seenBy('sees_all', {});
      expect(all.broken_links.entries.map(({ to }) => to.name)).to.deep.equal(['hidden']);
      expect(all.failed_jobs.count).to.equal(1);
      const some = await seenBy('sees_notes', {
        'view-content': { types: ['note'], languages: null },
      });
      expect(some.broken_links.entries.map(({ item, to }) => [item.name, to])).to.deep.equal([
        ['shown', { id: hidden, name: null, codename: null }],
      ]);
      expect(some.failed_jobs.count).to.equal(0);
      expect(JSON.stringify(some).replaceAll(hidden, '')).not.to.include('hidden');
      await service.core.operations.storage.write((tx) => tx.run('DELETE FROM job WHERE id = ?', [job]));
    });

    it('has failing webhooks, keys that expire soon, and failed jobs', async () => {
      receiver.behave('/attention', answering(500));
      const webhook = await notes.run(async (transaction) => {
        const { id } = await addWebhook(transaction, {
          name: 'Site',
          url: `${receiver.url}/attention`,
          contentChanges: [],
          workflowSteps: [],
        });
        return id;
      });
      await notes.admin('POST', 'management-keys', { user_id: notes.user, expires_in_days: 20 });
      await notes.service.core.operations.storage.write(async (tx) => {
        // Another job continues what a restart interrupts of the second one.
        for (const [end, kind, error] of [
          ['aa', 'import', 'It broke.'],
          ['ac', 'recompile', 'interrupted'],
        ] as const)
          await tx.run(
            `INSERT INTO job (id, project, kind, subject, state, error, created, updated)
             SELECT ?, number, ?, 'archive', 'failed', ?, ?, ? FROM project WHERE id = ?`,
            [`00000000-0000-4000-8000-0000000000${end}`, kind, error, tx.now, tx.now, notes.project],
          );
      });
      expect(await publish(await notes.note('for the webhook'))).to.equal(204);
      await notes.service.core.webhooks.settled();
      const { webhooks, keys, failed_jobs } = await attention();
      expect(webhooks?.entries).to.have.length(1);
      expect(webhooks?.entries[0]).to.include({ id: webhook, state: 'failing' });
      expect(keys?.count).to.equal(1);
      expect(failed_jobs.entries).to.have.length(1);
      expect(failed_jobs.entries[0]).to.include({ kind: 'import', error: 'It broke.' });
      expect(await notes.manage('DELETE', `webhooks/${webhook}`)).to.equal(204);
    });
  });

  describe('webhooks', () => {
    const registered = (path: string) =>
      notes.run(async (transaction) => {
        const { id } = await addWebhook(transaction, {
          name: 'Before',
          url: `${receiver.url}${path}`,
          secret: 'secret',
          contentChanges: [{ type: 'content_item_variant', operations: ['publish'] }],
          workflowSteps: [],
        });
        return id;
      });

    it('are changed: what is queued goes to the new URL, and the new triggers apply', async () => {
      receiver.behave('/old', answering(500));
      receiver.behave('/new', answering(200));
      const webhook = await registered('/old');
      const item = await notes.note('moves');
      expect(await publish(item)).to.equal(204);
      await notes.service.core.webhooks.settled();
      expect(receiver.at('/old')).to.have.length(1);
      const changed = await notes.admin<Record<string, unknown>>('PUT', `webhooks/${webhook}`, {
        name: 'After',
        url: `${receiver.url}/new`,
        triggers: {
          delivery_api_content_changes: [
            { type: 'content_item_variant', operations: ['unpublish', 'publish'] },
          ],
        },
      });
      expect(changed.status).to.equal(200);
      expect(changed.body).to.include({ name: 'After', url: `${receiver.url}/new` });
      await until(() => receiver.at('/new').length === 1);
      expect(await notes.manage('PUT', `items/${item}/variants/codename/en/unpublish`)).to.equal(204);
      await until(() => receiver.at('/new').length === 2);
      expect(receiver.at('/old')).to.have.length(1);
      const wrong = await notes.admin('PUT', `webhooks/${webhook}`, {
        name: '',
        url: 'ftp://example.org',
        triggers: { delivery_api_content_changes: [{ type: 'unknown' }] },
      });
      expect(wrong.status).to.equal(400);
      const { body } = await notes.admin<{ name: string }>('GET', `webhooks/${webhook}`);
      expect(body.name).to.equal('After');
      await notes.manage('DELETE', `webhooks/${webhook}`);
    });

    it('show body and headers as the receiver got them', async () => {
      receiver.behave('/shown', answering(200, 'thank you'));
      const webhook = await registered('/shown');
      expect(await publish(await notes.note('shown'))).to.equal(204);
      await until(() => receiver.at('/shown').length === 1);
      await notes.service.core.webhooks.settled();
      const [received] = receiver.at('/shown');
      interface Sent {
        readonly body: string;
        readonly attempts: readonly { headers: Record<string, string>; status: number; answer: string }[];
      }
      const path = `webhooks/${webhook}/notifications/${received?.id}`;
      const { status, body } = await notes.admin<Sent>('GET', path);
      expect(status).to.equal(200);
      expect(body.body).to.equal(received?.body);
      expect(body.attempts).to.have.length(1);
      expect(body.attempts[0]).to.include({ status: 200, answer: 'thank you' });
      // The time of sending may be the next second, and is part of one signature.
      for (const [name, value] of Object.entries(body.attempts[0]?.headers ?? {}))
        if (!['webhook-timestamp', 'webhook-signature'].includes(name))
          expect(received?.headers[name], name).to.equal(value);
      const unknown = `webhooks/${webhook}/notifications/6f3a1c62-0000-4000-8000-000000000000`;
      expect((await notes.admin('GET', unknown)).status).to.equal(404);
      await notes.manage('DELETE', `webhooks/${webhook}`);
    });
  });

  describe('jobs and the audit log', () => {
    it('are listed in pages: jobs by project, kind and state', async () => {
      interface Jobs {
        readonly jobs: readonly JobJson[];
        readonly pagination: { readonly next: string | null };
      }
      const list = async (query: string) => (await notes.admin<Jobs>('GET', `/jobs${query}`)).body;
      const all = (await list('')).jobs.map(({ id }) => id);
      expect(all.length).to.be.above(3);
      const paged: string[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const page: Jobs = await list(`?limit=1${after && `&after=${after}`}`);
        paged.push(...page.jobs.map(({ id }) => id));
        after = page.pagination.next;
      }
      expect(paged).to.deep.equal(all);
      const scheduled = await list(`?kind=scheduled-publish&project=${notes.project.toUpperCase()}`);
      expect(scheduled.jobs).to.have.length(3);
      expect((await list('?state=failed&kind=import')).jobs.map(({ error }) => error)).to.deep.equal([
        'It broke.',
      ]);
      expect((await list('?project=6f3a1c62-0000-4000-8000-000000000000')).jobs).to.deep.equal([]);
      for (const wrong of ['?state=lost', '?after=1_x_y'])
        expect((await notes.admin('GET', `/jobs${wrong}`)).status, wrong).to.equal(400);
    });

    it('are filtered: acts by person, part and time', async () => {
      interface Audit {
        readonly audit: readonly { act: string; actor: string; at: string }[];
      }
      const list = async (query: string) => (await notes.admin<Audit>('GET', `/audit?${query}`)).body.audit;
      await notes.admin('PUT', 'secure-access', { enabled: true });
      await notes.admin('PUT', 'secure-access', { enabled: false });
      const acts = await list('act=Secure-Access&actor=admin%20token');
      expect(acts.map(({ act }) => act)).to.deep.equal(
        Array.from({ length: 2 }, () => 'PUT projects/:project/secure-access'),
      );
      const [second, first] = acts.map(({ at }) => at);
      expect(await list(`act=secure-access&to=${second}`)).to.have.length(1);
      expect(await list(`act=secure-access&from=${first}`)).to.have.length(2);
      expect(await list('act=100%25')).to.deep.equal([]);
      expect(await list('actor=somebody')).to.deep.equal([]);
      expect((await notes.admin('GET', '/audit?from=yesterday')).status).to.equal(400);
    });
  });

  describe('copies of projects', () => {
    const exports = async () => (await notes.admin<{ exports: JobJson[] }>('GET', 'exports')).body.exports;
    const download = (job: string) =>
      fetch(`${notes.service.url}/admin/projects/${notes.project}/exports/${job}`, {
        headers: { authorization: `Bearer ${notes.service.adminToken}` },
      });

    it('export as a job, whose archive is imported again, and is removed', async () => {
      const started = await notes.admin<{ job: string }>('POST', 'exports');
      expect(started.status).to.equal(201);
      const { job } = started.body;
      await notes.service.core.operations.transfers.idle();
      expect((await exports()).find(({ id }) => id === job)).to.include({ state: 'done', error: null });
      const answer = await download(job);
      expect(answer.status).to.equal(200);
      const archive = Buffer.from(await answer.arrayBuffer());
      expect(answer.headers.get('content-length')).to.equal(String(archive.length));
      const imported = await fetch(`${notes.service.url}/admin/projects/import?id=${COPY}&name=Imported`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${notes.service.adminToken}`,
          'content-type': 'application/x-tar',
        },
        body: archive,
      });
      expect(imported.status).to.equal(201);
      await imported.arrayBuffer();
      const before = await notes.service.storedFiles();
      expect((await notes.admin('DELETE', `exports/${job}`)).status).to.equal(204);
      expect((await notes.service.storedFiles()).length).to.equal(before.length - 1);
      expect((await download(job)).status).to.equal(409);
      expect((await download('6f3a1c62-0000-4000-8000-000000000000')).status).to.equal(404);
      expect((await notes.admin('GET', `/projects/${COPY}/exports/${job}`)).status).to.equal(404);
    });

    it('clone a project: content and drafts are the same, keys and webhooks are its own', async () => {
      const { status, body } = await notes.admin<{ job: string; id: string }>('POST', 'clone', {
        name: 'Twin',
      });
      expect(status).to.equal(201);
      await notes.service.core.operations.transfers.idle();
      const job = (await notes.admin<JobJson>('GET', `/jobs/${body.job}`)).body;
      expect(job).to.include({ kind: 'clone', state: 'done', error: null });
      const items = async (project: string) =>
        (
          await notes.admin<{ items: { codename: string; languages: object[] }[] }>(
            'GET',
            `/projects/${project}/items`,
          )
        ).body.items.map(({ codename, languages }) => [codename, languages.length]);
      expect(await items(body.id)).to.deep.equal(await items(notes.project));
      const { keys } = (await notes.admin<{ keys: { kind: string }[] }>('GET', `/projects/${body.id}/keys`))
        .body;
      expect(keys.map(({ kind }) => kind).sort()).to.deep.equal(['preview-primary', 'preview-secondary']);
      expect((await notes.admin('POST', 'clone', { name: '' })).status).to.equal(400);
      expect((await notes.admin('POST', 'clone', {})).status).to.equal(400);
      const unknown = '/projects/6f3a1c62-0000-4000-8000-000000000000/clone';
      expect((await notes.admin('POST', unknown, { name: 'Twin' })).status).to.equal(404);
    });

    it('cancel leaves nothing of a clone', async () => {
      const { body } = await notes.admin<{ job: string; id: string }>('POST', 'clone', { name: 'Never' });
      const canceled = await notes.admin('DELETE', `/jobs/${body.job}`);
      await notes.service.core.operations.transfers.idle();
      const job = (await notes.admin<JobJson>('GET', `/jobs/${body.job}`)).body;
      // It may have been faster.
      expect([
        [204, 'canceled'],
        [409, 'done'],
      ]).to.deep.include([canceled.status, job.state]);
      const { projects } = (await notes.admin<{ projects: Named[] }>('GET', '/projects')).body;
      expect(projects.some(({ id }) => id === body.id)).to.equal(job.state === 'done');
    });
  });

  describe('gateways', () => {
    interface Gateway {
      readonly instance: string;
      readonly pipeline: Record<string, string[]>;
      readonly settings: readonly { path: string; value: unknown; origin: string }[];
      readonly figures: readonly { surface: string; requests: number; p95_ms: number }[];
      readonly health: { ok: boolean; parts: Record<string, { ok: boolean }> };
    }
    interface Watched {
      readonly gateways: readonly {
        readonly instance: string;
        readonly requests: readonly { number: number; at: string; path: string; status: number }[];
      }[];
    }

    it('report pipeline, effective settings with their origin, figures and health; secrets are hidden', async () => {
      await notes.published();
      const { gateways } = (await notes.admin<{ gateways: Gateway[] }>('GET', '/gateways')).body;
      expect(gateways.length).to.be.at.least(1);
      for (const { pipeline, settings, health } of gateways) {
        expect(pipeline['delivery']).to.include.members(['auth', 'response-cache', 'core-proxy']);
        const byPath = new Map(settings.map((setting) => [setting.path, setting]));
        expect(byPath.get('plugins.access-log.file')?.origin).to.equal('HEADWATER_PLUGINS__ACCESS_LOG__FILE');
        expect(byPath.get('plugins.auth.failures.perMinute')?.origin).to.equal('default');
        expect(byPath.get('adminToken')?.value ?? '(secret)').to.equal('(secret)');
        expect(JSON.stringify(settings)).not.to.include(notes.service.adminToken);
        expect(health.parts['gateway']).to.include({ ok: true });
      }
      const delivery = gateways
        .flatMap(({ figures }) => figures)
        .find(({ surface }) => surface === 'delivery');
      expect(delivery?.requests).to.be.at.least(1);
      expect(delivery?.p95_ms).to.be.above(0);
    });

    it('keep requests only while somebody watches, without their queries', async () => {
      const watch = async (after = '') =>
        (await notes.admin<Watched>('GET', `/gateways/requests${after && `?after=${after}`}`)).body.gateways;
      const before = await watch();
      expect(before.flatMap(({ requests }) => requests.map(({ path }) => path))).to.deep.equal([]);
      await fetch(`${notes.service.url}/delivery/${notes.project}/items?system.type=secret-in-query`);
      await fetch(`${notes.service.url}/delivery/${notes.project}/nothing`);
      let seen: Watched['gateways'][number]['requests'] = [];
      for (let tries = 0; tries < 100 && seen.length < 2; tries += 1) {
        await pause(20);
        seen = (await watch()).flatMap(({ requests }) =>
          requests.filter(({ path }) => path.startsWith('/delivery/')),
        );
      }
      expect(seen.map(({ path, status }) => [path.split('/').at(-1), status])).to.have.deep.members([
        ['items', 200],
        ['nothing', 404],
      ]);
      expect(JSON.stringify(seen)).not.to.include('secret-in-query');
      const later = new Date(Date.now() + 1000).toISOString();
      expect((await watch(later)).flatMap(({ requests }) => requests)).to.deep.equal([]);
      expect((await notes.admin('GET', '/gateways/requests?after=soon')).status).to.equal(400);
    });
  });
});

const COPY = '7f3a1c62-0000-4000-8000-000000000001';
