/** What a page says and offers when something fails while it is open, and what it offers to whom. */
import { expect } from 'chai';
import type { Browser, Locator, Page, Request, Route } from 'playwright-core';
import { archiveProject, createProject, restoreProject } from '../../core/access/projects.ts';
import { removeUser, updateUser } from '../../core/access/users.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import type { Installation } from '../../core/transaction/installation.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { pageWithSession, sessionOf, signInPerson, useSession } from '../support/console/console-people.ts';
import { OFFERED_SCREENS } from '../support/console/offered-screens.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

const EDITING = ['Move in the sitemap', 'Change the workflow step'];
const ALL_ACTS = ['Publish', 'Schedule', 'Cancel schedules', 'Unpublish', 'Archive', 'Restore', ...EDITING];

/** Acts on items of the content list, by hand. */
const ACTS: Readonly<Record<string, readonly string[]>> = {
  project_manager: ALL_ACTS,
  editor: ALL_ACTS,
  contributor: EDITING,
  translator: EDITING,
  developer: [],
  reader: [],
  operator: ALL_ACTS,
};

/** What a form of a draft offers, by hand. */
const FORM: Readonly<Record<string, readonly string[]>> = {
  project_manager: ['Save', 'Publish …'],
  editor: ['Save', 'Publish …'],
  contributor: ['Save'],
  translator: ['Save'],
  developer: [],
  reader: [],
  operator: ['Save', 'Publish …'],
};

