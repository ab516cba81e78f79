/** What a form offers that was typed in it before, and what becomes of the offer. */
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { ConsoleForms, control, offer, press, type, valuesIn } from '../support/browser/console-forms.ts';
import { openAll } from '../support/browser/dialogs-of-screen.ts';
import { FORMS } from '../support/browser/filled-forms.ts';
import { accessibilityFindings } from '../support/browser/open-browser.ts';
import { storedIn } from '../support/browser/stored-in.ts';
import { pageWithSession, sessionOf } from '../support/console/console-people.ts';
import { longTest } from '../support/long-form.ts';
import type { RunningService } from '../support/service/start-service.ts';
import { unique } from '../support/unique.ts';
import { until } from '../support/until.ts';

describe('what a form offers that was not saved', () => {
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

  const webhook = FORMS['a webhook']!;
  /** Of a form that would be closed. */
  const questionOn = (page: Page) => page.getByRole('alert').filter({ hasText: 'is not saved yet' });

  it('is compared with what others did, and dropped by a choice', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const reopened = async () => {
      await page.goto('about:blank');
      return forms.open(page, webhook);
    };
    let form = await forms.open(page, webhook);
    await type(form, {
      ...webhook,
      typed: { Name: 'First name', 'These changes only': true, Archive: true },
    });
    await until(async () => (await storedIn(page)).includes('The project: Archive'));
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
      'The project: Archive',
    ]);
    expect(await accessibilityFindings(page)).to.deep.equal([]);
    expect(
      await offer(form)
        .getByText(/changed by others/)
        .count(),
    ).to.equal(0);
    const path = `admin/projects/${service.sample!.projectId}/webhooks/${forms.ids.WEBHOOK}`;
    const other = await sessionOf(service, account);
    const { body } = await other.browser.request<object>('GET', path);
    const theirs = unique('Name of another person');
    await other.browser.request('PUT', path, { ...body, name: theirs });
    form = await reopened();
    await offer(form)
      .getByText(/changed by others/)
      .waitFor();
    await offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
    await until(async () => (await valuesIn(form, webhook))['Name'] === 'First name');
    // Escape asks, as *Cancel* does, and what is discarded then is not offered again.
    const question = questionOn(page);
    await page.keyboard.press('Escape');
    await question.getByText('it stays in this browser and is offered').waitFor();
    await question.getByRole('button', { name: 'Discard it' }).click();
    await form.waitFor({ state: 'detached' });
    await until(async () => (await storedIn(page)) === '[]');
    form = await reopened();
    expect((await valuesIn(form, webhook))['Name']).to.equal(theirs);
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  longTest('is kept for later, or discarded together with what is typed beside it', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    const question = questionOn(page);
    const form = await forms.open(page, webhook);
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
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  it('is never a secret', async () => {
    const { page, errors } = await pageWithSession(browser, service, account);
    // Where a form that has a copy asks for one.
    const form = await forms.open(page, webhook);
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
    await questionOn(page).getByRole('button', { name: 'Discard it' }).click();
    await until(async () => (await storedIn(page)) === '[]');
    await page.goto(`${url}/sessions`);
    await press(page, 'Change the password …');
    await page.getByLabel('New password', { exact: true }).fill('a secret of Ada');
    await page.waitForTimeout(500);
    expect(await storedIn(page)).to.equal('[]');
    expect(errors).to.deep.equal([]);
    await page.context().close();
  });

  longTest(
    'is not lost for what is restored in its place, nor where the browser then keeps nothing',
    async () => {
      const { page } = await pageWithSession(browser, service, account);
      const view = FORMS['a saved view']!;
      const typeName = async (name: string) => {
        const form = await forms.open(page, view);
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
      await until(
        async () => (await name(form)) === 'First' && JSON.parse(await storedIn(page)).length === 2,
      );
      await restore(form);
      await until(async () => (await name(form)) === 'Second');
      await offer(form).getByRole('button', { name: 'Discard it' }).click();
      await offer(form).waitFor({ state: 'detached' });
      await page.goto('about:blank');
      form = await forms.open(page, view);
      await offer(form).waitFor();
      await page.evaluate(
        `IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); }`,
      );
      await restore(form);
      await until(async () => (await name(form)) === 'Second');
      await form.getByText('Your browser keeps no copy of what you type here').waitFor();
      expect(await storedIn(page)).to.include('Second');
      await page.goto('about:blank');
      form = await forms.open(page, view);
      await offer(form).getByRole('button', { name: 'Discard it' }).click();
      await until(async () => (await storedIn(page)) === '[]');
      await page.context().close();
    },
  );

  longTest(
    'is restored with a word about what does not exist any more, and where nothing is folded over it',
    async () => {
      const { page, errors } = await pageWithSession(browser, service, account);
      const other = (await sessionOf(service, account)).browser;
      const types = `manage/projects/${service.sample!.projectId}/types`;
      const gone = { name: 'Gone type', codename: 'gone_type', elements: [] };
      const { id } = (await other.request<{ id: string }>('POST', types, gone)).body;
      const item = FORMS['a new item']!;
      await type(await forms.open(page, item), {
        ...item,
        typed: { Name: 'Of a type', 'Content type': 'gone_type' },
      });
      await until(async () => (await storedIn(page)).includes('gone_type'));
      await page.goto('about:blank');
      await other.request('DELETE', `${types}/${id}`);
      let form = await forms.open(page, item);
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
      form = await forms.open(page, role);
      await openAll(page, 'form details');
      await limit(form).check();
      await until(async () => (await storedIn(page)).includes('edit-content.languages'));
      await page.goto('about:blank');
      form = await forms.open(page, role);
      expect(await limit(form).isVisible()).to.equal(false);
      await offer(form).getByRole('button', { name: 'Restore what I typed' }).click();
      await limit(form).waitFor({ state: 'visible' });
      expect(await limit(form).isChecked()).to.equal(true);
      await page.keyboard.press('Escape');
      await press(page, 'Discard it');
      await until(async () => (await storedIn(page)) === '[]');
      expect(errors).to.deep.equal([]);
      await page.context().close();
    },
  );

  longTest('is offered by a tab that had the form open before, once the other tab is closed', async () => {
    const { page } = await pageWithSession(browser, service, account);
    const view = FORMS['a saved view']!;
    const form = await forms.open(page, view);
    const other = await page.context().newPage();
    await type(await forms.open(other, view), view);
    await until(async () => (await storedIn(other)).includes('Kept view'));
    expect(await offer(form).count()).to.equal(0);
    await other.close();
    await offer(form).getByText('Name of a new view: “Kept view”').waitFor();
    await offer(form).getByRole('button', { name: 'Discard it' }).click();
    await until(async () => (await storedIn(page)) === '[]');
    await page.context().close();
  });
});
