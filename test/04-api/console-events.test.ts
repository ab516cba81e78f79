/** The event stream of the console: what others do, presence, jobs, resuming, and its end. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../config/load-config.ts';
import { addPerson } from '../../core/access/people.ts';
import { listPresence } from '../../core/access/presence.ts';
import { createProject } from '../../core/access/projects.ts';
import { createLink } from '../../core/access/sign-in-links.ts';
import { createUser, updateUser } from '../../core/access/users.ts';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { startJob } from '../../core/jobs/jobs.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import { startCore } from '../../gateway/roles/core.ts';
import { startGateway } from '../../gateway/roles/gateway.ts';
import { readFromCore } from '../../plugins/console/read-from-core.ts';
import { plugins } from '../../plugins/registry.ts';
import { ConsoleBrowser } from '../support/console/console-browser.ts';
import { EventReader } from '../support/console/event-reader.ts';
import { hasAllTests } from '../support/long-form.ts';
import { INTERNAL_TOKEN } from '../support/service/role-processes.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const TAB = 'abcdef11-1111-4111-8111-111111111111';
const LANGUAGE = '00000000-0000-0000-0000-000000000000';

// The streams of several gateways, below, come from a core over HTTP as well.
for (const isOverHttp of hasAllTests ? [false, true] : [false])
  describe(`the event stream of the console${isOverHttp ? ', with gateway and core as two processes' : ''}`, () => {
    let service: RunningService;
    let ada: { readonly id: string; readonly browser: ConsoleBrowser };
    let grace: typeof ada;
    const projects: { id: string; item: string }[] = [];
    const readers: EventReader[] = [];

    before(async () => {
      service = await startService({
        isOverHttp,
        environment: { HEADWATER_PLUGINS__SESSION__LIMITS__SECOND: '1000' },
      });
      for (const name of ['One', 'Two']) {
        const { id } = await service.core.operations.installation(null, (to) => createProject(to, { name }));
        const item = await service.core.operations.inProject(id, null, async (to) => {
          await createType(to, { name: 'Note', codename: 'note', elements: [] });
          return createItem(to, { name: 'First', type: { codename: 'note' } });
        });
        projects.push({ id, item: item.id });
      }
      ada = await person('Ada', true);
      grace = await person('Grace', false, [{ id: projects[0]!.id, capabilities: ['manage-content'] }]);
    });
    after(async () => {
      for (const reader of readers) reader.close();
      await service.stop();
    });

    /** A user with a session. */
    async function person(name: string, isOperator: boolean, own: readonly object[] = []) {
      const email = `${name}@example.org`;
      const { id, token } = await service.core.operations.installation(null, async (to) => {
        const { id: account } = await createUser(to, { name, email, projects: own } as never);
        await addPerson(to, { account, email, isOperator });
        return { id: account, token: await createLink(to, account) };
      });
      const browser = new ConsoleBrowser(service.url);
      expect((await browser.request('POST', 'session/link', { token })).status).to.equal(201);
      return { id, browser };
    }
    const open = async (by: { readonly browser: ConsoleBrowser }, lastId?: string) => {
      const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
      const reader = await EventReader.open(service.url, by.browser.cookie, headers);
      readers.push(reader);
      await reader.find('ready');
      return reader;
    };
    const rename = async (at: number, name: string) => {
      const { id, item } = projects[at]!;
      await service.core.operations.inProject(id, ada.id, (to) =>
        updateItem(to, { id: item }, { name, sitemap_locations: [] }),
      );
    };
    const changesOf = (reader: EventReader) =>
      reader.named('change').flatMap(({ data }) => data.changes.map(({ id }) => id));

    it('needs a session, and is neither compressed nor stored', async () => {
      const refused = await EventReader.open(service.url, undefined);
      expect(refused.response.statusCode).to.equal(401);
      const reader = await open(ada);
      expect(reader.response.statusCode).to.equal(200);
      expect(reader.response.headers).to.include({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
      });
      expect(reader.response.headers['content-encoding']).to.equal(undefined);
      reader.close();
    });

    it('reports what was changed, of which kind, and by whom', async () => {
      const reader = await open(ada);
      await rename(0, 'Renamed');
      const { id, data } = await reader.find('change');
      expect(data).to.deep.include({ project: projects[0]!.id });
      expect(data.changes).to.deep.equal([
        {
          kind: 'content_item',
          operation: 'upsert',
          id: projects[0]!.item,
          actor: { id: ada.id, name: 'Ada' },
        },
      ]);
      expect(data.tags.join()).to.match(/\bitem:/);
      expect(id).to.match(new RegExp(`^[\\w-]+\\.${data.sequence}$`));
      reader.close();
    });

    it('resumes behind any event without a gap, and once each', async () => {
      const first = await open(ada);
      await rename(0, 'A');
      await first.find('change');
      first.close();
      await rename(1, 'B');
      await rename(0, 'C');
      const resumed = await open(ada, first.lastId);
      await rename(1, 'D');
      await resumed.find('change', () => resumed.named('change').length === 3);
      const sequences = resumed.named('change').map(({ data }) => data.sequence);
      expect(sequences).to.deep.equal(
        [1, 2, 3].map((more) => first.named('change')[0]!.data.sequence + more),
      );
      expect(resumed.named('resync')).to.have.length(0);
      resumed.close();
    });

    it('asks to read everything again where the change log does not hold what is missing', async () => {
      const reader = await open(ada);
      const [epoch] = reader.lastId.split('.');
      reader.close();
      for (const id of [`${epoch}.999999`, 'another-epoch.1']) {
        const other = await open(ada, id);
        await other.find('resync');
        expect(other.named('change')).to.have.length(0);
        other.close();
      }
      await service.core.operations.storage.write((tx) =>
        tx.run('DELETE FROM change WHERE sequence < 4', []),
      );
      const old = await open(ada, `${epoch}.1`);
      await old.find('resync');
      old.close();
    });

    it('reports only what the roles permit', async () => {
      const [operator, reader] = [await open(ada), await open(grace)];
      await rename(1, 'Hidden');
      await service.core.operations.installation(ada.id, (to) =>
        createUser(to, { name: 'X', email: 'x@x.org' }),
      );
      await ada.browser.request('POST', `admin/projects/${projects[0]!.id}/keys/preview-primary/regenerate`);
      await rename(0, 'Visible');
      await reader.find('change');
      await operator.find('change', ({ changes }) => changes[0]?.id === projects[0]!.item);
      expect(changesOf(reader)).to.deep.equal([projects[0]!.item]);
      expect(
        operator.named('change').flatMap(({ data }) => data.changes.map((one) => one.kind)),
      ).to.include.members(['content_item', 'user', 'key']);
      operator.close();
      reader.close();
    });

    it('reports only the types and languages to which a role is limited', async () => {
      const role = {
        name: 'Reads German notes',
        codename: `german_notes_${isOverHttp}`,
        permissions: ['view-content'],
        limits: { 'view-content': { types: ['note'], languages: ['de'] } },
      };
      const made = await ada.browser.request<{ id: string }>('POST', 'admin/roles', role);
      expect(made.status).to.equal(201);
      const { id } = projects[1]!;
      const limited = await person(`Lise-${isOverHttp}`, false, [{ id, roles: [made.body.id] }]);
      const [operator, reader] = [await open(ada), await open(limited)];
      const [secret, note] = await service.core.operations.inProject(id, ada.id, async (to) => {
        await createLanguage(to, { name: 'German', codename: 'de' });
        await createType(to, { name: 'Secret', codename: 'secret', elements: [] });
        const made = await createItem(to, { name: 'Plan', type: { codename: 'secret' } });
        return [made.id, projects[1]!.item];
      });
      const write = (item: string, language: string) =>
        service.core.operations.inProject(id, ada.id, (to) =>
          upsertVariant(to, { id: item }, { codename: language }, { elements: [] }),
        );
      for (const language of ['default', 'de'])
        for (const item of [secret, note]) await write(item, language);
      await rename(1, 'Seen');
      await operator.find('change', ({ changes }) => changes[0]?.id === note);
      await reader.find('change', ({ changes }) => changes[0]?.id === note);
      const content = (events: EventReader) =>
        events
          .named('change')
          .flatMap(({ data }) => data.changes.filter(({ kind }) => kind.startsWith('content_item')));
      const german = await service.core.operations.read(id, async ({ model }) => model.languages[1]!.id);
      expect(content(operator)).to.have.length(6);
      expect(content(reader).map((one) => one.id)).to.deep.equal([`${note}/${german}`, note]);
      expect(reader.named('change').flatMap(({ data }) => data.tags)).to.deep.equal([]);
      expect(operator.named('change').flatMap(({ data }) => data.tags)).to.include('preview-item:plan');
      for (const [item, language] of [
        [secret, german],
        [note, LANGUAGE],
        [note, german],
      ])
        await ada.browser.request('PUT', 'presence', {
          tab: TAB,
          project: id,
          item,
          language,
          element: null,
        });
      await reader.find('presence', (list) => list.length === 1);
      const seen = reader.named('presence').flatMap(({ data }) => data.map((one) => one.item));
      expect(new Set(seen)).to.deep.equal(new Set([note]));
      await ada.browser.request('DELETE', `presence/${TAB}`);
      for (const one of [operator, reader]) one.close();
    });

    it('follows a change of roles while it is open', async () => {
      const reader = await open(grace);
      const set = (own: readonly object[]) =>
        service.core.operations.installation(null, (to) =>
          updateUser(to, grace.id, { projects: own } as never),
        );
      await set([{ id: projects[1]!.id, capabilities: ['manage-content'] }]);
      await reader.find('resync');
      await rename(0, 'Not any more');
      await rename(1, 'From now on');
      await reader.find('change');
      expect(changesOf(reader)).to.deep.equal([projects[1]!.item]);
      await set([{ id: projects[0]!.id, capabilities: ['manage-content'] }]);
      await reader.find('resync', () => reader.named('resync').length === 2);
      reader.close();
    });

    it('asks to read everything again where it missed a change of roles', async () => {
      const emmy = await person('Emmy', false, [{ id: projects[0]!.id, capabilities: ['manage-content'] }]);
      const reader = await open(emmy);
      const { lastId } = reader;
      reader.close();
      await service.core.operations.installation(null, (to) => updateUser(to, emmy.id, { projects: [] }));
      const resumed = await open(emmy, lastId);
      await resumed.find('resync');
      resumed.close();
    });

    it('ends with its session', async () => {
      const other = await person('Mary', true);
      const reader = await open(other);
      expect((await other.browser.request('DELETE', 'session')).status).to.equal(204);
      expect((await reader.find('bye')).data).to.deep.equal({ reason: 'session' });
      await reader.ended;
    });

    it('ends the oldest stream of a session that has too many', async () => {
      const all: EventReader[] = [];
      for (let at = 0; at < 11; at += 1) all.push(await open(ada));
      expect((await all[0]!.find('bye')).data).to.deep.equal({ reason: 'replaced' });
      for (const reader of all) reader.close();
    });

    it('names who has a variant open, to those who may see it', async () => {
      const [reader, hidden] = [await open(ada), await person('Joan', false)];
      const stranger = await open(hidden);
      const [{ id: project, item }] = projects as [(typeof projects)[number]];
      const here = { tab: TAB, project, item, language: LANGUAGE, element: 'title' };
      expect((await hidden.browser.request('PUT', 'presence', here)).status).to.equal(403);
      expect((await grace.browser.request('PUT', 'presence', { ...here, item: 'x' })).status).to.equal(400);
      // Ids in any case, as in paths.
      const upper = { tab: TAB.toUpperCase(), project: project.toUpperCase(), item: item.toUpperCase() };
      expect((await grace.browser.request('PUT', 'presence', { ...here, ...upper })).status).to.equal(204);
      const { data } = await reader.find('presence', (list) => list.length === 1);
      expect(data[0]).to.deep.include({ project, item, language: LANGUAGE, element: 'title' });
      expect(data[0]?.person).to.deep.equal({ id: grace.id, name: 'Grace' });
      expect((await grace.browser.request('DELETE', `presence/${TAB}`)).status).to.equal(204);
      await reader.find('presence', () => reader.named('presence').at(-1)!.data.length === 0);
      expect(stranger.named('presence').every(({ data: list }) => list.length === 0)).to.equal(true);
      // Without a report for 45 s a person is gone.
      await grace.browser.request('PUT', 'presence', here);
      await reader.find('presence', () => reader.named('presence').at(-1)!.data.length === 1);
      const old = new Date(Date.now() - 46_000).toISOString();
      await service.core.operations.storage.write((tx) => tx.run('UPDATE presence SET seen = ?', [old]));
      await reader.find('presence', () => reader.named('presence').at(-1)!.data.length === 0);
      for (const one of [reader, stranger]) one.close();
    });

    it('names everyone, however many tabs one person reports', async () => {
      const [{ id: project, item }] = projects as [(typeof projects)[number]];
      const inTab = (tab: string) => ({ tab, project, item, language: LANGUAGE, element: null });
      await grace.browser.request('PUT', 'presence', inTab(TAB));
      const tabs = Array.from({ length: 210 }, () => randomUUID());
      await Promise.all(tabs.map((tab) => ada.browser.request('PUT', 'presence', inTab(tab))));
      const present = await listPresence(service.core.operations.reader.sql, new Date());
      const tabsOf = ({ id }: typeof ada) => present.filter(({ person: one }) => one.id === id).length;
      expect(tabsOf(grace)).to.equal(1);
      expect(tabsOf(ada)).to.equal(20);
      await service.core.operations.storage.write((tx) => tx.run('DELETE FROM presence', []));
    });

    it('finds jobs also once the clock was set back', async () => {
      const id = randomUUID();
      const job = { id, kind: 'import', project: null, subject: 'x', total: 10 } as const;
      await service.core.operations.storage.write((tx) => startJob(tx, job));
      const { jobs, until } = await readFromCore<{ jobs: { id: string }[]; until: string }>(
        { core: service.core, ids: { newId: randomUUID, newTrace: randomUUID } },
        'console',
        '/api/activity',
        { kind: 'admin' },
        `since=${new Date(Date.now() + 3_600_000).toISOString()}`,
      );
      expect(jobs.map((one) => one.id)).to.include(id);
      expect(Date.parse(until)).to.be.at.most(Date.now());
    });

    it('reports the progress of jobs to operators', async () => {
      const [operator, reader] = [await open(ada), await open(grace)];
      await operator.find('presence');
      const job = { id: TAB, kind: 'import', project: null, subject: 'x', total: 10 } as const;
      await service.core.operations.storage.write((tx) => startJob(tx, job));
      const { data } = await operator.find('job', (one) => (one as { id?: string }).id === TAB);
      expect(data).to.include({ id: TAB, kind: 'import', state: 'running', done: 0, total: 10 });
      expect(reader.named('job')).to.have.length(0);
      for (const one of [operator, reader]) one.close();
    });
  });

