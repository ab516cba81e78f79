/** Name, codename and sitemap locations of an item in a real browser: the plan, what others change, the way back, roles. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createProject } from '../../core/access/projects.ts';
import { createRole } from '../../core/access/roles.ts';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { holdRequests } from '../support/browser/hold-requests.ts';
import { Keyboard } from '../support/browser/keyboard.ts';
import { pageWithSession, signInPerson, useSession } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

describe('name and place of an item', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let operator: string;
  /** Of the job: the item “Tide”, which “Harbour news” links to. */
  let project: string;
  let item: string;
  let made = 0;
  before(async () => {
    [service, browser] = await Promise.all([startService(), browserOfProcess()]);
    ({ account: operator } = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true }));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    made += 1;
    await makeProject();
    const opened = await pageWithSession(browser, service, operator);
    ({ page } = opened);
    return opened;
  });
  async function makeProject(): Promise<void> {
    const { operations } = service.core;
    const language = { name: 'English', codename: 'en' };
    ({ id: project } = await operations.installation(null, (to) =>
      createProject(to, { name: 'Press', default_language: language }),
    ));
    await operations.inProject(project, null, async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      await replaceSitemap(transaction, [{ name: 'Harbour', nodes: [{ name: 'Quay' }] }]);
      await createType(transaction, {
        name: 'Note',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'modular_content', name: 'Related' },
        ],
      });
      const make = async (
        name: string,
        elements: readonly { element: { codename: string }; value: never }[],
      ) => {
        const { id } = await createItem(transaction, { name, type: { codename: 'note' } });
        await upsertVariant(transaction, { id }, language, { elements });
        return id;
      };
      item = await make('Tide', []);
      const value = [{ id: item }] as never;
      const news = await make('Harbour news', [{ element: { codename: 'related' }, value }]);
      for (const id of [item, news]) await publishVariant(transaction, { id }, language);
    });
  }
  const open = async () => {
    await page.goto(`${service.url}/console/projects/${project}/items/${item}`);
    await page.locator('.form-bar').waitFor();
  };
  const dialog = () => page.getByRole('dialog', { name: 'Name and place of the item' });
  const button = (name: string) => dialog().getByRole('button', { name, exact: true });
  const field = (name: string) => dialog().getByLabel(name, { exact: true });
  const edit = async () => {
    await page.getByRole('button', { name: 'Name and place …' }).click();
    await field('Name').waitFor();
  };
  /** What readers get. */
  const delivered = async (codename: string) => {
    const answer = await fetch(`${service.url}/delivery/${project}/items/${codename}`);
    const body = (await answer.json()) as {
      item?: { system: { name: string; sitemap_locations: string[] } };
    };
    const { name, sitemap_locations: places } = body.item?.system ?? {};
    return { status: answer.status, name, places };
  };

  job('are changed once the person has seen what readers notice, and can be taken back', async () => {
    await open();
    await edit();
    await dialog().getByRole('checkbox', { name: 'Quay' }).waitFor();
    await isAccessible('the form');
    await field('Name').fill('Spring tide');
    await dialog().getByRole('checkbox', { name: 'Quay' }).check();
    await button('Save …').click();
    for (const text of [
      'Name: “Tide” becomes “Spring tide”',
      'Codename: “tide” becomes “spring_tide”',
      'Locations in the sitemap: “none” becomes “Quay”',
      'The item is public in: English.',
      'Programs that ask for the item by “tide” will not find it any more.',
      'Harbour news (English)',
    ])
      await dialog().getByText(text).waitFor();
    await isAccessibleToo('the plan');
    expect(await delivered('tide')).to.include({ status: 200, name: 'Tide' });
    // Back to the form, with what was typed.
    await button('Back').click();
    await field('Codename').fill('tide_in_spring');
    await button('Save …').click();
    await dialog().getByText('“tide” becomes “tide_in_spring”').waitFor();
    // What becomes of a change that is on its way is said in the dialog, so it stays.
    const release = await holdRequests(page, '**/manage/**/items/*');
    await button('Save now').click();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press('Escape');
    expect(await dialog().count()).to.equal(1);
    release();
    await dialog().getByText('The item was changed.').waitFor();
    expect(await delivered('tide_in_spring')).to.deep.equal({
      status: 200,
      name: 'Spring tide',
      places: ['quay'],
    });
    expect(await delivered('tide')).to.include({ status: 404 });
    await button('Undo').click();
    await dialog().getByText('The item is as it was before.').waitFor();
    expect(await delivered('tide')).to.deep.equal({ status: 200, name: 'Tide', places: [] });
    await button('Close').click();
    await page.getByRole('heading', { name: 'Tide', exact: true }).waitFor();
  });

  job('are changed with the keyboard only', async () => {
    const keys = new Keyboard(page);
    await open();
    await keys.press('Name and place …');
    await keys.type(field('Name'), 'Ebb', true);
    await page.keyboard.press('Enter');
    await keys.press(button('Save now'));
    await dialog().getByText('The item was changed.').waitFor();
    await keys.press(button('Close'));
    await page.getByRole('heading', { name: 'Ebb', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Name and place …' }).and(page.locator(':focus')).waitFor();
  });

  longJob('show what the server refuses, and what someone else changed', async () => {
    await open();
    await edit();
    await field('Codename').fill('harbour_news');
    await button('Save …').click();
    await dialog().getByText("The codename 'harbour_news' is taken by another item.").waitFor();
    await field('Codename').fill('tide');
    await field('Name').fill('Mine');
    await button('Save …').click();
    await button('Save now').waitFor();
    await service.core.operations.inProject(project, null, (transaction) =>
      updateItem(transaction, { id: item }, { name: 'Theirs' }),
    );
    await button('Save now').click();
    await dialog().getByText('Name: Tide → Theirs', { exact: true }).waitFor();
    await isAccessible('a conflict');
    expect(await field('Name').inputValue()).to.equal('Mine');
    await dialog().getByRole('region').getByRole('button', { name: 'Save mine over theirs' }).click();
    await button('Save now').click();
    await dialog().getByText('The item was changed.').waitFor();
    expect(await delivered('tide')).to.include({ status: 200, name: 'Mine' });
  });

  longJob('compare with what someone else made of it, once it is replaced', async () => {
    const change = (name: string) =>
      service.core.operations.inProject(project, null, (transaction) =>
        updateItem(transaction, { id: item }, { name, codename: name.toLowerCase() }),
      );
    const keep = () => button('Save mine over theirs').click();
    await open();
    await edit();
    await field('Name').fill('Mine');
    await button('Save …').click();
    await button('Save now').waitFor();
    await change('Theirs');
    await button('Save now').click();
    await dialog().getByText('Codename: tide → theirs', { exact: true }).waitFor();
    await field('Name').and(page.locator(':focus')).waitFor();
    await field('Codename').fill('mine');
    await keep();
    await dialog().getByText('Codename: “theirs” becomes “mine”').waitFor();
    await dialog().getByText('Programs that ask for the item by “theirs”').waitFor();
    await button('Save now').click();
    await dialog().getByText('The item was changed.').waitFor();
    // The way back is refused as well where someone changed it once more.
    await change('Later');
    await button('Undo').click();
    await dialog().getByText('Codename: mine → later', { exact: true }).waitFor();
    await isAccessible('a conflict of the way back');
    await keep();
    await dialog().getByText('The item is as it was before.').waitFor();
    // What has the focus says it to screen readers.
    await dialog()
      .getByRole('group', { name: 'The item is as it was before.' })
      .and(page.locator(':focus'))
      .waitFor();
    expect(await delivered('theirs')).to.include({ status: 200, name: 'Theirs' });
  });

  job('keep the locations, and their order, also where the sitemap is not there', async () => {
    const places = [{ codename: 'quay' }, { codename: 'harbour' }];
    await service.core.operations.inProject(project, null, (transaction) =>
      updateItem(transaction, { id: item }, { name: 'Tide', sitemap_locations: places }),
    );
    const SITEMAP = `**/admin/projects/${project}/sitemap`;
    await page.route(SITEMAP, (route) => route.fulfill({ status: 403, body: '{}' }));
    await open();
    await edit();
    await dialog().getByRole('alert').waitFor();
    await field('Name').fill('Ebb');
    expect(await button('Save …').isDisabled()).to.equal(true);
    // Without the tree, all of them are chosen.
    expect(await dialog().locator('input[name=location]').count()).to.equal(2);
    await page.unroute(SITEMAP);
    await button('Try again').click();
    await dialog().getByRole('checkbox', { name: 'Quay', checked: true }).waitFor();
    await button('Save …').click();
    await dialog().getByText('Name: “Tide” becomes “Ebb”', { exact: true }).waitFor();
    expect(await dialog().getByText('Locations in the sitemap: “').count()).to.equal(0);
    await button('Back').click();
    await field('Name').and(page.locator(':focus')).waitFor();
    await button('Save …').click();
    await button('Save now').click();
    await dialog().getByText('The item was changed.').waitFor();
    expect((await delivered('ebb')).places).to.deep.equal(['quay', 'harbour']);
  });

  job('are offered to those who may write the item in all languages', async () => {
    const { id } = await service.core.operations.installation(null, (to) =>
      createRole(to, {
        ...{ codename: `role_${made}`, name: `Role ${made}` },
        permissions: ['view-content', 'create-content', 'edit-content'],
        limits: { 'edit-content': { types: null, languages: ['en'] } },
      }),
    );
    const person = { name: `Grace ${made}`, projects: [{ id: project, roles: [id] }] };
    await useSession(page, service, await signInPerson(service, person));
    await open();
    await page.getByRole('button', { name: 'Make a new version' }).waitFor();
    expect(await page.getByRole('button', { name: 'Name and place …' }).count()).to.equal(0);
  });

  longJob('are accessible in German and the dark theme', async () => {
    await open();
    await page.getByText('Ada Lovelace').click();
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByRole('banner').getByLabel('Language').selectOption('de');
    await page.getByRole('button', { name: 'Name und Ort …' }).click();
    const german = page.getByRole('dialog', { name: 'Name und Ort des Inhalts' });
    await german.getByLabel('Name', { exact: true }).fill('Ebbe');
    await german.getByRole('button', { name: 'Speichern …' }).click();
    await german.getByText('Name: aus „Tide“ wird „Ebbe“', { exact: true }).waitFor();
    await isAccessible();
  });
});
