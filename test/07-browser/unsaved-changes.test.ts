/** What was typed or begun in the console, and who goes on with it where something comes between. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, Dialog, Page } from 'playwright-core';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { consoleJobs } from '../support/browser/console-jobs.ts';
import { accessibilityFindings, openPage, openProfile } from '../support/browser/open-browser.ts';
import { storedIn } from '../support/browser/stored-in.ts';
import { SESSION_COOKIE } from '../support/console/console-browser.ts';
import {
  type SignedInPerson,
  signInElsewhere,
  signInPerson,
  useSession,
} from '../support/console/console-people.ts';
import { longTest } from '../support/long-form.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { unique } from '../support/unique.ts';
import { until } from '../support/until.ts';

describe('what was typed or begun', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  let project: string;
  let ada: SignedInPerson;
  /** Id of the language. */
  let english: string;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), browserOfProcess()]);
    ada = await signInPerson(service, { name: 'Ada', isOperator: true });
    project = service.sample!.projectId;
    const { languages } = await read<{ languages: { id: string; codename: string }[] }>(
      `manage/projects/${project}/languages`,
    );
    english = languages.find(({ codename }) => codename === 'en')!.id;
    ({ page, errors } = await openPage(browser));
    await useSession(page, service, ada);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { longJob, isAccessible } = consoleJobs(() => ({ page, errors }));

  const open = (path: string) => page.goto(`${service.url}/console/projects/${project}/${path}`);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialogOf = (name: string) => page.getByRole('dialog', { name });
  const read = async <Body>(path: string) => (await ada.browser.request<Body>('GET', path)).body;
  const itemNamed = async (text: string) => {
    const path = `admin/projects/${project}/items?text=${encodeURIComponent(text)}`;
    return (await read<{ items: { id: string }[] }>(path)).items[0]!.id;
  };
  const summary = () => page.getByRole('textbox', { name: 'Summary', exact: true });
  const lastSavedBy = async (item: string) => {
    const path = `admin/projects/${project}/items/${item}/variants/${english}/history?limit=1`;
    const { history } = await read<{ history: { user: { name: string } | null }[] }>(path);
    return history[0]?.user?.name;
  };

  longJob('is saved under the name of another person only after a choice', async () => {
    const grace = await signInPerson(service, { name: 'Grace', isOperator: true });
    const item = await itemNamed('kingfisher');
    const before = await lastSavedBy(item);
    await open(`items/${item}?language=en`);
    await summary().waitFor();
    await signInElsewhere(page, service, grace);
    await summary().fill('Typed by Ada');
    const dialog = dialogOf('Another person has signed in');
    await dialog.getByText('Ada worked on this page; now Grace is signed in').waitFor();
    await isAccessible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await lastSavedBy(item)).to.equal(before);
    await dialog.getByRole('button', { name: 'Reload the page as Grace' }).click();
    await dialog.waitFor({ state: 'detached' });
    await summary().waitFor();
    expect(await summary().inputValue()).to.not.equal('Typed by Ada');
    expect(await lastSavedBy(item)).to.equal(before);
    // Her copy is offered to her alone.
    await signInElsewhere(page, service, ada);
    await page.reload();
    await dialogOf('Changes that were not saved').getByRole('button', { name: 'Restore them' }).click();
    await page.getByText('All changes are saved.').first().waitFor();
    expect(await lastSavedBy(item)).to.equal('Ada');
    await signInElsewhere(page, service, grace);
    await summary().fill('Typed by Ada again');
    await dialog.getByRole('button', { name: 'Save what is here as Grace' }).click();
    await page.getByText('All changes are saved.').first().waitFor();
    expect(await lastSavedBy(item)).to.equal('Grace');
    await signInElsewhere(page, service, ada);
    await page.goto('about:blank');
  });

  longJob('as the description of an asset is kept where it could not be saved', async () => {
    await open('assets?text=kingfisher.png');
    await button('Edit descriptions').click();
    const field = page.getByRole('textbox', { name: /^Description of .*, Deutsch \(Österreich\)$/ });
    await page.route('**/manage/**/assets/*', (route) => route.abort());
    await field.fill('Ein Vogel');
    await page.getByRole('link', { name: 'Calendar' }).click();
    await page.getByText(/^A text of .* was not saved\. It is kept under “Assets”\.$/).waitFor();
    await page.unroute('**/manage/**/assets/*');
    await until(async () => (await storedIn(page)).includes('Ein Vogel'));
    let isAsked = false;
    const accept = (question: Dialog) => {
      isAsked = true;
      void question.accept();
    };
    page.once('dialog', accept);
    await page.reload();
    page.off('dialog', accept);
    expect(isAsked).to.equal(false);
    await page.getByRole('link', { name: 'Assets' }).click();
    const kept = page.getByRole('region', { name: /^These texts were not saved/ });
    await kept.getByText('Ein Vogel').waitFor();
    await isAccessible();
    await kept.getByRole('button', { name: 'Save it again' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await kept.waitFor({ state: 'detached' });
    const { assets } = await read<{ assets: { descriptions: { description: string }[] }[] }>(
      `admin/projects/${project}/assets?text=kingfisher.png`,
    );
    expect(assets[0]!.descriptions.map(({ description }) => description)).to.include('Ein Vogel');
  });

  longTest('about a content type and a tree is offered again where the browser was killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-profile-'));
    const killed = await openProfile(folder);
    const { types } = await read<{ types: { id: string; codename: string }[] }>(
      `manage/projects/${project}/types`,
    );
    const path = `projects/${project}/types/${types.find(({ codename }) => codename === 'article')!.id}`;
    const name = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true }).first();
    try {
      await useSession(killed.page, service, ada);
      await killed.page.goto(`${service.url}/console/${path}`);
      await name(killed.page).fill('Article of a killed browser');
      await until(async () => (await storedIn(killed.page)).includes('Article of a killed browser'));
      const tree = await killed.page.context().newPage();
      await tree.goto(`${service.url}/console/projects/${project}/sitemap`);
      await tree.getByRole('button', { name: /^Add/ }).first().click();
      await until(async () => (await storedIn(tree)).match(/"base":/g)?.length === 2);
    } finally {
      await killed.kill();
    }
    const next = await openProfile(folder);
    try {
      await useSession(next.page, service, ada);
      await next.page.goto(`${service.url}/console/${path}`);
      const kept = next.page.getByRole('region', { name: /^You typed something here before/ });
      await kept.waitFor();
      expect(await name(next.page).inputValue()).to.not.equal('Article of a killed browser');
      await kept.getByRole('button', { name: 'Restore what I typed' }).click();
      await kept.waitFor({ state: 'detached' });
      expect(await name(next.page).inputValue()).to.equal('Article of a killed browser');
      await next.page.getByRole('button', { name: 'Undo', exact: true }).click();
      await next.page.getByText('Everything is saved.').waitFor();
      await until(async () => !(await storedIn(next.page)).includes('Article of a killed browser'));
      await next.page.goto(`${service.url}/console/projects/${project}/sitemap`);
      await kept.getByRole('button', { name: 'Discard it' }).click();
      await kept.waitFor({ state: 'detached' });
      await until(async () => (await storedIn(next.page)) === '[]');
      expect(next.errors).to.deep.equal([]);
    } finally {
      await next.page.context().close();
      await rm(folder, { recursive: true });
    }
  });

  longTest('is there again after an error of the console, which ends no more than its screen', async () => {
    const item = await itemNamed('kingfisher');
    const typed = unique('Typed before the error');
    const failing = await openPage(browser);
    const { page: form } = failing;
    try {
      await useSession(form, service, ada);
      await form.route('**/manage/**', (route) =>
        route.request().method() === 'PUT' ? route.abort() : route.continue(),
      );
      await form.goto(`${service.url}/console/projects/${project}/items/${item}?language=en`);
      const field = form.getByRole('textbox', { name: 'Summary', exact: true });
      await field.fill(typed);
      await until(async () => (await storedIn(form)).includes(typed));
      // As another tab passes it on, but with a person that no version sends: the screen cannot draw that.
      const passOn = (present: readonly object[]) =>
        form.evaluate((data) => {
          const message = { event: 'presence', data };
          new BroadcastChannel('headwater-events').postMessage({ message, id: '' });
        }, present);
      await passOn([{ tab: 'other', project, item, language: english, element: null }]);
      const failed = form.getByRole('heading', { name: 'This page cannot be shown.' });
      await failed.waitFor();
      expect(failing.errors).to.have.length(1);
      expect(await accessibilityFindings(form)).to.deep.equal([]);
      await form.getByRole('link', { name: 'Calendar' }).click();
      await form.getByRole('heading', { name: 'Calendar', level: 1 }).waitFor();
      await form.unroute('**/manage/**');
      await passOn([]);
      // The same page, which has to draw the screen again.
      await form.goBack();
      await form.waitForURL(/items/);
      expect(await failed.count()).to.equal(0);
      const offer = form.getByRole('dialog', { name: 'Changes that were not saved' });
      await until(async () => {
        if (await offer.isVisible()) await offer.getByRole('button', { name: 'Restore them' }).click();
        return (await field.inputValue()) === typed;
      });
      await form.getByText('All changes are saved.').first().waitFor();
    } finally {
      await form.context().close();
    }
  });

  it('meets a sentence in place of an empty page where the console itself cannot be drawn', async () => {
    const failing = await openPage(browser);
    try {
      await useSession(failing.page, service, ada);
      await failing.page.route('**/console/api/session', async (route) => {
        const session = (await (await route.fetch()).json()) as object;
        // As no version sends it.
        await route.fulfill({ json: { ...session, projects: null } });
      });
      await failing.page.goto(`${service.url}/console/projects/${project}/calendar`);
      await failing.page.getByRole('heading', { name: 'This page cannot be shown.' }).waitFor();
      expect(failing.errors).to.have.length(1);
      expect(await accessibilityFindings(failing.page)).to.deep.equal([]);
      await failing.page.unroute('**/console/api/session');
      await failing.page.getByRole('button', { name: 'Reload the page' }).click();
      await failing.page.getByRole('heading', { name: 'Calendar', level: 1 }).waitFor();
    } finally {
      await failing.page.context().close();
    }
  });

  longTest('is offered again where the browser was killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-profile-'));
    const killed = await openProfile(folder);
    const [asset] = (
      await read<{ assets: { id: string }[] }>(`admin/projects/${project}/assets?text=kingfisher.png`)
    ).assets;
    const item = await itemNamed('kingfisher');
    const description = unique('Typed about an asset');
    const summary = unique('Typed in a form');
    try {
      await useSession(killed.page, service, ada);
      const context = killed.page.context();
      await context.route('**/manage/**', (route) =>
        route.request().method() === 'PUT' ? route.abort() : route.continue(),
      );
      await killed.page.goto(`${service.url}/console/projects/${project}/assets/${asset!.id}`);
      await killed.page.getByRole('textbox', { name: 'Deutsch', exact: true }).fill(description);
      await until(async () => (await storedIn(killed.page)).includes(description));
      const form = await context.newPage();
      await form.goto(`${service.url}/console/projects/${project}/items/${item}?language=en`);
      await form.getByRole('textbox', { name: 'Summary', exact: true }).fill(summary);
      await until(async () => (await storedIn(form)).includes(summary));
    } finally {
      await killed.kill();
    }
    const next = await openProfile(folder);
    try {
      await useSession(next.page, service, ada);
      await next.page.goto(`${service.url}/console/projects/${project}/assets`);
      const kept = next.page.getByRole('region', { name: /^These texts were not saved/ });
      await kept.getByText(description).waitFor();
      await kept.getByRole('button', { name: 'Save it again' }).click();
      await next.page.getByText('Saved.', { exact: true }).waitFor();
      await until(async () => !(await storedIn(next.page)).includes(description));
      const { descriptions } = await read<{ descriptions: { description: string }[] }>(
        `admin/projects/${project}/assets/${asset!.id}`,
      );
      expect(descriptions.map((one) => one.description)).to.include(description);
      await next.page.goto(`${service.url}/console/projects/${project}/items/${item}?language=en`);
      const question = next.page.getByRole('dialog', { name: 'Changes that were not saved' });
      await question.getByRole('button', { name: 'Restore them' }).click();
      await next.page.getByText('All changes are saved.').first().waitFor();
      expect(await next.page.getByRole('textbox', { name: 'Summary', exact: true }).inputValue()).to.equal(
        summary,
      );
      await until(async () => (await storedIn(next.page)) === '[]');
      expect(next.errors).to.deep.equal([]);
    } finally {
      await next.page.context().close();
      await rm(folder, { recursive: true });
    }
  });

  longJob('as the deletion of many assets says how far it came when it is stopped', async () => {
    for (let at = 0; at < 9; at++)
      await ada.browser.request('POST', `manage/projects/${project}/assets`, {
        title: `Stopped ${at}`,
        file_reference: await fileReference(at),
        descriptions: [],
      });
    await open('assets?text=Stopped');
    await page.getByText('9 assets', { exact: true }).waitFor();
    await page.getByLabel('Select all').check();
    await button('Delete …').click();
    const dialog = dialogOf('Delete assets');
    const held: (() => void)[] = [];
    await page.route('**/manage/**/assets/*', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Delete 9 assets' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).waitFor();
    while (held.length < 4) await page.waitForTimeout(20);
    await page.keyboard.press('Escape');
    for (const go of held) go();
    await dialog.getByText('4 assets were deleted.').waitFor();
    await dialog.getByText('5 assets were not deleted.').waitFor();
    await dialog.getByText('Stopped 8').or(dialog.getByText('Stopped 0')).first().waitFor();
    await isAccessible();
    await page.unroute('**/manage/**/assets/*');
    await dialog.getByRole('button', { name: 'Restore them' }).click();
    await dialog.getByText('4 assets were restored.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('9 assets', { exact: true }).waitFor();
  });

  longJob('in a dialog is dropped by Escape after a question only', async () => {
    await open('languages');
    await button('Add a language …').click();
    const dialog = dialogOf('Add a language');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await button('Add a language …').click();
    await dialog.getByLabel('Name', { exact: true }).fill('Français');
    await page.keyboard.press('Escape');
    const question = dialog.getByRole('alert').getByText('What you changed here is not saved yet.');
    await question.waitFor();
    await isAccessible();
    // Twice without anything between: browsers close a dialog then.
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Go on editing' }).click();
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).to.equal('Français');
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Discard it' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  longJob('in a form stays when the elements that its type has by now are shown', async () => {
    const item = await itemNamed('kingfisher');
    const { types } = await read<{ types: { id: string; codename: string }[] }>(
      `manage/projects/${project}/types`,
    );
    const article = types.find(({ codename }) => codename === 'article')!;
    await open(`items/${item}?language=en`);
    await summary().waitFor();
    await page.route(`**/manage/**/variants/**`, (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await summary().fill('Typed before');
    await ada.browser.request('PATCH', `manage/projects/${project}/types/${article.id}`, [
      { op: 'addInto', path: '/elements', value: { type: 'text', name: 'Byline', codename: 'byline' } },
    ]);
    await page.getByText('The content type has new elements: Byline.').waitFor();
    await isAccessible();
    await button('Show the form as it is now').click();
    await page.getByRole('textbox', { name: 'Byline' }).fill('Typed after');
    expect(await summary().inputValue()).to.equal('Typed before');
    await page.unroute(`**/manage/**/variants/**`);
    await button('Save').click();
    await page.getByText('All changes are saved.').first().waitFor();
    const { elements } = await read<{ elements: { value: unknown }[] }>(
      `manage/projects/${project}/items/${item}/variants/codename/en`,
    );
    expect(elements.map(({ value }) => value)).to.include.members(['Typed before', 'Typed after']);
  });

  async function fileReference(at: number): Promise<unknown> {
    const response = await fetch(
      `${service.url}/console/api/manage/projects/${project}/files/stopped-${at}.txt`,
      {
        method: 'POST',
        headers: {
          'x-headwater-console': '1',
          'sec-fetch-site': 'same-origin',
          'content-type': 'text/plain',
          cookie: `${SESSION_COOKIE}=${ada.browser.cookie}`,
        },
        body: `file ${at}`,
      },
    );
    return response.json();
  }
});
