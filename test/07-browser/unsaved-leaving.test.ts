/** What was typed in a form whose page is left, or goes on for another person, and what remains of it when a person signs out. */
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { ConsoleForms, click, control, offer, press, type } from '../support/browser/console-forms.ts';
import { FORMS } from '../support/browser/filled-forms.ts';
import { accessibilityFindings } from '../support/browser/open-browser.ts';
import { storedIn, storedKeysIn } from '../support/browser/stored-in.ts';
import {
  pageWithSession,
  sessionOf,
  signInElsewhere,
  signInPerson,
  useSession,
} from '../support/console/console-people.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import type { RunningService } from '../support/service/start-service.ts';
import { unique } from '../support/unique.ts';
import { until } from '../support/until.ts';

/** Runs before a page: its database does not answer until `indexedDB.goOn`, as in the first moment of a slow browser. */
const NEVER_OPEN = `{
  const { open } = IDBFactory.prototype;
  const going = new Promise((resolve) => (IDBFactory.prototype.goOn = resolve));
  IDBFactory.prototype.open = function (...named) {
    const request = open.apply(this, named);
    for (const end of ['success', 'error']) {
      const set = (listener) => request.addEventListener(end, () => void going.then(listener));
      Object.defineProperty(request, 'on' + end, { set });
    }
    return request;
  };
}`;

/** Runs before a page: its database cannot be opened, as where there is no space for it, or its files are damaged. */
const CANNOT_OPEN = `{
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function () {
    const request = open.call(this, 'none');
    const set = () => request.addEventListener('upgradeneeded', () => request.transaction.abort());
    Object.defineProperty(request, 'onupgradeneeded', { set });
    return request;
  };
}`;

