/**
 * What was typed in each form outside of the item editor and the content model: after the server was away, the session ended
 * and the browser was killed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { addOperator, PERSON } from '../support/browser/console-person.ts';
import { openAll } from '../support/browser/dialogs-of-screen.ts';
import { type FilledForm, FORMS, IN_TEXTS } from '../support/browser/filled-forms.ts';
import { accessibilityFindings, openBrowser, openProfile } from '../support/browser/open-browser.ts';
import { storedIn, storedKeysIn } from '../support/browser/stored-in.ts';
import {
  pageWithSession,
  type SignedInPerson,
  sessionOf,
  signInElsewhere,
  signInPerson,
  useSession,
} from '../support/console/console-people.ts';
import { type Relay, startRelay } from '../support/network/relay.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

/** Pages that work at the same time. */
const AT_ONCE = 4;
/** Forms in which the person signs in again: each password is hashed, which takes as long as a form. */
const SIGNED_IN = 2;

/** Runs before a page: its database is not open until `indexedDB.goOn`, as in the first moment of a slow browser. */
const NEVER_OPEN = `{
  const { open } = IDBFactory.prototype;
  const going = new Promise((resolve) => (IDBFactory.prototype.goOn = resolve));
  IDBFactory.prototype.open = function (...named) {
    const request = open.apply(this, named);
    const set = (listener) => request.addEventListener('success', () => void going.then(listener));
    Object.defineProperty(request, 'onsuccess', { set });
    return request;
  };
}`;

