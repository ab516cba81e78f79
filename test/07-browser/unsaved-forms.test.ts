/**
 * What was typed in each form outside of the item editor and the content model: after the server was away, the session ended
 * and the browser was killed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { ConsoleForms, click, mark, offer, press, type, valuesIn } from '../support/browser/console-forms.ts';
import { PERSON } from '../support/browser/console-person.ts';
import { type FilledForm, FORMS, IN_TEXTS } from '../support/browser/filled-forms.ts';
import { accessibilityFindings, openProfile } from '../support/browser/open-browser.ts';
import { storedIn } from '../support/browser/stored-in.ts';
import { pageWithSession, sessionOf, useSession } from '../support/console/console-people.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import type { RunningService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

/** Pages that work at the same time. */
const AT_ONCE = 2;
/** In the short form one of each kind: a dialog with texts and boxes, a form on its screen, a plan in a dialog of its own. */
const KINDS = ['a new webhook', 'a new project', 'a language'];
const TRIED = (isLongForm ? Object.keys(FORMS) : KINDS).map((name) => [name, FORMS[name]!] as const);
/** Forms in which the person signs in again: each password is hashed, which takes as long as a form. */
const SIGNED_IN = isLongForm ? 2 : 1;

describe('what was typed in a form and not saved', function () {
  this.timeout(400_000);
  let forms: ConsoleForms;
  let service: RunningService;
  let browser: Browser;
  let url: string;
  let account: string;
  let folder: string;
  before(async () => {
    forms = await ConsoleForms.start();
    ({ service, browser, url, account } = forms);
    folder = await mkdtemp(join(tmpdir(), 'headwater-profile-'));
  });
  after(async () => {
    await forms?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  const endSessions = () => service.core.operations.storage.write((tx) => tx.run('DELETE FROM session'));
  const each = async (work: (name: string, form: FilledForm) => Promise<void>) => {
    const waiting = [...TRIED];
    const one = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        await work(...next).catch((error: Error) => {
          throw new Error(`${next![0]}: ${error.message}`, { cause: error });
        });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  };

  it('stays where the server is away or the session has ended, and is offered again after the browser was killed', async () => {
    const killed = await openProfile(folder);
    const context = killed.page.context();
    await useSession(killed.page, service, forms.ada);
    const opened = new Map<string, { page: Page; form: Locator }>();
    try {
      await each(async (name, one) => {
        const page = await context.newPage();
        const form = await forms.open(page, one);
        await type(form, one);
        opened.set(name, { page, form });
        await until(async () => (await storedIn(page)).includes(mark(one)));
      });
      await forms.goAway();
      await each(async (name, one) => {
        if (one.isDropped) return;
        const { page, form } = opened.get(name)!;
        await click(form, one.save);
        await page
          .getByText(/The server does not answer/)
          .first()
          .waitFor();
        if (one.isPlanned) await page.keyboard.press('Escape');
        expect(await valuesIn(form, one)).to.deep.equal(one.typed);
      });
      await forms.comeBack();
      await endSessions();
      const question = (page: Page) => page.getByRole('dialog', { name: 'Sign in' });
      // All of them, before one has signed in: the others would not ask.
      await each(async (name, one) => {
        if (one.isDropped) return;
        const { page, form } = opened.get(name)!;
        await click(form, one.save);
        await question(page).waitFor();
        expect(await valuesIn(form, one)).to.deep.equal(one.typed);
      });
      const asking = [...opened].filter(([name]) => !FORMS[name]!.isDropped);
      for (const [name, { page, form }] of asking.slice(0, SIGNED_IN)) {
        const dialog = question(page);
        await dialog.getByLabel('Password').fill(PERSON.password);
        await dialog.getByRole('button', { name: 'Sign in' }).click();
        await dialog.waitFor({ state: 'detached' });
        expect(await valuesIn(form, FORMS[name]!)).to.deep.equal(FORMS[name]!.typed);
      }
    } finally {
      await killed.kill();
    }
    const next = await openProfile(folder);
    try {
      await useSession(next.page, service, await sessionOf(service, account));
      await each(async (_, one) => {
        const page = await next.page.context().newPage();
        const form = await forms.open(page, one);
        await offer(form).waitFor();
        expect(await valuesIn(form, one)).to.not.deep.equal(one.typed);
        if (one.isDropped) await offer(form).getByRole('button', { name: 'Discard it' }).click();
        else {
          await offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
          await until(async () => JSON.stringify(await valuesIn(form, one)) === JSON.stringify(one.typed));
          await click(form, one.save);
          if (one.confirm) await press(page, one.confirm);
        }
        await until(async () => !(await storedIn(page)).includes(mark(one)));
        await page.close();
      });
      await next.page.goto(`${url}/sessions`);
      expect(await storedIn(next.page)).to.equal('[]');
    } finally {
      await next.page.context().close();
    }
  });

  it('in a dialog of a rich text is offered again when the page is opened again', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    // In the short form the one with several fields.
    for (const one of isLongForm ? IN_TEXTS : IN_TEXTS.slice(0, 1)) {
      await type(await forms.open(page, one), one);
      await until(async () => {
        const stored = await storedIn(page);
        return stored.includes(mark(one)) && stored.split('"name"').length > Object.keys(one.typed).length;
      });
      await page.goto('about:blank');
      const form = await forms.open(page, one);
      await offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
      await until(async () => JSON.stringify(await valuesIn(form, one)) === JSON.stringify(one.typed));
      await click(form, one.save);
      await page.getByText('All changes are saved.').first().waitFor();
      await until(async () => (await storedIn(page)) === '[]');
    }
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  longTest('in a dialog of a rich text stays where another person changes the text around it', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const { browser: other } = await sessionOf(service, account);
    const manage = `manage/projects/${service.sample!.projectId}`;
    const variant = (item: string) => `${manage}/items/${item}/variants/codename/en`;
    type Element = { readonly element: { readonly id: string }; readonly value: unknown };
    const { elements } = (await other.request<{ elements: Element[] }>('GET', variant(forms.ids.ITEM))).body;
    const isText = ({ value }: Element) => typeof value === 'string' && value.includes('<figure');
    const { element, value } = elements.find(isText)!;
    const [, asset] = /<figure[^>]*data-asset-id="([^"]+)"/.exec(String(value))!;
    const figure = (text: string) =>
      `<figure data-asset-id="${asset}"><img src="#" data-asset-id="${asset}" alt="${text}"></figure>`;
    const write = (html: string) =>
      other.request('PUT', variant(forms.ids.IMAGES), { elements: [{ element, value: html }] });
    const type = { codename: 'article' };
    forms.ids.IMAGES = (
      await other.request<{ id: string }>('POST', `${manage}/items`, { name: 'Images', type })
    ).body.id;
    await write(`<p>First</p>${figure('One')}<p>Second</p>${figure('Two')}<p>Third</p>`);
    await page.goto(`${url}/projects/${service.sample!.projectId}/items/${forms.ids.IMAGES}`);
    await page.getByRole('button', { name: 'Edit the image' }).last().click();
    const description = page.getByLabel('Description for people who do not see the image');
    await description.fill('Typed meanwhile');
    for (const [html, shown] of [
      [`<p>First</p><p>Second of theirs</p>${figure('Two')}<p>Third</p>`, 'Second of theirs'],
      [`<p>Zero</p><p>First</p><p>Second of theirs</p>${figure('Two')}<p>Third</p>`, 'Zero'],
      [`<p>Zero</p>${figure('New')}<p>First of theirs</p>${figure('Two')}<p>Third</p>`, 'First of theirs'],
    ] as const) {
      await write(html);
      await page.getByText(shown, { exact: true }).waitFor();
      expect(await description.inputValue({ timeout: 1000 }), shown).to.equal('Typed meanwhile');
    }
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('All changes are saved.').first().waitFor();
    const saved = (await other.request<{ elements: Element[] }>('GET', variant(forms.ids.IMAGES))).body;
    expect(JSON.stringify(saved)).to.match(/First of theirs<\/p><figure.*Typed meanwhile.*<p>Third/);
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  it('is nothing before anything is typed', async () => {
    const { page } = await pageWithSession(browser, service, account);
    // In the short form one that is filled in when it opens.
    for (const name of isLongForm ? ['a key', 'a person', 'a role', 'a new item'] : ['a person']) {
      const form = await forms.open(page, FORMS[name]!);
      // Longer than a copy takes to be written.
      await page.waitForTimeout(400);
      await form.getByRole('button', { name: 'Cancel' }).click();
    }
    await page.goto(`${url}/sessions`);
    expect(await storedIn(page)).to.equal('[]');
    await page.context().close();
  });

  longTest('is said not to be kept where the browser keeps nothing', async () => {
    const { page } = await pageWithSession(browser, service, account);
    await page.addInitScript(
      `IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); }`,
    );
    const view = FORMS['a saved view']!;
    const form = await forms.open(page, view);
    await type(form, view);
    await form.getByText('Your browser keeps no copy of what you type here').waitFor();
    expect(await accessibilityFindings(page)).to.deep.equal([]);
    await click(form, view.save);
    await page.getByText('Kept view was saved.').first().waitFor();
    await page.context().close();
  });
});