describe('what was typed in a page that is left', () => {
  let forms: ConsoleForms;
  let service: RunningService;
  let browser: Browser;
  let url: string;
  let account: string;
  before(async () => {
    forms = await ConsoleForms.start();
    ({ service, browser, url, account } = forms);
  });
  after(async () => {
    await forms?.stop();
  });

  const item = FORMS['a new item']!;
  const webhook = FORMS['a webhook']!;
  const address = 'https://kept.example.org/hook?token=a-secret';
  const signOut = async (page: Page) => {
    // Behind another tab, a click takes seconds.
    await page.bringToFront();
    await page.goto(`${url}/sessions`);
    await page.locator('.menu summary').click();
    await press(page, 'Sign out');
  };
  const signOutDialog = (page: Page) => page.getByRole('dialog', { name: 'Sign out' });
  const signedOut = (page: Page) => page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  const typeIn = async (page: Page, name: string) => control(await forms.open(page, item), 'Name').fill(name);
  /** A page beside the given one whose database does not answer. */
  const withoutDatabase = async (beside: Page) => {
    const page = await beside.context().newPage();
    await page.addInitScript(NEVER_OPEN);
    return page;
  };
  /** What pages keep until the database is open. */
  const earlyIn = (page: Page) => page.evaluate('JSON.stringify({ ...localStorage })');

  it('is not lost where the page is left at once', async () => {
    const { page } = await pageWithSession(browser, service, account);
    const ways = [
      ['Left for nothing', 'about:blank'],
      ['Left for another screen', `${url}/sessions`],
    ] as const;
    for (const [name, to] of isLongForm ? ways : ways.slice(0, 1)) {
      const form = await forms.open(page, item);
      await control(form, 'Name').fill('Before');
      await until(async () => (await storedIn(page)).includes('Before'));
      await control(form, 'Name').fill(name);
      await page.goto(to);
      await page.goto(`${url}/sessions`);
      await until(async () => (await storedIn(page)).includes(name));
      // Nor is it offered again, once it is discarded.
      await offer(await forms.open(page, item))
        .getByRole('button', { name: 'Discard it' })
        .click();
      await page.goto(to);
      await page.goto(`${url}/sessions`);
      expect(await storedIn(page)).to.equal('[]');
    }
    await page.context().close();
  });

  longTest('is not lost where the page is left before the database of the browser is open', async () => {
    const { page: next, errors } = await pageWithSession(browser, service, account);
    // Left, or in the long form also closed.
    for (const isClosed of isLongForm ? [false, true] : [false]) {
      const name = isClosed ? 'Typed before a crash' : 'Typed in the first moment';
      const page = await withoutDatabase(next);
      await typeIn(page, name);
      if (!isClosed) await page.goto('about:blank');
      else {
        await next.goto(`${url}/sessions`);
        await until(async () => String(await earlyIn(next)).includes(name));
      }
      await page.close();
      const form = await forms.open(next, item);
      await offer(form).getByText(`Name: “${name}”`).waitFor();
      expect(await earlyIn(next)).to.equal('{}');
      await offer(form).getByRole('button', { name: 'Discard it' }).click();
      await until(async () => (await storedIn(next)) === '[]');
    }
    expect(errors).to.deep.equal([]);
    await next.context().close();
  });

  longTest(
    'is in one place once the database of the browser is open, and removed where its person signs out',
    async () => {
      const { page: next, errors } = await pageWithSession(browser, service, account);
      const early = () => earlyIn(next);
      await next.goto(`${url}/sessions`);
      const slow = await withoutDatabase(next);
      await typeIn(slow, 'Typed a moment before');
      await until(async () => String(await early()).includes('Typed a moment before'));
      await slow.evaluate('indexedDB.goOn()');
      await until(async () => (await storedIn(next)).includes('Typed a moment before'));
      await until(async () => (await early()) === '{}');
      await slow.close();
      // Signing out removes it there, too.
      const left = await withoutDatabase(next);
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
      const forbidden = await withoutDatabase(next);
      await forbidden.addInitScript(
        `Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } })`,
      );
      await typeIn(forbidden, 'Typed where storage is forbidden');
      await forbidden.evaluate('indexedDB.goOn()');
      await until(async () => (await storedIn(forbidden)).includes('Typed where storage is forbidden'));
      expect(errors).to.deep.equal([]);
      await next.context().close();
    },
  );

  longTest('is offered after a reload, too, where the database never opens, or opens late', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const early = () => earlyIn(page);
    await page.addInitScript(NEVER_OPEN);
    await control(await forms.open(page, item), 'Name').fill('Typed without a database');
    await until(async () => String(await early()).includes('Typed without a database'));
    for (const choice of ['Restore what I typed', 'Discard it']) {
      const form = await forms.open(page, item);
      await offer(form).getByText('Name: “Typed without a database”').waitFor();
      await offer(form).getByRole('button', { name: choice }).click();
      if (choice === 'Discard it') break;
      await until(async () => (await control(form, 'Name').inputValue()) === 'Typed without a database');
      // One copy: that of this form.
      await until(async () => Object.keys(JSON.parse(String(await early()))).length === 1);
    }
    await until(async () => (await early()) === '{}');
    // What the database has is offered once it opens.
    const other = await page.context().newPage();
    await control(await forms.open(other, item), 'Name').fill('Typed with a database');
    await until(async () => (await storedIn(other)).includes('Typed with a database'));
    await other.close();
    const form = await forms.open(page, item);
    await page.waitForTimeout(4000);
    expect(await offer(form).count()).to.equal(0);
    await page.evaluate('indexedDB.goOn()');
    await offer(form).getByText('Name: “Typed with a database”').waitFor();
    await offer(form).getByRole('button', { name: 'Discard it' }).click();
    await until(async () => (await storedIn(page)) === '[]');
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  longTest(
    'stays in the browser only as its person chooses where the database cannot be opened',
    async () => {
      const { page: next, errors } = await pageWithSession(browser, service, account);
      const early = () => earlyIn(next);
      const typeIn = async (page: Page, name: string) => {
        const form = await forms.open(page, item);
        await control(form, 'Name').fill(name);
        return form;
      };
      const pageWith = async (script: string) => {
        const page = await next.context().newPage();
        await page.addInitScript(script);
        return page;
      };
      await next.goto(`${url}/sessions`);
      // Its person is told that nothing is kept, so nothing is.
      const broken = await pageWith(NEVER_OPEN + CANNOT_OPEN);
      const form = await typeIn(broken, 'Typed before it failed');
      await until(async () => String(await early()).includes('Typed before it failed'));
      await broken.evaluate('indexedDB.goOn()');
      await control(form, 'Name').fill('Typed after it failed');
      await form.getByText(/^Your browser keeps no copy of what you type here/).waitFor();
      await signOut(broken);
      await signedOut(broken);
      expect(await early()).to.equal('{}');
      // What a page has left that ended before, or that still waits, is asked about.
      for (const [script, name] of [
        [CANNOT_OPEN, 'Typed before the database failed'],
        [NEVER_OPEN, 'Typed before a database that does not answer'],
      ] as const) {
        await useSession(next, service, await sessionOf(service, account));
        const left = await pageWith(NEVER_OPEN);
        await typeIn(left, name);
        await left.goto('about:blank');
        const page = await pageWith(script);
        await page.goto(`${url}/sessions`);
        for (const choice of ['Sign out and keep it', 'Sign out and discard it']) {
          await useSession(page, service, await sessionOf(service, account));
          await signOut(page);
          await page
            .getByRole('dialog')
            .getByText(/^New item: Name \(/)
            .waitFor();
          await press(page, choice);
          await signedOut(page);
          const kept = String(await earlyIn(page));
          expect(kept.includes(name)).to.equal(choice === 'Sign out and keep it');
        }
      }
      await next.goto(`${url}/sessions`);
      expect([await early(), await storedIn(next)]).to.deep.equal(['{}', '[]']);
      expect(errors).to.deep.equal([]);
      await next.context().close();
    },
  );

  it('belongs to the person who goes on with the page', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const type = async (form: Locator, name: string) => {
      await control(form, 'Name').fill(name);
      await until(async () => (await storedIn(page)).includes(name));
    };
    const ownersIn = async () =>
      (JSON.parse(await storedKeysIn(page)) as string[]).map((key) => key.split(' ')[0]);
    // One that is offered while the person changes: it stays theirs.
    await type(await forms.open(page, webhook), 'Left by Ada');
    await page.goto('about:blank');
    const form = await forms.open(page, webhook);
    await offer(form).waitFor();
    await type(form, 'Typed by Ada');
    const name = unique('Mary');
    const mary = await signInPerson(service, { name, isOperator: true });
    await signInElsewhere(page, service, mary);
    await click(form, webhook.save);
    await page.getByRole('button', { name: `Save what is here as ${name}` }).click();
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

  longTest('is named when the person signs out, and kept or discarded', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const dialog = signOutDialog(page);
    await type(await forms.open(page, webhook), { ...webhook, typed: { URL: address } });
    await until(async () => (await storedIn(page)).includes(address));
    await signOut(page);
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
    await signOut(page);
    await dialog.getByRole('button', { name: 'Sign out and discard it' }).click();
    await signedOut(page);
    expect(await storedIn(page)).to.equal('[]');
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  longTest('is discarded in all tabs once the person is signed out', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const dialog = signOutDialog(page);
    await type(await forms.open(page, webhook), { ...webhook, typed: { URL: address } });
    await until(async () => (await storedIn(page)).includes(address));
    const other = await page.context().newPage();
    const view = FORMS['a saved view']!;
    await type(await forms.open(other, view), view);
    await until(async () => (await storedIn(other)).includes('Kept view'));
    await signOut(page);
    await dialog.getByText(/^Saved views: Name of a new view/).waitFor();
    await forms.goAway();
    await dialog.getByRole('button', { name: 'Sign out and discard it' }).click();
    await dialog.getByText(/The server does not answer/).waitFor();
    expect(await storedIn(page))
      .to.include(address)
      .and.include('Kept view');
    await forms.comeBack();
    await dialog.getByRole('button', { name: 'Sign out and discard it' }).click();
    await Promise.all([signedOut(page), signedOut(other)]);
    expect(await storedIn(page)).to.equal('[]');

    await useSession(page, service, await sessionOf(service, account));
    await signOut(page);
    await signedOut(page);
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });
});
