/** Creating items in a real browser: what is asked for, what roles permit, what the server refuses. */
import { expect } from 'chai';
import type { Browser, Page, Route } from 'playwright-core';
import { createProject } from '../../core/access/projects.ts';
import { createRole, type RoleInput } from '../../core/access/roles.ts';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createType } from '../../core/content/types.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { holdRequests } from '../support/browser/hold-requests.ts';
import {
  pageWithSession,
  type SignedInPerson,
  signInPerson,
  useSession,
} from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

interface ManagedItem {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly type: { readonly id: string };
  readonly sitemap_locations: readonly { readonly id: string }[];
}

describe('creating an item', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let operator: SignedInPerson;
  /** Of the job. */
  let project: string;
  before(async () => {
    [service, browser] = await Promise.all([startService(), browserOfProcess()]);
    operator = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true });
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    project = await newProject();
    const opened = await pageWithSession(browser, service, operator.account);
    ({ page } = opened);
    return opened;
  });
  /** Without content: two types, two languages, two locations. */
  async function newProject(): Promise<string> {
    const { operations } = service.core;
    const { id } = await operations.installation(null, (to) =>
      createProject(to, { name: 'Press', default_language: { name: 'English', codename: 'en' } }),
    );
    await operations.inProject(id, null, async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      await replaceSitemap(transaction, [{ name: 'Harbour', nodes: [{ name: 'Quay' }] }]);
      for (const name of ['Note', 'Release'])
        await createType(transaction, { name, elements: [{ type: 'text', name: 'Title' }] });
    });
    return id;
  }
  const inProject = (name: string, type: string) =>
    service.core.operations.inProject(project, null, (transaction) =>
      createItem(transaction, { name, type: { codename: type } }),
    );
  const stored = async (path: string) => {
    const answer = await operator.browser.request('GET', `manage/projects/${project}/${path}`);
    return answer as { readonly status: number; readonly body: unknown };
  };
  const itemsOf = async () => ((await stored('items')).body as { items: ManagedItem[] }).items;
  /** Names people, others when a job is run again. */
  let people = 0;
  /** Signs in a person with a role of its own in the project. */
  const become = async (role: Pick<RoleInput, 'permissions' | 'limits'>) => {
    const { operations } = service.core;
    people += 1;
    const { id } = await operations.installation(null, (to) =>
      createRole(to, { ...role, codename: `role_${people}`, name: `Role ${people}` }),
    );
    const person = { name: `Grace ${people}`, projects: [{ id: project, roles: [id] }] };
    await useSession(page, service, await signInPerson(service, person));
  };
  const open = async (query = '') => {
    await page.goto(`${service.url}/console/projects/${project}/content${query}`);
    await page.getByRole('heading', { name: 'Content' }).waitFor();
    await page
      .getByText(/^(\d+ items?|This project has no content yet\.)/)
      .first()
      .waitFor();
  };
  const command = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(text);
  };
  const newItem = () => page.getByRole('button', { name: 'New item …' });
  const dialog = () => page.getByRole('dialog', { name: 'New item' });
  const create = () => dialog().getByRole('button', { name: 'Create the item' });
  const optionsOf = (label: string) => dialog().getByLabel(label).locator('option').allTextContents();

  job('offers it in one place, before and after the list is known to be empty', async () => {
    await page.goto(`${service.url}/console/projects/${project}/home`);
    const release = await holdRequests(page, /\/content\?.*offset=/);
    await page.getByRole('link', { name: 'Content', exact: true }).click();
    await newItem().focus();
    release();
    await page.getByText('This project has no content yet.').waitFor();
    await page.keyboard.press('Enter');
    await dialog().waitFor();
  });

  job('begins in an empty project, and opens the form of the new item', async () => {
    await open();
    await page.getByText('This project has no content yet.').waitFor();
    await isAccessible('no content');
    await newItem().click();
    await dialog().getByRole('checkbox', { name: 'Quay' }).waitFor();
    await isAccessible('the dialog');
    await dialog().getByLabel('Name', { exact: true }).fill('High tide');
    await dialog().getByLabel('Content type').selectOption('Release');
    await dialog().getByLabel('Language to write it in').selectOption('German');
    await dialog().getByLabel('Codename').fill('tide');
    await dialog().getByRole('checkbox', { name: 'Quay' }).check();
    await create().click();
    await page.getByRole('heading', { name: 'High tide' }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    expect(page.url()).to.match(/\/items\/[\w-]+\?language=de$/);
    await isAccessibleToo('the form');
    const [item, ...others] = await itemsOf();
    expect(others).to.deep.equal([]);
    const { typeByCodename, sitemap } = await service.core.operations.read(
      project,
      async ({ model }) => model,
    );
    expect(item).to.deep.include({
      name: 'High tide',
      codename: 'tide',
      type: { id: typeByCodename.get('release')!.id },
      sitemap_locations: [{ id: sitemap[0]!.nodes[0]!.id }],
    });
    expect((await stored(`items/${item!.id}/variants/codename/de`)).status).to.equal(200);
    expect((await stored(`items/${item!.id}/variants/codename/en`)).status).to.equal(404);
    // The way back leads to the list, not to the dialog.
    await page.goBack();
    await page.getByRole('heading', { name: 'Content' }).waitFor();
    await page.getByText('1 item', { exact: true }).waitFor();
    expect(await dialog().count()).to.equal(0);
    // What a search has not found can be made.
    await page.getByRole('searchbox', { name: 'Search' }).fill('Neap');
    await page.getByText('No content matches these filters.').waitFor();
    await newItem().click();
    await dialog().waitFor();
  });

  longJob('says why the server refuses, and keeps what was typed', async () => {
    await inProject('Tide', 'note');
    await open();
    await newItem().click();
    await dialog().getByLabel('Name', { exact: true }).fill('Another tide');
    await dialog().getByLabel('Codename').fill('tide');
    await create().click();
    await dialog().getByText("The codename 'tide' is taken by another item.").waitFor();
    await isAccessible('a refusal');
    await dialog().getByLabel('Codename').fill('No codename');
    await create().click();
    await dialog()
      .getByText(/^A codename has up to 60 lower-case letters/)
      .waitFor();
    expect(await itemsOf()).to.have.length(1);
    await dialog().getByLabel('Codename').fill('');
    await create().click();
    await page.getByRole('heading', { name: 'Another tide' }).waitFor();
    expect((await itemsOf()).map(({ codename }) => codename)).to.have.members(['tide', 'another_tide']);
  });

  job('is a command as well, with the type and the language that the list shows', async () => {
    await inProject('Tide', 'release');
    await open('?type=release&language=de');
    await command('new item');
    await page.getByRole('option', { name: 'New item … Act', selected: true }).waitFor();
    await page.getByText('1 result').waitFor();
    await page.keyboard.press('Enter');
    await dialog().getByLabel('Name', { exact: true }).and(page.locator(':focus')).waitFor();
    expect(await dialog().getByLabel('Content type').inputValue()).to.equal('release');
    expect(await dialog().getByLabel('Language to write it in').inputValue()).to.equal('de');
    await page.keyboard.type('Low tide');
    // What was typed is not dropped by a key.
    await page.keyboard.press('Escape');
    await dialog().getByText('not saved').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Low tide' }).waitFor();
  });

  longJob('is not left while the server makes the item, nor for the search', async () => {
    await open();
    await newItem().click();
    await dialog().getByLabel('Name', { exact: true }).fill('Spring tide');
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('combobox', { name: /^Screen, / }).count()).to.equal(0);
    const ITEMS = '**/manage/projects/*/items';
    const held: Route[] = [];
    await page.route(ITEMS, (route) => void held.push(route));
    await create().click();
    await until(() => held.length === 1);
    expect(await dialog().getByRole('button', { name: 'Cancel' }).isDisabled()).to.equal(true);
    await page.keyboard.press('Escape');
    expect(await dialog().getByText('not saved').count()).to.equal(0);
    await held[0]!.fulfill({ status: 500, body: '{}' });
    await dialog().getByRole('alert').waitFor();
    await page.unroute(ITEMS);
    await create().click();
    await page.getByRole('heading', { name: 'Spring tide' }).waitFor();
    expect(await itemsOf()).to.have.length(1);
  });

  longJob('is found by the search, with types of the same name, and a type opens its items', async () => {
    for (let at = 10; at < 25; at += 1) await inProject(`Note ${at}`, 'release');
    await inProject('Tide', 'note');
    await open();
    await command('note');
    const items = page.getByRole('option', { name: /^Note \d/ });
    await items.first().waitFor();
    expect(await items.count()).to.equal(10);
    await page.getByRole('option', { name: 'Note Type', exact: true }).click();
    await page.getByText('1 item', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Tide' }).waitFor();
    // What the server does not answer is no result.
    const FIND = '**/find?*';
    await page.route(FIND, (route) => route.fulfill({ status: 403, body: '{}' }));
    await command('spring');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByText('Nothing was found.').count()).to.equal(0);
    await isAccessible('a failure');
    await page.unroute(FIND);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing was found.').waitFor();
  });

  job('is read once where it is opened again soon', async () => {
    const { id } = await inProject('Tide', 'note');
    await open();
    for (let times = 0; times < 2; times += 1) {
      await page.getByRole('link', { name: 'Tide' }).click();
      await page.locator('.form-bar').waitFor();
      const path = `admin/projects/${project}/items/${id}`;
      expect(await page.evaluate((path) => globalThis.earlyAnswers?.has(path), path)).to.equal(false);
      await page.goBack();
    }
  });

  longJob('offers the types and languages of the role', async () => {
    await become({
      permissions: ['view-content', 'create-content', 'edit-content'],
      limits: {
        'create-content': { types: ['note'], languages: null },
        'edit-content': { types: null, languages: ['de'] },
      },
    });
    await open();
    await newItem().click();
    await dialog().waitFor();
    expect(await optionsOf('Content type')).to.deep.equal(['Note']);
    expect(await optionsOf('Language to write it in')).to.deep.equal(['German']);
    await dialog().getByLabel('Name', { exact: true }).fill('Ebbe');
    await create().click();
    await page.getByRole('heading', { name: 'Ebbe' }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Ebbe');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('.form-bar').getByText('All changes are saved.').waitFor();
    const [item] = await itemsOf();
    expect(item).to.include({ name: 'Ebbe' });
  });

  job('is not offered to those who may not', async () => {
    await become({ permissions: ['view-content', 'edit-content'] });
    await open('?add=true');
    expect(await newItem().count()).to.equal(0);
    expect(await dialog().count()).to.equal(0);
    await command('new item');
    await page.getByText('Nothing was found.').waitFor();
    await page.keyboard.press('Escape');
    // Those who may only read are offered no editing of descriptions either.
    const descriptions = page.getByRole('button', { name: 'Edit descriptions' });
    await page.getByRole('link', { name: 'Assets' }).click();
    await descriptions.waitFor();
    await become({ permissions: ['view-content'] });
    await open();
    await page.getByRole('link', { name: 'Assets' }).click();
    await page.getByRole('heading', { name: 'Assets' }).waitFor();
    await page.getByLabel('View', { exact: true }).waitFor();
    expect(await descriptions.count()).to.equal(0);
  });

  longJob('is accessible in German and the dark theme', async () => {
    await open();
    await page.getByText('Ada Lovelace').click();
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByRole('banner').getByLabel('Language').selectOption('de');
    await page.getByRole('button', { name: 'Neuer Inhalt …' }).click();
    await page.getByRole('dialog', { name: 'Neuer Inhalt' }).getByRole('checkbox').first().waitFor();
    await isAccessible();
  });
});
