/**
 * Every screen, dialog, menu and error of the console with axe, in both themes and languages: in the long form alone. In
 * `npm test` the other tests of this folder examine what they open.
 */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createLink } from '../../core/access/sign-in-links.ts';
import { assetsDe } from '../../plugins/console/app/messages/assets-de.ts';
import { assetsEn } from '../../plugins/console/app/messages/assets-en.ts';
import { de } from '../../plugins/console/app/messages/de.ts';
import { en } from '../../plugins/console/app/messages/en.ts';
import { modelDe } from '../../plugins/console/app/messages/model-de.ts';
import { modelEn } from '../../plugins/console/app/messages/model-en.ts';
import { webhookDe } from '../../plugins/console/app/messages/webhook-de.ts';
import { webhookEn } from '../../plugins/console/app/messages/webhook-en.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { closeDialog, eachDialog, OPEN_DIALOG, openAll } from '../support/browser/dialogs-of-screen.ts';
import { accessibilityFindings, openPage, withScreenshot } from '../support/browser/open-browser.ts';
import { type SignedInPerson, signInPerson, useSession } from '../support/console/console-people.ts';
import { tilesImage } from '../support/images/test-images.ts';
import { isLongForm } from '../support/long-form.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const inLongForm = isLongForm ? describe : () => {};

interface Appearance extends BrowserContextOptions {
  readonly locale: 'en-GB' | 'de-DE';
  readonly colorScheme: 'light' | 'dark';
}

const APPEARANCES: readonly Appearance[] = (['de-DE', 'en-GB'] as const).flatMap((locale) =>
  (['dark', 'light'] as const).map((colorScheme) => ({ locale, colorScheme })),
);