describe('the event streams of several gateways', () => {
  let folder: string;
  let core: Awaited<ReturnType<typeof startCore>>;
  const gateways: Awaited<ReturnType<typeof startGateway>>[] = [];
  let cookie: string | undefined;
  let account: string;
  let project: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-events-'));
    const schemas = schemasOf(plugins);
    const load = (role: string, name: string, more: Readonly<Record<string, string>>) =>
      loadConfig(
        {
          environment: {
            HEADWATER_ROLE: role,
            HEADWATER_DATA_DIR: join(folder, name),
            HEADWATER_INTERNAL_TOKEN: INTERNAL_TOKEN,
            HEADWATER_LOG_LEVEL: 'error',
            HEADWATER_DRAIN_SECONDS: '20',
            ...more,
          },
        },
        schemas,
      );
    const address = `unix:${join(folder, 'core.sock')}`;
    core = await startCore(await load('core', 'core', { HEADWATER_LISTEN: address }));
    for (const name of ['a', 'b']) {
      const config = await load('gateway', name, {
        HEADWATER_CORES: address,
        HEADWATER_PORT: '0',
        HEADWATER_TLS_PORT: '0',
        HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, `${name}.log`),
      });
      gateways.push(await startGateway({ config, plugins }));
    }
    const { operations } = core.core;
    const token = await operations.installation(null, async (to) => {
      ({ id: account } = await createUser(to, { name: 'Ada', email: 'ada@example.org' }));
      await addPerson(to, { account, email: 'ada@example.org', isOperator: true });
      return createLink(to, account);
    });
    ({ id: project } = await operations.installation(null, (to) => createProject(to, { name: 'One' })));
    const browser = new ConsoleBrowser(gateways[0]!.urls.http);
    await browser.request('POST', 'session/link', { token });
    ({ cookie } = browser);
  });
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await core.close();
    await rm(folder, { recursive: true });
  });

  it('have the same changes and the same presence, and end with a last event when their gateway stops', async () => {
    const [first, second] = await Promise.all(
      gateways.map(({ urls }) => EventReader.open(urls.http, cookie)),
    );
    const readers = [first!, second!];
    await Promise.all(readers.map((reader) => reader.find('ready')));
    const browser = new ConsoleBrowser(gateways[0]!.urls.http);
    browser.cookie = cookie;
    const made = await browser.request<{ id: string }>('POST', `manage/projects/${project}/types`, {
      name: 'Note',
      elements: [],
    });
    const found = await Promise.all(
      readers.map((reader) => reader.find('change', ({ changes }) => changes[0]?.id === made.body.id)),
    );
    expect(found[0]).to.deep.equal(found[1]);
    const here = { tab: TAB, project, item: TAB, language: LANGUAGE, element: null };
    expect((await browser.request('PUT', 'presence', here)).status).to.equal(204);
    await Promise.all(readers.map((reader) => reader.find('presence', (list) => list[0]?.tab === TAB)));

    const began = performance.now();
    const closed = gateways[0]!.close();
    expect((await first!.find('bye')).data).to.deep.equal({ reason: 'stopping' });
    await first!.ended;
    await closed;
    gateways.shift();
    // Long before the 20 s that running requests have.
    expect(performance.now() - began).to.be.lessThan(15_000);
    expect(second!.named('bye')).to.have.length(0);
    const resumed = await EventReader.open(gateways[0]!.urls.http, cookie, {
      'last-event-id': first!.lastId,
    });
    await resumed.find('ready');
    expect(resumed.named('resync')).to.have.length(0);
    for (const reader of [second!, resumed]) reader.close();
  });
});