describe('what was typed in a form and not saved', function () {
  this.timeout(180_000);
  let service: RunningService;
  let browser: Browser;
  let relay: Relay;
  let url: string;
  let ada: SignedInPerson;
  let folder: string;
  let account: string;
  const ids = { ITEM: '', LINKED: '', PICTURES: '', FOLDER: '', WEBHOOK: '' };
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true, unlimited: true }), openBrowser()]);
    relay = await startRelay(Number(new URL(service.url).port));
    url = `http://127.0.0.1:${relay.port}/console`;
    account = await addOperator(service);
    ada = await sessionOf(service, account);
    // Who can get a key.
    await signInPerson(service, {
      name: 'Grace',
      projects: [{ id: service.sample!.projectId, capabilities: ['manage-apis'] }],
    });
    folder = await mkdtemp(join(tmpdir(), 'headwater-profile-'));
    const project = `projects/${service.sample!.projectId}`;
    const make = async <Made>(method: string, path: string, body: unknown) =>
      (await ada.browser.request<Made>(method, `manage/${project}/${path}`, body)).body;
    const trees = await make<{ folders: { id: string }[] }>('PATCH', 'folders', [
      { op: 'addInto', value: { name: 'Birds', folders: [] } },
    ]);
    ids.FOLDER = trees.folders.at(-1)!.id;
    const hook = { name: 'Hook', url: 'https://example.org/hook' };
    const triggers = { delivery_api_content_changes: [], workflow_step_changes: [] };
    ids.WEBHOOK = (await make<{ id: string }>('POST', 'webhooks', { ...hook, triggers })).id;
    const { items } = (
      await ada.browser.request<{ items: { id: string }[] }>('GET', `admin/${project}/items?text=kingfisher`)
    ).body;
    ids.ITEM = items[0]!.id;
    const type = { codename: 'article' };
    ids.LINKED = (await make<{ id: string }>('POST', 'items', { name: 'Linked', type })).id;
    await make('PUT', `items/${ids.LINKED}/variants/codename/en`, { elements: [] });
  });
  after(async () => {
    await browser?.close();
    await relay?.close();
    await service?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  const endSessions = () => service.core.operations.storage.write((tx) => tx.run('DELETE FROM session'));
  const offer = (form: Locator) => form.getByRole('region', { name: 'You typed something here before' });
  const press = (page: Page, name: string | RegExp) =>
    page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .or(page.getByRole('checkbox', { name }))
      .or(page.getByRole('tab', { name }))
      .or(page.getByRole('radio', { name }))
      .first()
      .click();
  const openForm = async (page: Page, { at, by, save }: FilledForm): Promise<Locator> => {
    const path = at.replace(/[A-Z]{4,}/, (name) => ids[name as keyof typeof ids]);
    await page.goto(url + (path.startsWith('/') ? path : `/projects/${service.sample!.projectId}/${path}`));
    for (const name of by) await press(page, name);
    const form = page.locator('form', { has: page.getByRole('button', { name: save, exact: true }) }).last();
    await form.waitFor();
    return form;
  };
  const control = (form: Locator, label: string) => form.getByLabel(label, { exact: true }).last();
  const valuesIn = async (form: Locator, { typed }: FilledForm) => {
    const values = Object.keys(typed).map(async (label) => {
      const one = control(form, label);
      return [label, typeof typed[label] === 'boolean' ? await one.isChecked() : await one.inputValue()];
    });
    return Object.fromEntries(await Promise.all(values));
  };
  const type = async (form: Locator, { typed }: FilledForm) => {
    for (const [label, value] of Object.entries(typed)) {
      const one = control(form, label);
      if (typeof value === 'boolean') await one.setChecked(value);
      else if ((await one.evaluate(({ nodeName }) => nodeName)) === 'SELECT') await one.selectOption(value);
      else await one.fill(value);
    }
  };
  /** As a click, also where a dialog is over it. */
  const click = (form: Locator, name: string) =>
    form
      .getByRole('button', { name, exact: true, includeHidden: true })
      .evaluate((button) => (button as unknown as { click(): void }).click());
  const each = async (work: (name: string, form: FilledForm) => Promise<void>) => {
    const waiting = Object.entries(FORMS);
    const one = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        await work(...next).catch((error: Error) => {
          throw new Error(`${next![0]}: ${error.message}`, { cause: error });
        });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  };
  const mark = ({ typed }: FilledForm) =>
    Object.values(typed).find((value) => typeof value === 'string') as string;

  it('stays where the server is away or the session has ended, and is offered again after the browser was killed', async () => {
    const killed = await openProfile(folder);
    const context = killed.page.context();
    await useSession(killed.page, service, ada);
    const opened = new Map<string, { page: Page; form: Locator }>();
    try {
      await each(async (name, one) => {
        const page = await context.newPage();
        const form = await openForm(page, one);
        await type(form, one);
        opened.set(name, { page, form });
        await until(async () => (await storedIn(page)).includes(mark(one)));
      });
      await relay.close();
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
      relay = await startRelay(Number(new URL(service.url).port), Number(new URL(url).port));
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
      for (const [name, { page, form }] of [...opened].slice(0, SIGNED_IN)) {
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
        const form = await openForm(page, one);
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

  it('is dropped by a choice, compared with what others did, and never a secret', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const webhook = FORMS['a webhook']!;
    const reopened = async () => {
      await page.goto('about:blank');
      return openForm(page, webhook);
    };
    let form = await openForm(page, webhook);
    await type(form, {
      ...webhook,
      typed: { Name: 'First name', 'These changes only': true, archive: true },
    });
    await until(async () => (await storedIn(page)).includes('The project: archive'));
    const { at } = JSON.parse(await storedIn(page))[0] as { at: string };
    form = await reopened();
    await offer(form).waitFor();
    const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
    await offer(form)
      .getByText(`Typed on ${time.format(new Date(at))}:`)
      .waitFor();
    expect(await offer(form).getByRole('listitem').allInnerTexts()).to.deep.equal([
      'Name: “First name”',
      'Notify of: These changes only',
      'The project: archive',
    ]);
    expect(await accessibilityFindings(page)).to.deep.equal([]);
    expect(
      await offer(form)
        .getByText(/changed by others/)
        .count(),
    ).to.equal(0);
    const path = `admin/projects/${service.sample!.projectId}/webhooks/${ids.WEBHOOK}`;
    const other = await sessionOf(service, account);
    const { body } = await other.browser.request<object>('GET', path);
    await other.browser.request('PUT', path, { ...body, name: 'Name of another person' });
    form = await reopened();
    await offer(form)
      .getByText(/changed by others/)
      .waitFor();
    await offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
    await until(async () => (await valuesIn(form, webhook))['Name'] === 'First name');
    // Escape asks, as *Cancel* does, and what is discarded then is not offered again.
    const question = page.getByRole('alert').filter({ hasText: 'is not saved yet' });
    await page.keyboard.press('Escape');
    await question.getByText('it stays in this browser and is offered').waitFor();
    await question.getByRole('button', { name: 'Discard it' }).click();
    await form.waitFor({ state: 'detached' });
    await until(async () => (await storedIn(page)) === '[]');
    form = await reopened();
    expect((await valuesIn(form, webhook))['Name']).to.equal('Name of another person');
    await type(form, { ...webhook, typed: { Name: 'Cancelled' } });
    await form.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Go on editing' }).click();
    expect((await valuesIn(form, webhook))['Name']).to.equal('Cancelled');
    await form.getByRole('button', { name: 'Cancel' }).click();
    expect(await accessibilityFindings(page)).to.deep.equal([]);
    await question.getByRole('button', { name: 'Keep it for later' }).click();
    await form.waitFor({ state: 'detached' });
    expect(await storedIn(page)).to.include('Cancelled');
    // What is offered and what is typed are discarded together.
    await press(page, webhook.by[0]!);
    await offer(form).waitFor();
    await type(form, { ...webhook, typed: { Name: 'Typed beside the offer' } });
    await until(async () => (await storedIn(page)).includes('Typed beside the offer'));
    await page.keyboard.press('Escape');
    await question.getByText('also discards what is offered above').waitFor();
    await question.getByRole('button', { name: 'Discard it' }).click();
    await until(async () => (await storedIn(page)) === '[]');
    await press(page, webhook.by[0]!);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.waitFor({ state: 'detached' });

    await page.goto(`${url}/sessions`);
    await press(page, 'Change the password …');
    await page.getByLabel('New password', { exact: true }).fill('a secret of Ada');
    await page.waitForTimeout(500);
    expect(await storedIn(page)).to.equal('[]');
    // Also where a form that has a copy asks for one.
    form = await openForm(page, webhook);
    await page.evaluate(`{
      const secret = Object.assign(document.createElement('input'), { type: 'password', name: 'secret' });
      secret.setAttribute('aria-label', 'Secret');
      document.querySelector('dialog form').prepend(secret);
    }`);
    await form.getByLabel('Secret').fill('another secret of Ada');
    await type(form, { ...webhook, typed: { Name: 'Beside a secret' } });
    await until(async () => (await storedIn(page)).includes('Beside a secret'));
    expect(await storedIn(page)).to.not.include('another secret');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard it' }).click();
    await until(async () => (await storedIn(page)) === '[]');
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  it('in a dialog of a rich text is offered again when the page is opened again', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    for (const one of IN_TEXTS) {
      await type(await openForm(page, one), one);
      await until(async () => {
        const stored = await storedIn(page);
        return stored.includes(mark(one)) && stored.split('"name"').length > Object.keys(one.typed).length;
      });
      await page.goto('about:blank');
      const form = await openForm(page, one);
      await offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
      await until(async () => JSON.stringify(await valuesIn(form, one)) === JSON.stringify(one.typed));
      await click(form, one.save);
      await page.getByText('All changes are saved.').first().waitFor();
      await until(async () => (await storedIn(page)) === '[]');
    }
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  it('in a dialog of a rich text stays where another person changes the text around it', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const { browser: other } = await sessionOf(service, account);
    const manage = `manage/projects/${service.sample!.projectId}`;
    const variant = (item: string) => `${manage}/items/${item}/variants/codename/en`;
    type Element = { readonly element: { readonly id: string }; readonly value: unknown };
    const { elements } = (await other.request<{ elements: Element[] }>('GET', variant(ids.ITEM))).body;
    const isText = ({ value }: Element) => typeof value === 'string' && value.includes('<figure');
    const { element, value } = elements.find(isText)!;
    const [, asset] = /<figure[^>]*data-asset-id="([^"]+)"/.exec(String(value))!;
    const figure = (text: string) =>
      `<figure data-asset-id="${asset}"><img src="#" data-asset-id="${asset}" alt="${text}"></figure>`;
    const write = (html: string) =>
      other.request('PUT', variant(ids.PICTURES), { elements: [{ element, value: html }] });
    const type = { codename: 'article' };
    ids.PICTURES = (
      await other.request<{ id: string }>('POST', `${manage}/items`, { name: 'Pictures', type })
    ).body.id;
    await write(`<p>First</p>${figure('One')}<p>Second</p>${figure('Two')}<p>Third</p>`);
    await page.goto(`${url}/projects/${service.sample!.projectId}/items/${ids.PICTURES}`);
    await page.getByRole('button', { name: 'Edit the picture' }).last().click();
    const description = page.getByLabel('Description for people who do not see the picture');
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
    const saved = (await other.request<{ elements: Element[] }>('GET', variant(ids.PICTURES))).body;
    expect(JSON.stringify(saved)).to.match(/First of theirs<\/p><figure.*Typed meanwhile.*<p>Third/);
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  it('is not lost for what is restored in its place, nor where the browser then keeps nothing', async () => {
    const { page } = await pageWithSession(browser, service, account);
    const view = FORMS['a saved view']!;
    const typeName = async (name: string) => {
      const form = await openForm(page, view);
      await type(form, { ...view, typed: { 'Name of a new view': name } });
      await until(async () => (await storedIn(page)).includes(name));
      return form;
    };
    const name = (form: Locator) => control(form, 'Name of a new view').inputValue();
    const restore = (form: Locator) =>
      offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
    await typeName('First');
    await page.goto('about:blank');
    let form = await typeName('Second');
    await restore(form);
    // The other one is offered then, and the first is no copy of a closed form any more.
    await until(async () => (await name(form)) === 'First' && JSON.parse(await storedIn(page)).length === 2);
    await restore(form);
    await until(async () => (await name(form)) === 'Second');
    await offer(form).getByRole('button', { name: 'Discard it' }).click();
    await offer(form).waitFor({ state: 'detached' });
    await page.goto('about:blank');
    form = await openForm(page, view);
    await offer(form).waitFor();
    await page.evaluate(
      `IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); }`,
    );
    await restore(form);
    await until(async () => (await name(form)) === 'Second');
    await form.getByText('Your browser keeps no copy of what you type here').waitFor();
    expect(await storedIn(page)).to.include('Second');
    await page.goto('about:blank');
    form = await openForm(page, view);
    await offer(form).getByRole('button', { name: 'Discard it' }).click();
    await until(async () => (await storedIn(page)) === '[]');
    await page.context().close();
  });

  it('is restored with a word about what does not exist any more, and where nothing is folded over it', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const other = (await sessionOf(service, account)).browser;
    const types = `manage/projects/${service.sample!.projectId}/types`;
    const gone = { name: 'Gone type', codename: 'gone_type', elements: [] };
    const { id } = (await other.request<{ id: string }>('POST', types, gone)).body;
    const item = FORMS['a new item']!;
    await type(await openForm(page, item), {
      ...item,
      typed: { Name: 'Of a type', 'Content type': 'gone_type' },
    });
    await until(async () => (await storedIn(page)).includes('gone_type'));
    await page.goto('about:blank');
    await other.request('DELETE', `${types}/${id}`);
    let form = await openForm(page, item);
    await offer(form).getByText('Content type: “Gone type”').waitFor();
    await offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
    const left = form.getByRole('status').filter({ hasText: 'does not exist here any more' });
    await left.getByText('Content type: “Gone type”').waitFor();
    expect(await left.getByRole('listitem').count()).to.equal(1);
    expect(await control(form, 'Name').inputValue()).to.equal('Of a type');
    expect(await accessibilityFindings(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    await press(page, 'Discard it');
    await form.waitFor({ state: 'detached' });

    const role = FORMS['a role']!;
    const limit = (of: Locator) => of.locator(`input[name="edit-content.languages"][value="de"]`);
    form = await openForm(page, role);
    await openAll(page, 'form details');
    await limit(form).check();
    await until(async () => (await storedIn(page)).includes('edit-content.languages'));
    await page.goto('about:blank');
    form = await openForm(page, role);
    expect(await limit(form).isVisible()).to.equal(false);
    await offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
    await limit(form).waitFor({ state: 'visible' });
    expect(await limit(form).isChecked()).to.equal(true);
    await page.keyboard.press('Escape');
    await press(page, 'Discard it');
    await until(async () => (await storedIn(page)) === '[]');
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  it('is offered by a tab that had the form open before, once the other tab is closed', async () => {
    const { page } = await pageWithSession(browser, service, account);
    const view = FORMS['a saved view']!;
    const form = await openForm(page, view);
    const other = await page.context().newPage();
    await type(await openForm(other, view), view);
    await until(async () => (await storedIn(other)).includes('Kept view'));
    expect(await offer(form).count()).to.equal(0);
    await other.close();
    await offer(form).getByText('Name of a new view: “Kept view”').waitFor();
    await offer(form).getByRole('button', { name: 'Discard it' }).click();
    await until(async () => (await storedIn(page)) === '[]');
    await page.context().close();
  });

  it('is not lost where the page is left at once', async () => {
    const { page } = await pageWithSession(browser, service, account);
    const item = FORMS['a new item']!;
    for (const [name, to] of [
      ['Left for nothing', 'about:blank'],
      ['Left for another screen', `${url}/sessions`],
    ] as const) {
      const form = await openForm(page, item);
      await control(form, 'Name').fill('Before');
      await until(async () => (await storedIn(page)).includes('Before'));
      await control(form, 'Name').fill(name);
      await page.goto(to);
      await page.goto(`${url}/sessions`);
      await until(async () => (await storedIn(page)).includes(name));
      // Nor is it offered again, once it is discarded.
      await offer(await openForm(page, item))
        .getByRole('button', { name: 'Discard it' })
        .click();
      await page.goto(to);
      await page.goto(`${url}/sessions`);
      expect(await storedIn(page)).to.equal('[]');
    }
    await page.context().close();
  });

  it('is not lost where the page is left before the database of the browser is open', async () => {
    const { page: next, errors } = await pageWithSession(browser, service, account);
    const item = FORMS['a new item']!;
    const typeIn = async (page: Page, name: string) => control(await openForm(page, item), 'Name').fill(name);
    const withoutDatabase = async () => {
      const page = await next.context().newPage();
      await page.addInitScript(NEVER_OPEN);
      return page;
    };
    const early = () => next.evaluate('JSON.stringify({ ...localStorage })');
    for (const isClosed of [false, true]) {
      const name = isClosed ? 'Typed before a crash' : 'Typed in the first moment';
      const page = await withoutDatabase();
      await typeIn(page, name);
      if (!isClosed) await page.goto('about:blank');
      else {
        await next.goto(`${url}/sessions`);
        await until(async () => String(await early()).includes(name));
      }
      await page.close();
      const form = await openForm(next, item);
      await offer(form).getByText(`Name: “${name}”`).waitFor();
      expect(await early()).to.equal('{}');
      await offer(form).getByRole('button', { name: 'Discard it' }).click();
      await until(async () => (await storedIn(next)) === '[]');
    }
    // Where it is not left, it is in one place.
    const slow = await withoutDatabase();
    await typeIn(slow, 'Typed a moment before');
    await until(async () => String(await early()).includes('Typed a moment before'));
    await slow.evaluate('indexedDB.goOn()');
    await until(async () => (await storedIn(next)).includes('Typed a moment before'));
    await until(async () => (await early()) === '{}');
    await slow.close();
    // Signing out removes it there, too.
    const left = await withoutDatabase();
    await typeIn(left, 'Typed by one who signs out');
    await left.goto('about:blank');
    await next.bringToFront();
    await next.goto(`${url}/sessions`);
    await next.locator('.menu summary').click();
    await press(next, 'Sign out');
    const lines = next.getByRole('dialog').getByRole('listitem');
    await lines.first().waitFor();
    expect(await lines.count()).to.equal(2);
    await press(next, 'Sign out and discard it');
    await next.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    expect([await early(), await storedIn(next)]).to.deep.equal(['{}', '[]']);
    // Where the page may keep nothing there, the database has it.
    await useSession(next, service, await sessionOf(service, account));
    const forbidden = await withoutDatabase();
    await forbidden.addInitScript(
      `Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } })`,
    );
    await typeIn(forbidden, 'Typed where storage is forbidden');
    await forbidden.evaluate('indexedDB.goOn()');
    await until(async () => (await storedIn(forbidden)).includes('Typed where storage is forbidden'));
    expect(errors).to.deep.equal([]);
    await next.context().close();
  });

  it('belongs to the person who goes on with the page', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const webhook = FORMS['a webhook']!;
    const type = async (form: Locator, name: string) => {
      await control(form, 'Name').fill(name);
      await until(async () => (await storedIn(page)).includes(name));
    };
    const ownersIn = async () =>
      (JSON.parse(await storedKeysIn(page)) as string[]).map((key) => key.split(' ')[0]);
    // One that is offered while the person changes: it stays theirs.
    await type(await openForm(page, webhook), 'Left by Ada');
    await page.goto('about:blank');
    const form = await openForm(page, webhook);
    await offer(form).waitFor();
    await type(form, 'Typed by Ada');
    const mary = await signInPerson(service, { name: 'Mary', isOperator: true });
    await signInElsewhere(page, service, mary);
    await click(form, webhook.save);
    await page.getByRole('button', { name: 'Save what is here as Mary' }).click();
    await offer(form).waitFor({ state: 'detached' });
    await until(async () => (await ownersIn()).includes(mary.account));
    await type(form, 'Typed by Mary');
    expect(await ownersIn()).to.have.members([account, mary.account]);
    expect(await storedIn(page))
      .to.include('Left by Ada')
      .and.to.not.include('Typed by Ada');
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  it('is named when the person signs out, and kept or discarded, in all tabs', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const signOut = async () => {
      // Behind another tab, a click takes seconds.
      await page.bringToFront();
      await page.goto(`${url}/sessions`);
      await page.locator('.menu summary').click();
      await press(page, 'Sign out');
    };
    const dialog = page.getByRole('dialog', { name: 'Sign out' });
    const signedOut = (of: Page) => of.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    const webhook = FORMS['a webhook']!;
    const address = 'https://kept.example.org/hook?token=a-secret';
    await type(await openForm(page, webhook), { ...webhook, typed: { URL: address } });
    await until(async () => (await storedIn(page)).includes(address));
    await signOut();
    const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
    const { at } = JSON.parse(await storedIn(page))[0] as { at: string };
    const line = dialog.getByRole('listitem');
    await line.waitFor();
    expect(await line.textContent())
      .to.match(/^Edit .+: URL \(/)
      .and.include(`(${time.format(new Date(at))})`);
    expect(await accessibilityFindings(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Sign out and keep it' }).click();
    await signedOut(page);
    expect(await storedIn(page)).to.include(address);

    await useSession(page, service, await sessionOf(service, account));
    const other = await page.context().newPage();
    const view = FORMS['a saved view']!;
    await type(await openForm(other, view), view);
    await until(async () => (await storedIn(other)).includes('Kept view'));
    await signOut();
    await dialog.getByText(/^Saved views: Name of a new view/).waitFor();
    await relay.close();
    await dialog.getByRole('button', { name: 'Sign out and discard it' }).click();
    await dialog.getByText(/The server does not answer/).waitFor();
    expect(await storedIn(page))
      .to.include(address)
      .and.include('Kept view');
    relay = await startRelay(Number(new URL(service.url).port), Number(new URL(url).port));
    await dialog.getByRole('button', { name: 'Sign out and discard it' }).click();
    await Promise.all([signedOut(page), signedOut(other)]);
    expect(await storedIn(page)).to.equal('[]');

    await useSession(page, service, await sessionOf(service, account));
    await signOut();
    await signedOut(page);
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  it('is nothing before anything is typed', async () => {
    const { page } = await pageWithSession(browser, service, account);
    for (const name of ['a key', 'a person', 'a role', 'a new item']) {
      const form = await openForm(page, FORMS[name]!);
      // Longer than a copy takes to be written.
      await page.waitForTimeout(400);
      await form.getByRole('button', { name: 'Cancel' }).click();
    }
    await page.goto(`${url}/sessions`);
    expect(await storedIn(page)).to.equal('[]');
    await page.context().close();
  });

  it('is said not to be kept where the browser keeps nothing', async () => {
    const { page } = await pageWithSession(browser, service, account);
    await page.addInitScript(
      `IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); }`,
    );
    const view = FORMS['a saved view']!;
    const form = await openForm(page, view);
    await type(form, view);
    await form.getByText('Your browser keeps no copy of what you type here').waitFor();
    expect(await accessibilityFindings(page)).to.deep.equal([]);
    await click(form, view.save);
    await page.getByText('Kept view was saved.').first().waitFor();
    await page.context().close();
  });
});
