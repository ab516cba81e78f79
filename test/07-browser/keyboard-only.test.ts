/** Whole jobs with the keyboard only. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createLink } from '../../core/access/sign-in-links.ts';
import { consoleJobs } from '../support/console-jobs.ts';
import { Keyboard } from '../support/keyboard.ts';
import { openBrowser, openPage, withScreenshot } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';

const PASSWORD = 'correct horse battery staple';

describe('with the keyboard only', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let keys: Keyboard;
  let errors: readonly string[];
  let invitation: string;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), openBrowser()]);
    ({ page, errors } = await openPage(browser));
    keys = new Keyboard(page);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, isAccessible } = consoleJobs(() => ({ page, errors }));

  job('the first person makes an account from the link of the first start', async () => {
    const token = await service.core.operations.installation(null, (to) => createLink(to, null));
    await page.goto(`${service.url}/console/sign-in#token=${token}`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await keys.type('Name', 'Ada Lovelace');
    await keys.type('Mail address', 'ada@example.org');
    await keys.type('New password', PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Roles' }).waitFor();
    await page.getByText('Ada Lovelace').waitFor();
  });

  job('an operator makes a role for one language, and a translator with it', async () => {
    await keys.press('Roles', 'Enter');
    await page.getByRole('heading', { name: 'Roles' }).waitFor();
    await keys.press('Add a role …', 'Enter');
    await page.getByRole('dialog').waitFor();
    await keys.type('Name', 'German translator');
    await keys.type('Codename', 'german_translator');
    for (const permission of ['View content', 'Edit content and assets', 'Publish'])
      await keys.press(permission, 'Space');
    await keys.press('Only some languages or types', 'Enter');
    for (const permission of ['Edit content and assets', 'Publish']) {
      await keys.press(`Limit “${permission}”`, 'Enter');
      await page
        .getByRole('group', { name: `${permission}: only in these languages` })
        .getByText('Deutsch', { exact: true })
        .waitFor();
      await keys.press('Deutsch', 'Space');
    }
    await isAccessible();
    await keys.press('Save', 'Enter');
    await page
      .getByRole('row', {
        name: /^German translator View content, Edit content and assets \(de\), Publish \(de\)/,
      })
      .waitFor();

    await keys.press('People', 'Enter');
    await page.getByRole('heading', { name: 'People' }).waitFor();
    await keys.press('Add a person …', 'Enter');
    await keys.type('Name', 'Grace Hopper');
    await keys.type('Mail address', 'grace@example.org');
    await keys.press('German translator', 'Space');
    await isAccessible();
    await keys.press('Save', 'Enter');
    invitation = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    await keys.press('Close', 'Enter');
    await page.getByRole('rowheader', { name: 'Grace Hopper' }).waitFor();
  });

  it('the translator signs in, is offered her language only, and is refused elsewhere with a sentence', async () => {
    const other = await openPage(browser);
    const own = new Keyboard(other.page);
    await withScreenshot(other.page, 'translator', async () => {
      await other.page.goto(invitation);
      await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await own.type('New password', PASSWORD);
      await other.page.keyboard.press('Enter');
      await other.page.getByText('Grace Hopper').waitFor();
      expect(await other.page.getByRole('link', { name: 'Roles' }).count()).to.equal(0);
      const put = (path: string, body?: object) =>
        other.page.evaluate(
          async ([path, body]) => {
            const response = await fetch(`/console/api/manage/projects/${path}`, {
              method: 'PUT',
              headers: { 'x-headwater-console': '1', 'content-type': 'application/json' },
              ...(body && { body }),
            });
            return { status: response.status, text: await response.text() };
          },
          [path, body ? JSON.stringify(body) : ''] as const,
        );
      const variant = `${service.sample!.projectId}/items/codename/where_the_orrach_begins/variants/codename`;
      const body = { elements: [{ element: { codename: 'title' }, value: 'Am Ursprung' }] };
      expect(await put(`${variant}/de/new-version`)).to.include({ status: 204 });
      expect((await put(`${variant}/de`, body)).status).to.equal(200);
      const refused = await put(`${variant}/en`, body);
      expect(refused.status).to.equal(403);
      expect(refused.text).to.include(
        "Your roles in this project do not include 'edit-content' for items of the type 'Article' in the language 'English'.",
      );
      expect(other.errors).to.deep.equal([]);
    });
    await other.page.context().close();
  });
});