describe('a page of the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let operator: string;
  /** Ids by codename. */
  let roles: ReadonlyMap<string, string>;
  /** Names whom a job makes, differently when it is run again. */
  let made = 0;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), browserOfProcess()]);
    ({ account: operator } = await signInPerson(service, { name: 'Ada', isOperator: true }));
    const rows = await service.core.operations.storage.sql.all<{ id: string; codename: string }>(
      'SELECT id, codename FROM role',
    );
    roles = new Map(rows.map(({ id, codename }) => [codename, id]));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  const { job, longJob, isAccessible } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, operator);
    ({ page } = opened);
    return opened;
  });
  /** Signs a new person in, in place of the operator. */
  const become = async (name: string, given: Omit<Parameters<typeof signInPerson>[1], 'name'>) => {
    made += 1;
    const person = await signInPerson(service, { name: `${name} ${made}`, ...given });
    await useSession(page, service, person);
    return person;
  };
  const USERS = '**/console/api/admin/users';
  const open = (path: string) => page.goto(`${service.url}/console/${path}`);

  for (const [what, answer, sentence] of [
    [
      'the server is gone',
      undefined,
      'The server does not answer. Check your connection; the page tries again.',
    ],
    ['the server fails', { status: 500, body: { request_id: 'id-7' } }, 'Its log has the reason under id-7.'],
    ['the answer is cut off', { status: 200, text: '{"users": [' }, 'The answer of the server was cut off.'],
    [
      'there are too many calls',
      { status: 429, body: { message: 'Try again in 3 s.' } },
      'Try again in 3 s.',
    ],
  ] as const)
    job(`says that ${what}, and goes on where it works again`, async () => {
      let isShown = false;
      /** Calls once the error is shown: the page tries again by itself as well, and must not succeed before the click. */
      const held: Route[] = [];
      await page.route(USERS, (route) => {
        if (isShown) return void held.push(route);
        if (answer === undefined) return route.abort();
        const body = 'text' in answer ? answer.text : JSON.stringify(answer.body);
        return route.fulfill({ status: answer.status, body, contentType: 'application/json' });
      });
      await open('people');
      await page.getByRole('alert').getByText(sentence).waitFor();
      isShown = true;
      if (answer === undefined) await isAccessible();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.unroute(USERS);
      for (const route of held) await route.continue().catch(() => undefined);
      await page.getByRole('rowheader', { name: 'Ada', exact: true }).waitFor();
    });

  longJob('opens by itself once the limit of its session permits that', async () => {
    const opens = async (path: string, calls: string, shown: Locator) => {
      const body = JSON.stringify({ message: 'This session makes too many calls. Try again in 1 s.' });
      const refused = { status: 429, headers: { 'retry-after': '1' }, body, contentType: 'application/json' };
      await page.route(calls, (route) => route.fulfill(refused));
      await open(path);
      await page.getByRole('alert').getByText('Try again in 1 s.').waitFor();
      await page.unroute(calls);
      await shown.waitFor();
    };
    const person = page.getByRole('rowheader', { name: 'Ada', exact: true });
    await opens('people', '**/console/api/session', person);
    const list = `projects/${service.sample!.projectId}/content?type=article`;
    const row = page.getByRole('grid').getByRole('rowheader').getByRole('link').first();
    await opens(list, '**/console/api/admin/projects/*/content?*', row);
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  job('tries again at once where a person asks for it', async () => {
    let calls = 0;
    await page.route(USERS, (route) => {
      calls += 1;
      // By itself, the page would try again after an hour.
      return route.fulfill({ status: 503, headers: { 'retry-after': '3600' }, body: '{}' });
    });
    await open('people');
    const button = page.getByRole('button', { name: 'Try again' });
    await button.click();
    await until(async () => calls === 2);
    await page.unroute(USERS);
    await button.click();
    await page.getByRole('rowheader', { name: 'Ada', exact: true }).waitFor();
  });

  job('says that the server is slow after half a minute', async () => {
    await page.clock.install();
    await page.route(USERS, () => undefined);
    const asked = page.waitForRequest(USERS);
    await open('people');
    await asked;
    await page.clock.fastForward(30_001);
    await page.getByText('The server did not answer within half a minute.').waitFor();
  });

  job('reads the requests only while someone uses the page', async () => {
    await page.clock.install();
    const requests = '**/console/api/admin/gateways/requests*';
    await Promise.all([page.waitForResponse(requests), open('requests')]);
    let calls = 0;
    page.on('request', (request) => {
      if (request.url().includes('/gateways/requests')) calls += 1;
    });
    // What is due is done once.
    await page.clock.fastForward(600_001);
    await until(async () => calls === 1);
    await page.clock.runFor(10_000);
    expect(calls).to.equal(1);
    await Promise.all([page.waitForResponse(requests), page.mouse.click(1, 1)]);
  });

  job('says that an object is gone, and keeps what was typed', async () => {
    made += 1;
    const gone = await signInPerson(service, { name: `Gone ${made}` });
    await open('people');
    await page.getByRole('button', { name: `Edit Gone ${made}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).waitFor();
    await service.core.operations.installation(null, (to) => removeUser(to, gone.account));
    await dialog.getByLabel('Name', { exact: true }).fill('Still here');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Someone may have removed it; reload the page to see what there is.').waitFor();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).to.equal('Still here');
  });

  /** Opens an item of a new project as an editor. */
  const openDraft = async () => {
    made += 1;
    const { operations } = service.core;
    const { id } = await operations.installation(null, (to) =>
      createProject(to, { name: `Quay ${made}`, default_language: { name: 'English', codename: 'en' } }),
    );
    const item = await operations.inProject(id, null, async (transaction) => {
      await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Title' }] });
      const made = await createItem(transaction, { name: 'First', type: { codename: 'note' } });
      const elements = [{ element: { codename: 'title' }, value: 'First' }];
      await upsertVariant(transaction, { id: made.id }, { codename: 'en' }, { elements });
      return made;
    });
    const projects = [{ id, capabilities: [], roles: [roles.get('editor')!] }];
    const { account } = await become('Quentin', { projects });
    await open(`projects/${id}/items/${item.id}`);
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    return { id, account, projects };
  };

  longJob('says that a project was archived while an item was open, and keeps what was typed', async () => {
    const { operations } = service.core;
    const { id } = await openDraft();
    const title = page.getByRole('textbox', { name: 'Title' });
    await operations.installation(null, (to) => archiveProject(to, id));
    await title.fill('Typed after that');
    await page.getByText('This project was archived, so nothing can be saved.').waitFor();
    expect(await page.locator('textarea[readonly]').inputValue()).to.include('Typed after that');
    await isAccessible();
    await open(`projects/${id}/content`);
    await page.getByText('This project was archived or does not exist.').first().waitFor();
  });

  longJob('saves what was typed once the project is restored, and once the role is given back', async () => {
    const { operations } = service.core;
    const { id, account, projects } = await openDraft();
    const title = page.getByRole('textbox', { name: 'Title' });
    const inInstallation = (work: (to: Installation) => Promise<unknown>) =>
      operations.installation(null, work);
    const isSaved = () => page.locator('.form-bar').getByText('All changes are saved.').waitFor();

    await inInstallation((to) => archiveProject(to, id));
    await title.fill('Typed while it was archived');
    await page.getByText('This project was archived, so nothing can be saved.').waitFor();
    await page.getByText('This project was archived or does not exist.').first().waitFor();
    await inInstallation((to) => restoreProject(to, id));
    await isSaved();

    await inInstallation((to) => updateUser(to, account, { projects: [] }));
    await title.fill('Typed without a role');
    await page.getByText('You may not change this item any more, so nothing can be saved.').waitFor();
    await page.getByText('You have no role in this project.').first().waitFor();
    await inInstallation((to) => updateUser(to, account, { projects }));
    await isSaved();
    expect(await title.inputValue()).to.equal('Typed without a role');
  });

  job('says what to do where a person has no role in any project', async () => {
    await become('Newcomer', {});
    await page.goto(`${service.url}/console/`);
    await page.getByRole('heading', { name: 'You have no role in any project.' }).waitFor();
    await isAccessible();
  });

  job('offers to reload where a new version was installed', async () => {
    const CHUNKS = '**/console/files/*.js*';
    await open('people');
    await page.getByRole('heading', { name: 'People' }).waitFor();
    await page.route(CHUNKS, (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('A part of the console could not be loaded: a new version was installed').waitFor();
    await page.getByText('Ada', { exact: true }).first().click();
    // The texts are not there, so the page stays English.
    const missing = page.waitForResponse(
      (response) => response.status() === 404 && response.url().endsWith('.js'),
    );
    await page.getByRole('banner').getByLabel('Language').selectOption('de');
    await missing;
    expect(await page.getByRole('button', { name: 'Reload the page' }).count()).to.be.at.least(1);
    await page.unroute(CHUNKS);
    await page.getByRole('button', { name: 'Reload the page' }).first().click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  });

  longJob('shows a screen whose chunk could not be loaded for a moment, without a reload', async () => {
    const { projectId } = service.sample!;
    // A host may look like a file.
    const url = service.url.replace('127.0.0.1', 'cms.js.localhost');
    await useSession(page, { ...service, url }, await sessionOf(service, operator));
    await page.goto(`${url}/console/people`);
    await page.getByRole('heading', { name: 'People' }).waitFor();
    await page.evaluate('globalThis.isSamePage = true');
    const [audit, editor] = ['**/console/files/audit-*', '**/console/files/item-editor-*'];
    let failed = 0;
    for (const files of [audit, editor])
      await page.route(files, (route) => {
        failed += 1;
        return route.abort();
      });
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('A part of the console could not be loaded').waitFor();
    expect(failed).to.equal(2);
    await page.unroute(audit);
    await page.getByRole('link', { name: 'People' }).click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    // The list loads the editor ahead.
    failed = 0;
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await until(async () => failed === 1);
    await page.unroute(editor);
    await page.getByRole('grid').getByRole('rowheader').getByRole('link').first().click();
    await page.getByRole('link', { name: 'History' }).waitFor();
    expect(page.url()).to.include(`/projects/${projectId}/items/`);
    expect(await page.evaluate('globalThis.isSamePage')).to.equal(true);
  });

  longJob('asks for all that its first screen needs at once, and for files only once', async () => {
    const { projectId } = service.sample!;
    const path = `projects/${projectId}/content?type=article`;
    const visit = async () => {
      await page.goto(`${service.url}/console/${path}`);
      await page.getByRole('grid').getByRole('rowheader').first().waitFor();
    };
    const calls: string[] = [];
    page.on('request', (request: Request) => {
      const [, call] = /\/console\/api\/(.*)/.exec(request.url()) ?? [];
      if (call !== undefined && !call.startsWith('events')) calls.push(call);
    });
    const debug = await page.context().newCDPSession(page);
    const received = new Map<string, string>();
    const arrived = new Set<string>();
    await debug.send('Network.enable');
    // Other jobs may have filled it.
    await debug.send('Network.clearBrowserCache');
    debug.on('Network.responseReceived', ({ requestId, response: { url, fromDiskCache } }) => {
      if (url.includes('/console/files/') && !fromDiskCache) received.set(requestId, url);
    });
    debug.on('Network.loadingFinished', ({ requestId }) => {
      const url = received.get(requestId);
      if (url !== undefined) arrived.add(url);
    });
    await visit();
    const first = [
      'session',
      `admin/projects/${projectId}/content?type=article&offset=0&limit=50`,
      `manage/projects/${projectId}/types`,
      `manage/projects/${projectId}/languages`,
    ];
    expect(calls).to.have.members(first);

    // Those that are loaded while the page is idle may not have arrived yet.
    const before = new Set(arrived);
    expect(before).to.not.have.length(0);
    received.clear();
    const fromMemory = new Set<string>();
    debug.on('Network.requestServedFromCache', ({ requestId }) => fromMemory.add(requestId));
    await visit();
    const again = [...received].filter(([id, url]) => before.has(url) && !fromMemory.has(id));
    expect(again).to.deep.equal([]);
    await debug.detach();

    // The application itself arrives only when everything else was asked for, also the chunk of a screen.
    const script = await page.locator('script[type=module]').getAttribute('src');
    // Browsers compile its functions meanwhile.
    const text = await (await fetch(new URL(script!, service.url))).text();
    expect(text.split('\n')[0]).to.equal('//# allFunctionsCalledOnLoad');
    const arriveFirst = (wanted: readonly string[]) => {
      const seen = new Set<string>();
      const areSeen = new Promise<void>((resolve) => {
        page.on('request', (request: Request) => {
          for (const one of wanted) if (request.url().includes(one)) seen.add(one);
          if (seen.size === wanted.length) resolve();
        });
      });
      return page.route(`**${script}`, async (route) => {
        await areSeen;
        await route.continue();
      });
    };
    await arriveFirst(first.map((call) => `/api/${call}`));
    await visit();
    await page.unroute(`**${script}`);
    await arriveFirst(['/api/session', `/api/admin/projects/${projectId}/attention`, '/files/home-']);
    await page.goto(`${service.url}/console/projects/${projectId}/home`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  job('draws the content list without a single call', async () => {
    const calls: string[] = [];
    page.on('request', (request: Request) => {
      const [, call] = /\/console\/api\/(.*)/.exec(request.url()) ?? [];
      if (call !== undefined && !call.startsWith('events')) calls.push(call);
    });
    await open(`projects/${service.sample!.projectId}/content`);
    await page.getByRole('grid').getByRole('rowheader').getByRole('link').first().waitFor();
    await page.getByLabel('Type', { exact: true }).selectOption('article');
    await page.waitForURL(/type=article/);
    await until(async () => calls.length > 0);
    expect(calls).to.deep.equal([
      `admin/projects/${service.sample!.projectId}/content?type=article&offset=0&limit=50`,
    ]);
    // The page is not up to date for ever: what it shows again is asked for.
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await until(async () => calls.some((call) => call.includes('content?offset=0')));
  });

  job('draws a list at once with its rows', async () => {
    // The drawing waits for the data 200 ms at most: that time does not end here.
    await page.addInitScript(`{
      const real = setTimeout;
      globalThis.setTimeout = (work, wait, ...rest) => (wait === 200 ? 0 : real(work, wait, ...rest));
      const look = () => {
        const grid = document.querySelector('[role=grid]');
        if (!grid) return requestAnimationFrame(look);
        globalThis.rowsAtFirst = grid.querySelectorAll('tbody th a').length;
      };
      requestAnimationFrame(look);
    }`);
    await open(`projects/${service.sample!.projectId}/content`);
    const rowsAtFirst = () => page.evaluate<number | undefined>('globalThis.rowsAtFirst');
    await until(async () => (await rowsAtFirst()) !== undefined);
    expect(await rowsAtFirst()).to.be.greaterThan(10);
    expect(await page.getByLabel('Type', { exact: true }).locator('option').count()).to.be.greaterThan(2);
  });

  job('says what is missing when a role is taken away, and offers the rest from then on', async () => {
    const projects = [{ id: service.sample!.projectId, roles: [roles.get('developer')!] }];
    const person = await become('Former developer', { projects });
    await open('');
    await page.getByRole('link', { name: 'Keys' }).waitFor();
    await service.core.operations.storage.write((tx) =>
      tx.run('UPDATE membership SET roles = ? WHERE account = ?', [
        JSON.stringify([roles.get('reader')]),
        person.account,
      ]),
    );
    await page.getByRole('link', { name: 'Keys' }).click();
    await page
      .getByText("Your roles in this project do not include 'Manage keys and webhooks'.")
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Keys' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Content', exact: true }).waitFor();
  });

  for (const [role, offered] of Object.entries(OFFERED_SCREENS)) {
    // The links of every role, and what the server permits of them: `console-roles`. A reader may do least.
    const ofRole = role === 'reader' ? job : longJob;
    ofRole(`offers a person with the role '${role}' what the server permits`, async () => {
      const isOperator = role === 'operator';
      const projects = isOperator ? [] : [{ id: service.sample!.projectId, roles: [roles.get(role)!] }];
      await become(`The ${role}`, { isOperator, projects });
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(response.url());
      });
      await open('');
      const navigation = page.getByRole('navigation', { name: 'Main navigation' });
      const to = async (name: string) => {
        await navigation.getByRole('link', { name, exact: true }).click();
        await navigation.locator('[aria-current=page]').filter({ hasText: name }).waitFor();
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('.loading').first().waitFor({ state: 'hidden' });
      };
      await navigation.getByRole('link', { name: 'Content', exact: true }).waitFor();
      const names = await navigation.getByRole('link').allTextContents();
      const all = Object.values(OFFERED_SCREENS).flat();
      expect(names.filter((name) => all.includes(name))).to.have.members(offered);
      for (const name of names) await to(name);
      await to('Content');
      await page.getByLabel('State').selectOption('changed');
      await page.waitForURL(/state=changed/);
      await page.getByLabel('Select Return of the kingfisher').check();
      await page.getByText('1 item selected').waitFor();
      const acts = page.getByRole('group', { name: 'Act on the selected items' }).getByRole('button');
      expect(await acts.allTextContents()).to.deep.equal(ACTS[role]!.map((act) => `${act} …`));
      await page.getByRole('link', { name: 'Return of the kingfisher' }).click();
      const form = page.locator('.form-bar').getByRole('button', { name: /^(Save|Publish …)$/ });
      await page
        .getByText(
          FORM[role]!.length === 0 ? 'You may read this item, not change it.' : 'All changes are saved.',
        )
        .waitFor();
      expect(await form.allTextContents()).to.deep.equal(FORM[role]);
      expect(refused, 'refused to what the page offers').to.deep.equal([]);
    });
  }
});
