/** What is typed in the item editor is saved by itself, or is still there, in a real browser. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createType, findType, updateType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { cutSaves } from '../support/browser/cut-saves.ts';
import { formStates } from '../support/browser/form-states.ts';
import { accessibilityFindings, openPage } from '../support/browser/open-browser.ts';
import { pageWithSession, signInPerson, useSession } from '../support/console/console-people.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { until } from '../support/until.ts';

const EN = { codename: 'en' };
const SAVED = 'All changes are saved.';
const KEPT = 'Your browser keeps a copy.';

describe('saving in the item editor', () => {
  let notes: NotesService;
  let browser: Browser;
  let page: Page;
  let account: string;
  /** Of a job that makes what can be there once only. */
  let attempts = 0;
  before(async () => {
    [notes, browser] = await Promise.all([NotesService.start({ unlimited: true }), browserOfProcess()]);
    ({ account } = await signInPerson(notes.service, { name: 'Ada Lovelace', isOperator: true }));
    await notes.run((transaction) =>
      createType(transaction, {
        name: 'Page',
        content_groups: [
          { name: 'Texts', codename: 'texts' },
          { name: 'Facts', codename: 'facts' },
        ],
        elements: [
          { type: 'text', name: 'Title', content_group: { codename: 'texts' } },
          { type: 'text', name: 'Summary', content_group: { codename: 'texts' } },
          { type: 'number', name: 'Count', content_group: { codename: 'facts' } },
        ],
      }),
    );
  });
  after(async () => {
    await browser.close();
    await notes.stop();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    const opened = await pageWithSession(browser, notes.service, account);
    ({ page } = opened);
    return {
      ...opened,
      /** A cut connection is an error of the browser, too. */
      get errors() {
        return opened.errors.filter((error) => !/ERR_|Failed to fetch/.test(error));
      },
    };
  });
  const field = (name: string, on = page) => on.getByRole('textbox', { name, exact: true });
  const button = (name: string, on = page) => on.getByRole('button', { name, exact: true });
  const says = (text: string | RegExp, on = page) => on.getByText(text).first().waitFor();
  /** The form has nothing that the server has not; an announcement may be of an earlier save. */
  const isSaved = (on = page) => stateOf(on).getByText(SAVED).waitFor();
  /** Saves, and waits until the server has it. */
  const save = async (on = page) => {
    await button('Save', on).click();
    await isSaved(on);
  };
  const stateOf = (on: Page) => on.locator('.form-bar');

  /** A draft of a new item. */
  const draft = (name: string, type = 'page') =>
    notes.run(async (transaction) => {
      const { id } = await createItem(transaction, { name, type: { codename: type } });
      await upsertVariant(transaction, { id }, EN, { elements: [] });
      return id;
    });
  const address = (item: string) =>
    `${notes.service.url}/console/projects/${notes.project}/items/${item}?language=en`;
  const open = async (item: string, on = page) => {
    await on.goto(address(item));
    await field('Title', on).waitFor();
  };
  const saved = async (item: string): Promise<Record<string, unknown>> => {
    const [row] = await notes.run(({ tx }) =>
      tx.all<{ elements: string }>(
        `SELECT n.elements AS elements FROM item i JOIN variant v ON v.item = i.number
           JOIN language l ON l.number = v.language AND l.codename = 'en'
           JOIN version n ON n.number = COALESCE(v.draft, v.published) WHERE i.id = ?`,
        [item],
      ),
    );
    return Object.fromEntries(Object.values(JSON.parse(row!.elements)).map((value, index) => [index, value]));
  };
  const write = (item: string, codename: string, value: string) =>
    notes.run((transaction) =>
      upsertVariant(transaction, { id: item }, EN, { elements: [{ element: { codename }, value }] }),
    );
  const has = (item: string, text: string) =>
    until(async () => Object.values(await saved(item)).some((value) => String(value).includes(text)));
  job('saves after a pause, and without a connection once there is one again', async () => {
    const item = await draft('Autosaved');
    await open(item);
    const states = await formStates(page);
    await field('Title').fill('By itself');
    await has(item, 'By itself');
    await isSaved();
    expect((await states()).join('\n')).to.match(/^One element is not saved yet\./m);
    await page.context().setOffline(true);
    await field('Title').fill('Without a connection');
    await says(/^There is no connection\. One element is not saved yet.*Your browser keeps a copy\./);
    await isAccessibleToo();
    await page.context().setOffline(false);
    await has(item, 'Without a connection');
    await isSaved();
  });

  longJob('says once to screen readers that what was typed is saved', async () => {
    const item = await draft('Read once');
    await open(item);
    await field('Title').fill('Typed');
    await page.keyboard.press('Control+s');
    const shown = page.locator('.announcements').getByText(SAVED);
    await shown.waitFor();
    expect(await shown.getAttribute('aria-hidden'), 'the bar says it').to.equal('true');
    await page.keyboard.press('Control+s');
    await page.locator('.announcements [aria-hidden=false]').waitFor();
  });

  job('saves before the form is left', async () => {
    const item = await draft('Left');
    await open(item);
    await field('Title').fill('At the last moment');
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await has(item, 'At the last moment');
  });

  longJob('offers what was not saved after the tab has crashed', async () => {
    const item = await draft('Crashed');
    const crashing = await page.context().newPage();
    await open(item, crashing);
    await cutSaves(crashing);
    await field('Summary', crashing).fill('Typed before the crash');
    await says(KEPT, crashing);
    const session = await page.context().newCDPSession(crashing);
    const crashed = crashing.waitForEvent('crash');
    session.send('Page.crash').catch(() => undefined);
    await crashed;
    await crashing.close();
    await open(item);
    const dialog = page.getByRole('dialog', { name: 'Changes that were not saved' });
    await isAccessible();
    await dialog.getByRole('button', { name: 'Restore them' }).click();
    expect(await field('Summary').inputValue()).to.equal('Typed before the crash');
    await save();
    await has(item, 'Typed before the crash');
    await page.reload();
    await field('Summary').waitFor();
    expect(await dialog.count()).to.equal(0);
  });

  longJob('keeps the copies of two tabs apart', async () => {
    const item = await draft('Two tabs');
    await open(item);
    const connect = await cutSaves(page);
    await field('Summary').fill('Of the first tab');
    await says(KEPT);
    const second = await page.context().newPage();
    await open(item, second);
    expect(await second.getByRole('dialog').count(), 'the other tab is open').to.equal(0);
    await field('Title', second).fill('Of the second tab');
    await has(item, 'Of the second tab');
    await isSaved(second);
    await second.close();
    await page.reload();
    await page.getByRole('button', { name: 'Restore them' }).click();
    await connect();
    await has(item, 'Of the first tab');
    expect(Object.values(await saved(item))).to.include.members(['Of the first tab', 'Of the second tab']);
  });

  longJob('offers what another tab has not saved once that tab has ended', async () => {
    const item = await draft('Ended tab');
    const other = await page.context().newPage();
    await open(item, other);
    await cutSaves(other);
    await field('Summary', other).fill('Of the tab that ends');
    await says(KEPT, other);
    await open(item);
    await isSaved();
    expect(await page.getByRole('dialog').count(), 'the other tab is open').to.equal(0);
    await other.close();
    await page.getByRole('button', { name: 'Restore them' }).click();
    await has(item, 'Of the tab that ends');
  });

  job('shows in an open choice what others saved last, also where the first read of it failed', async () => {
    const item = await draft('Failed read');
    await open(item);
    await cutSaves(page);
    await field('Summary').fill('Mine');
    await write(item, 'summary', 'Saved first');
    await says('Saved first');
    const reads = '**/manage/**/variants/**';
    await page.route(reads, (route) => route.abort());
    const failed = page.waitForEvent(
      'requestfailed',
      (request) => request.method() === 'GET' && request.url().includes('/variants/'),
    );
    await write(item, 'summary', 'Saved last');
    await failed;
    await page.unroute(reads);
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await says('Saved last');
  });

  job('says that the browser keeps no copy where it may not, and saves all the same', async () => {
    const item = await draft('No storage');
    const forbidden = await page.context().newPage();
    await forbidden.addInitScript('indexedDB.open = () => { throw new Error("forbidden"); }');
    await open(item, forbidden);
    const connect = await cutSaves(forbidden);
    await field('Title', forbidden).fill('Nowhere yet');
    await says(/Your browser keeps no copy: do not close this page before you save\./, forbidden);
    await connect();
    await save(forbidden);
    await has(item, 'Nowhere yet');
  });

  job('shows at the element what the server refused, and leads there', async () => {
    const item = await draft('Refused');
    await open(item);
    await page.getByRole('tab', { name: 'Facts' }).click();
    await field('Count').fill('many');
    await page.getByRole('tab', { name: 'Texts' }).click();
    await field('Title').fill('Saved all the same');
    await button('Save').click();
    await says('The server refused one element; what is wrong is said there.');
    await has(item, 'Saved all the same');
    await button('Show').click();
    await page.getByRole('tab', { name: 'Facts', selected: true }).waitFor();
    await page.locator('[data-element=count] input:focus').waitFor();
    expect(await page.locator('[data-element=count]').getByText('This is no number.').count()).to.equal(1);
    await isAccessibleToo();
    await field('Count').fill('3');
    await save();
  });

  longJob('keeps what was typed where the item is archived meanwhile', async () => {
    const item = await draft('Archived');
    await open(item);
    await field('Title').fill('Before');
    await has(item, 'Before');
    await notes.admin('POST', `items/${item}/archive`);
    await field('Summary').fill('Typed too late');
    await says(/^This item was archived or deleted while you had it open/);
    expect(await field('What you typed is still here:').inputValue()).to.include('Summary:\nTyped too late');
    await isAccessible();
    await button('Restore the item').click();
    await isSaved();
    await has(item, 'Typed too late');
    await notes.admin('POST', `items/${item}/archive`);
    await field('Summary').fill('Typed again');
    await button('Save it as a new item').click();
    await page.getByRole('link', { name: 'Open the new item' }).click();
    await page.getByRole('heading', { name: 'Archived (copy)' }).waitFor();
    expect(await field('Summary').inputValue()).to.equal('Typed again');
  });

  longJob('keeps what was typed where the type loses the element meanwhile', async () => {
    const type = await notes.run((transaction) =>
      createType(transaction, {
        name: 'Short',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'text', name: 'Extra' },
        ],
      }),
    );
    const item = await draft('Short one', type.codename);
    await open(item);
    await notes.run(async (transaction) => {
      const [title] = findType(transaction, { id: type.id }).elements;
      await updateType(transaction, { id: type.id }, { elements: [title!] });
    });
    await field('Extra').fill('Typed in a removed element');
    await button('Save').click();
    await says('The content type no longer has these elements');
    await isAccessibleToo();
    await field('Title').fill('Saved besides');
    await button('Save').click();
    await has(item, 'Saved besides');
    await button('Discard what you typed').click();
    await isSaved();
  });

  longJob('keeps what was typed where the language or the role goes meanwhile', async () => {
    const item = await draft('Taken away');
    attempts += 1;
    const language = await notes.run(async (transaction) => {
      const name = `French ${attempts}`;
      const made = await createLanguage(transaction, { name, codename: `fr_${attempts}` });
      await upsertVariant(transaction, { id: item }, { id: made.id }, { elements: [] });
      return made;
    });
    const role = await notes.admin<{ id: string }>('POST', '/roles', {
      codename: `editor_of_pages_${attempts}`,
      name: `Editor of pages ${attempts}`,
      permissions: ['view-content', 'create-content', 'edit-content'],
    });
    const projects = [{ id: notes.project, roles: [role.body.id] }];
    const person = await signInPerson(notes.service, { name: `Editor ${attempts}`, projects });
    const { page: own } = await openPage(browser);
    await useSession(own, notes.service, person);
    await open(item, own);
    const connect = await cutSaves(own);
    await field('Title', own).fill('Typed as an editor');
    await says(KEPT, own);
    const limits = { 'edit-content': { types: null, languages: [language.codename] } };
    await notes.admin('PATCH', `/roles/${role.body.id}`, { limits });
    await connect();
    await says(/^You may not change this item any more/, own);
    const kept = (on: Page) => field('What you typed is still here:', on).inputValue();
    expect(await kept(own)).to.include('Title:\nTyped as an editor');
    // A new item would be in this language, too.
    expect(await button('Save it as a new item', own).count()).to.equal(0);
    expect(await accessibilityFindings(own)).to.deep.equal([]);
    await own.context().close();

    await page.goto(address(item).replace('language=en', `language=${language.codename}`));
    await field('Title').waitFor();
    const end = await cutSaves(page);
    await field('Title').fill('Not saved yet');
    await says(KEPT);
    await notes.admin('POST', `languages/${language.id}/deactivate`);
    await says(/^This language was deactivated while you had it open/);
    expect(await kept(page)).to.include('Title:\nNot saved yet');
    await isAccessible();
    await end();
  });

  job('keeps its buttons where they are while the text beside them changes', async () => {
    const item = await draft('In place');
    await write(item, 'title', 'Public');
    await notes.run((transaction) => publishVariant(transaction, { id: item }, EN));
    await notes.run((transaction) => newVersion(transaction, { id: item }, EN));
    await open(item);
    const end = await cutSaves(page);
    for (const width of [1440, 1280, 800, 390]) {
      await page.setViewportSize({ width, height: 720 });
      await isSaved();
      const place = () => button('Discard the draft …').boundingBox();
      const before = await place();
      await field('Title').fill(`Typed at ${width}`);
      await says(KEPT);
      expect(await place(), `${width} px`).to.deep.equal(before);
      await button('Undo').click();
    }
    await end();
  });

  job('discards a draft after it has shown what is lost', async () => {
    const item = await draft('Discarded');
    await write(item, 'title', 'Public');
    await notes.run((transaction) => publishVariant(transaction, { id: item }, EN));
    await notes.run((transaction) => newVersion(transaction, { id: item }, EN));
    await open(item);
    await field('Title').fill('Not public');
    await button('Discard the draft …').click();
    const dialog = page.getByRole('dialog', { name: 'Discard the draft' });
    await dialog.getByRole('listitem').getByText('Title').waitFor();
    await isAccessibleToo();
    await dialog.getByRole('button', { name: 'Discard it' }).click();
    await button('Make a new version').waitFor();
    await until(async () => (await field('Title').inputValue()) === 'Public');
  });
});
