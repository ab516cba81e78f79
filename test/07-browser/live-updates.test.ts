/** Two browsers at the same service: each follows what the other does. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createRole } from '../../core/access/roles.ts';
import { createItem } from '../../core/content/items.ts';
import { endJob, startJob } from '../../core/jobs/jobs.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { holdRequests } from '../support/browser/hold-requests.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { unique } from '../support/unique.ts';
import { until } from '../support/until.ts';

const PERSON = 'Ada Lovelace';
/** An item of the sample. */
const ORRACH = 'Where the Orrach begins';

describe('two browsers at the console', () => {
  let service: RunningService;
  let browser: Browser;
  let operator: string;
  let mine: Page;
  let theirs: Page;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), browserOfProcess()]);
    ({ account: operator } = await signInPerson(service, { name: PERSON, isOperator: true }));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, longJob, isAccessible } = separateJobs(async () => {
    const [own, other] = await Promise.all([
      pageWithSession(browser, service, operator),
      pageWithSession(browser, service, operator),
    ]);
    [mine, theirs] = [own.page, other.page];
    return {
      page: mine,
      leave: async () => {
        await Promise.all([own.leave(), other.leave()]);
      },
      // The answer 412 is an error for the browser's log, and what the jobs are about.
      get errors() {
        return own.errors.filter((text) => !text.includes('412'));
      },
    };
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'passed') await theirs.context().close();
  });

  const newRole = async () => {
    const codename = unique('role_');
    const role = { codename, name: `Role ${codename}`, permissions: ['view-content'] as const };
    await service.core.operations.installation(null, (to) => createRole(to, role));
    return role.name;
  };
  /** Opens a screen of a page that follows from then on what others do. */
  const open = async (page: Page, path: string) => {
    await Promise.all([
      page.waitForResponse((response) => response.url().includes('/console/api/events')),
      page.goto(`${service.url}/console/${path}`),
    ]);
  };
  /** Whether the address is of a listing of content with that text. */
  const isListing = (url: string, text: string) =>
    url.includes('/api/admin/') && url.includes(`text=${text}`);
  const openRoles = () => Promise.all([open(mine, 'roles'), open(theirs, 'roles')]);
  const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
  const editRole = async (page: Page, role: string, name: string) => {
    await page.getByRole('button', { name: `Edit ${role}`, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    return dialog;
  };
  /** Both edit the role, and the other one saves first. @returns my dialog */
  const saveBefore = async (role: string) => {
    const own = await editRole(mine, role, `My ${role}`);
    const other = await editRole(theirs, role, `Their ${role}`);
    await other.getByRole('button', { name: 'Save' }).click();
    await rowOf(theirs, `Their ${role}`).waitFor();
    await own.getByRole('button', { name: 'Save' }).click();
    await own.getByText('Someone else changed this since you opened it').waitFor();
    return own;
  };

  job('shows what the other one adds, without a reload', async () => {
    const name = unique('Auditor');
    await openRoles();
    await rowOf(mine, 'Reader').waitFor();
    await theirs.getByRole('button', { name: 'Add a role …' }).click();
    const dialog = theirs.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    await dialog.getByLabel('Codename').fill(name.toLowerCase());
    await dialog.getByLabel('View content').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await rowOf(mine, name).waitFor();
  });

  job('shows what was changed before its stream was open', async () => {
    const release = await holdRequests(mine, '**/console/api/events*');
    await mine.goto(`${service.url}/console/roles`);
    await rowOf(mine, 'Reader').waitFor();
    const role = await newRole();
    release();
    await rowOf(mine, role).waitFor();
  });

  job('shows how a job went on before its stream was open', async () => {
    const { storage } = service.core.operations;
    const started = { id: randomUUID(), kind: 'import', project: null, subject: unique('Import') } as const;
    await storage.write((tx) => startJob(tx, { ...started, total: 1 }));
    const release = await holdRequests(mine, '**/console/api/events*');
    await mine.goto(`${service.url}/console/jobs`);
    const row = mine.getByRole('row').filter({ hasText: started.subject });
    await row.getByRole('button').waitFor();
    await storage.write((tx) => endJob(tx, started.id, 'done'));
    release();
    // A job that has ended cannot be canceled.
    await row.getByRole('button').waitFor({ state: 'detached' });
  });

  longJob('shows in a new tab what was changed before it followed the stream of the first', async () => {
    const name = unique('Between');
    const content = `projects/${service.sample!.projectId}/content?text=${name}`;
    await open(mine, content);
    const tab = await mine.context().newPage();
    const release = await holdRequests(tab, '**/console/api/session');
    await Promise.all([
      tab.waitForResponse((response) => isListing(response.url(), name)),
      tab.goto(`${service.url}/console/${content}`),
    ]);
    await service.core.operations.inProject(service.sample!.projectId, null, (transaction) =>
      createItem(transaction, { name, type: { codename: 'article' } }),
    );
    await mine.getByRole('link', { name }).waitFor();
    release();
    await tab.getByRole('link', { name }).waitFor();
  });

  longJob('shows in a new tab what it missed, also where it receives something else first', async () => {
    const name = unique('Meanwhile');
    const content = `projects/${service.sample!.projectId}/content?text=${name}`;
    await open(mine, content);
    const tab = await mine.context().newPage();
    // What the first tab tells after its answer would come, and comes before it.
    await tab.addInitScript(`{
      const channel = new BroadcastChannel('headwater-events');
      channel.onmessage = ({ data }) => {
        if (!data.hello) return;
        const [epoch, sequence] = document.documentElement.dataset.position.split('.');
        channel.postMessage({ message: { event: 'heartbeat' }, id: epoch + '.' + (Number(sequence) + 1) });
      };
    }`);
    const release = await holdRequests(tab, '**/console/api/session');
    await Promise.all([
      tab.waitForResponse((response) => isListing(response.url(), name)),
      tab.goto(`${service.url}/console/${content}`),
    ]);
    await service.core.operations.inProject(service.sample!.projectId, null, (transaction) =>
      createItem(transaction, { name, type: { codename: 'article' } }),
    );
    await mine.getByRole('link', { name }).waitFor();
    const busy = mine.evaluate('for (const end = Date.now() + 1000; Date.now() < end; );');
    release();
    await busy;
    await tab.getByRole('link', { name }).waitFor();
  });

  job('keeps what was typed where the other one has saved first, and says what to do', async () => {
    const role = await newRole();
    await openRoles();
    const own = await saveBefore(role);
    await own.getByText(`Name: ${role} → Their ${role}`).waitFor();
    expect(await own.getByLabel('Name', { exact: true }).inputValue()).to.equal(`My ${role}`);
    await isAccessible();
    await own.getByRole('button', { name: 'Save mine over theirs' }).click();
    await rowOf(theirs, `My ${role}`).waitFor();
  });

  longJob('takes what the other one saved, where that is chosen', async () => {
    const role = await newRole();
    await openRoles();
    const own = await saveBefore(role);
    await own.getByRole('button', { name: 'Take theirs, drop what I typed' }).click();
    const name = own.getByLabel('Name', { exact: true });
    await until(async () => (await name.inputValue()) === `Their ${role}`);
    await own.getByRole('button', { name: 'Cancel' }).click();
    await own.waitFor({ state: 'detached' });
  });

  /** Ids of an item of the sample. */
  const orrach = async () => {
    const project = service.sample!.projectId;
    const items = await service.core.operations.read(project, ({ tx }) =>
      tx.all<{ id: string }>('SELECT id FROM item WHERE name = ?', [ORRACH]),
    );
    return { project, item: items[0]!.id };
  };

  job('shows who has an item open', async () => {
    const { project, item } = await orrach();
    await open(theirs, `projects/${project}/content?text=Where+the+Orrach`);
    const row = theirs.getByRole('row', { name: new RegExp(ORRACH) });
    await row.waitFor();
    await open(mine, `projects/${project}/items/${item}`);
    await mine.getByRole('heading', { name: ORRACH }).waitFor();
    const present = row.getByText(`Open: ${PERSON}`);
    await present.waitFor();
    const [link, beside] = await Promise.all(
      [row.getByRole('link'), present].map((one) => one.boundingBox()),
    );
    expect(beside!.x - (link!.x + link!.width)).to.be.at.least(4);
    await mine.getByRole('link', { name: 'Content', exact: true }).click();
    await present.waitFor({ state: 'detached' });
  });

  longJob('shows nobody any more whose page is left', async () => {
    const { project, item } = await orrach();
    await open(theirs, `projects/${project}/content?text=Where+the+Orrach`);
    const row = theirs.getByRole('row', { name: new RegExp(ORRACH) });
    await row.waitFor();
    const present = row.getByText(`Open: ${PERSON}`);
    await open(mine, `projects/${project}/items/${item}`);
    await present.waitFor();
    // Not only once the report is too old, after 45 s: a reloaded page would show its own person beside itself.
    await mine.goto('about:blank');
    await present.waitFor({ state: 'detached', timeout: 25_000 });
  });

  longJob('has one stream for all tabs of a browser, and another tab takes it over', async () => {
    const role = await newRole();
    await openRoles();
    const second = await mine.context().newPage();
    await second.goto(`${service.url}/console/roles`);
    await rowOf(second, role).waitFor();
    const locks = async () => {
      const { held, pending } =
        await second.evaluate<Record<'held' | 'pending', { readonly name: string }[]>>(
          'navigator.locks.query()',
        );
      return [held, pending].map((list) => list.filter(({ name }) => name === 'headwater-events').length);
    };
    // The tab asks for the lock once it has shown its first screen.
    await until(async () => (await locks())[1] === 1);
    expect(await locks()).to.deep.equal([1, 1]);
    await mine.close();
    const dialog = await editRole(theirs, role, `New ${role}`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await rowOf(second, `New ${role}`).waitFor();
  });
});