inLongForm('the console is accessible', () => {
  let service: RunningService;
  let browser: Browser;
  let receiver: Server;
  let person: SignedInPerson;
  let project: string;
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(500).end('answer'));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    [service, browser] = await Promise.all([
      startService({
        sample: true,
        environment: {
          HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1',
          HEADWATER_PLUGINS__SESSION__LIMITS__SECOND: '1000',
          HEADWATER_PLUGINS__SESSION__LIMITS__MINUTE: '60000',
        },
      }),
      browserOfProcess(),
    ]);
    project = service.sample!.projectId;
    person = await signInPerson(service, { name: 'Ada', isOperator: true });
    const operator = person.browser;
    const { port } = receiver.address() as AddressInfo;
    const webhook = await operator.request<{ id: string }>('POST', `manage/projects/${project}/webhooks`, {
      name: 'Site',
      url: `http://127.0.0.1:${port}/`,
      triggers: { delivery_api_content_changes: [{ type: 'content_item_variant', operations: ['publish'] }] },
    });
    await operator.request('POST', `admin/projects/${project}/webhooks/${webhook.body.id}/test`);
    await operator.request('POST', `admin/projects/${project}/exports`);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    receiver?.close();
  });

  for (const appearance of APPEARANCES) {
    const { locale, colorScheme } = appearance;
    const texts = locale === 'de-DE' ? de : en;

    it(`in the language ${locale} and the ${colorScheme} theme`, async function () {
      this.timeout(600_000);
      const { page, errors } = await openPage(browser, appearance);
      await useSession(page, service, person);
      const found: string[] = [];
      const check = async (what: string, within?: string) => {
        await page.locator('.loading').first().waitFor({ state: 'hidden' });
        for (const finding of await accessibilityFindings(page, within)) found.push(`${what}: ${finding}`);
      };
      await withScreenshot(page, `accessible-${locale}-${colorScheme}`, async () => {
        await page.goto(`${service.url}/console/projects/${project}/home`);
        await page.locator('nav').getByRole('link').first().waitFor();
        await openAll(page, 'header details');
        await check('menu');
        // It would be in front of what is clicked.
        await page.locator('header summary').click();
        const links = page.locator('nav').getByRole('link');
        const names = await links.allTextContents();
        for (const name of names) {
          await links.filter({ hasText: new RegExp(`^${name}$`) }).click();
          await page.getByRole('heading', { level: 1 }).waitFor();
          await screen(page, name, check);
        }
        await page.locator('header summary').click();
        await page.getByRole('link', { name: texts.shell.sessions }).click();
        await page.locator('header summary').click();
        await screen(page, texts.shell.sessions, check);
        await commands(page, texts, check);
        await parts(page, texts, check);
        await assets(page, locale, check);
        await model(page, locale, check);
        await history(page, check);
        await failures(page, texts, check);
      });
      expect(errors).to.deep.equal([]);
      await page.context().close();
      await signingIn(appearance, found);
      expect(found).to.deep.equal([]);
    });
  }

  type Check = (what: string, within?: string) => Promise<void>;

  /** A screen, and the dialogs of its buttons that end with three dots. */
  async function screen(page: Page, name: string, check: Check): Promise<void> {
    await page.locator('.loading').first().waitFor({ state: 'hidden' });
    const box = page.getByRole('grid').getByRole('checkbox').nth(1);
    if ((await page.getByRole('grid').count()) > 0) await box.check();
    await openAll(page, 'main details');
    await check(name);
    await eachDialog(page, (text) => check(`${name}, ${text}`, OPEN_DIALOG));
  }

  async function dialog(page: Page, name: string, check: Check): Promise<void> {
    await page.locator(OPEN_DIALOG).waitFor();
    await openAll(page, `${OPEN_DIALOG} details`);
    await check(name, OPEN_DIALOG);
    await closeDialog(page);
  }

  async function commands(page: Page, texts: typeof en, check: Check): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: texts.commands.label }).fill('kingfisher');
    await page.locator(OPEN_DIALOG).getByRole('option').first().waitFor();
    await dialog(page, texts.commands.title, check);
  }

  /** What is behind other buttons. */
  async function parts(page: Page, texts: typeof en, check: Check): Promise<void> {
    const { details } = texts === de ? webhookDe : webhookEn;
    const to = async (link: string) => {
      await page.locator('nav').getByRole('link', { name: link, exact: true }).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
    };
    await to(texts.shell.webhooks);
    await page.getByRole('button', { name: texts.webhooks.rotate }).click();
    await dialog(page, texts.webhooks.rotate, check);
    await page.getByRole('link', { name: 'Site' }).click();
    await page.getByRole('heading', { name: texts.webhooks.log }).waitFor();
    await screen(page, texts.webhooks.log, check);
    await page
      .getByRole('button', { name: new RegExp(`^${details}`) })
      .first()
      .click();
    await page.locator(OPEN_DIALOG).locator('details').first().waitFor();
    await dialog(page, details, check);

    await to(texts.shell.content);
    await page.getByRole('searchbox').fill('Return of the kingfisher');
    await page.getByRole('link', { name: 'Return of the kingfisher' }).first().click();
    await page.getByRole('toolbar').first().waitFor();
    await screen(page, 'form', check);
    // Those with a text open dialogs, but for the last one: it inserts a table.
    const tools = page.getByRole('toolbar').first().locator('button:not([aria-disabled=true])');
    const opening = tools.filter({ hasText: /\S/ });
    for (let at = 0; at < (await opening.count()) - 1; at += 1) {
      await opening.nth(at).click();
      await dialog(page, `toolbar, ${await opening.nth(at).textContent()}`, check);
    }
    await opening.last().click();
    await check('form with a table', 'main');
  }

  const open = async (page: Page, path: string) => {
    await page.goto(`${service.url}/console/projects/${project}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.loading').first().waitFor({ state: 'hidden' });
  };
  const firstOf = async (listing: 'assets' | 'items') => {
    const { body } = await person.browser.request<Record<string, readonly { readonly id: string }[]>>(
      'GET',
      `admin/projects/${project}/${listing}?text=kingfisher`,
    );
    return body[listing]![0]!.id;
  };

  async function assets(page: Page, locale: Appearance['locale'], check: Check): Promise<void> {
    const texts = locale === 'de-DE' ? assetsDe : assetsEn;
    await open(page, 'assets?view=tiles');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    await check('tiles');
    await open(page, 'assets?edit=descriptions');
    await page.getByRole('grid').getByRole('textbox').first().waitFor();
    await check('descriptions in rows');
    await open(page, `assets/${await firstOf('assets')}`);
    await page.locator('.workbench').waitFor();
    await screen(page, 'asset', check);
    for (const index of [1, 2]) {
      await page.getByLabel(texts.image.part).selectOption({ index });
      await check(`asset, part ${index}`, '.workbench');
    }
    await page.getByRole('button', { name: texts.replace.button }).click();
    const image = {
      name: 'new.png',
      mimeType: 'image/png',
      buffer: await tilesImage(2, 2).png().toBuffer(),
    };
    await page.locator(OPEN_DIALOG).locator('input[type=file]').setInputFiles(image);
    await page.locator(OPEN_DIALOG).locator('.primary:enabled').waitFor();
    await dialog(page, 'plan of another file', check);
  }

  /** Parts of the content model, each with the plan of a change. */
  async function model(page: Page, locale: Appearance['locale'], check: Check): Promise<void> {
    const texts = locale === 'de-DE' ? modelDe : modelEn;
    const { types, snippets, taxonomies, languages } = await service.core.operations.read(
      project,
      async ({ model: read }) => read,
    );
    const button = (name: string) => page.getByRole('button', { name, exact: true }).first();
    const counted = () => page.getByText(texts.impact.counting).waitFor({ state: 'hidden' });
    const plan = async (name: string) => {
      await check(name);
      await button(texts.saveReviewed).click();
      await counted();
      await dialog(page, `plan of ${name}`, check);
    };
    const article = types.find(({ codename }) => codename === 'article')!;
    await open(page, 'types');
    await button(texts.deleteOf(article.name)).click();
    await counted();
    await dialog(page, 'a refused deletion', check);
    for (const path of [`types/${article.id}`, `snippets/${snippets[0]!.id}`]) {
      await open(page, path);
      await button(texts.addElement).click();
      await page.locator('.element-form').getByRole('textbox').first().fill('New');
      await plan(path);
    }
    await open(page, `taxonomies/${taxonomies[0]!.id}`);
    await button(texts.remove(taxonomies[0]!.terms[0]!.name)).click();
    await plan('taxonomy group');
    await open(page, 'sitemap');
    await button(texts.addNode).click();
    await plan('sitemap');
    for (const part of ['snippets', 'taxonomies', 'languages', 'types/new']) {
      await open(page, part);
      await screen(page, part, check);
    }
    await open(page, 'languages');
    const { name } = languages.find(({ isDefault, isActive }) => isActive && !isDefault)!;
    await button(texts.language.edit(name)).click();
    await page.locator(OPEN_DIALOG).getByRole('checkbox').uncheck();
    await page.locator(OPEN_DIALOG).locator('[type=submit]').click();
    await page.locator(`${OPEN_DIALOG} ${OPEN_DIALOG}`).waitFor();
    await counted();
    await check('plan of a language', `${OPEN_DIALOG} ${OPEN_DIALOG}`);
    await page.keyboard.press('Escape');
    await page.locator(`${OPEN_DIALOG} ${OPEN_DIALOG}`).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    const drop = page.locator(OPEN_DIALOG).getByRole('alert').getByRole('button').first();
    await drop.waitFor();
    await check('a language with something typed', OPEN_DIALOG);
    await drop.click();
    await page.locator(OPEN_DIALOG).waitFor({ state: 'detached' });
  }

  async function history(page: Page, check: Check): Promise<void> {
    const { languages } = await service.core.operations.read(project, async ({ model: read }) => read);
    const { id: language } = languages.find(({ isDefault }) => isDefault)!;
    await open(page, `items/${await firstOf('items')}/history?language=${language}`);
    await page.locator('.time-line li').first().waitFor();
    await screen(page, 'history', check);
  }

  async function failures(page: Page, texts: typeof en, check: Check): Promise<void> {
    const CALLS = '**/console/api/admin/**';
    const { url } = service;
    for (const status of [0, 403, 404, 412, 429, 500]) {
      await page.route(CALLS, (route) =>
        status === 0
          ? route.abort()
          : route.fulfill({ status, contentType: 'application/json', body: '{"request_id": "id"}' }),
      );
      await page.goto(`${url}/console/people`);
      await page.getByRole('alert').first().waitFor();
      await check(`answer ${status}`);
      await page.unroute(CALLS);
    }
    await page.goto(`${url}/console/nothing`);
    await page.getByText(texts.failure.notFound).waitFor();
    await check('unknown path');
    // Also when it is asked for again, with a query.
    const chunk = /\/console\/files\/people-[^/]*\.js/;
    await page.route(chunk, (route) => route.fulfill({ status: 404, body: '' }));
    await page.goto(`${url}/console/people`);
    await page.getByText(texts.failure.reload).waitFor();
    await check('new version');
    await page.unroute(chunk);

    await page.goto(`${url}/console/roles`);
    await page.locator('main button').filter({ hasText: texts.roles.change }).last().click();
    const { sql } = service.core.operations.storage;
    const sessions = await sql.all<{ id: string; confirmed: string; hash: string }>('SELECT * FROM session');
    const write = (text: string, parameters: string[]) =>
      service.core.operations.storage.write((tx) => tx.run(text, parameters));
    await write('UPDATE session SET confirmed = ?', ['2020-01-01T00:00:00.0000000Z']);
    await page.locator(OPEN_DIALOG).getByRole('button', { name: texts.roles.save }).click();
    await page.getByRole('dialog', { name: texts.confirm.title }).waitFor();
    await check('confirmation');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: texts.confirm.title }).waitFor({ state: 'detached' });
    await write('UPDATE session SET hash = ?', ['ended']);
    await page.locator(OPEN_DIALOG).getByRole('button', { name: texts.roles.save }).click();
    await page.getByRole('dialog', { name: texts.signIn.title }).waitFor();
    await check('ended session');
    for (const { id, confirmed, hash } of sessions)
      await service.core.operations.storage.write((tx) =>
        tx.run('UPDATE session SET hash = ?, confirmed = ? WHERE id = ?', [hash, confirmed, id]),
      );
  }

  /** The pages of someone who is not signed in. */
  async function signingIn(appearance: Appearance, found: string[]): Promise<void> {
    const { page, errors } = await openPage(browser, appearance);
    const token = await service.core.operations.installation(null, (to) => createLink(to, null));
    for (const path of [
      '',
      'sign-in?refused=mail',
      'sign-in?refused=unavailable',
      `sign-in#token=${token}`,
    ]) {
      await page.goto('about:blank');
      await page.goto(`${service.url}/console/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const finding of await accessibilityFindings(page)) found.push(`/${path}: ${finding}`);
    }
    expect(errors).to.deep.equal([]);
    await page.context().close();
  }
});
