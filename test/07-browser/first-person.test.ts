/** From the first start to published content, in a real browser. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createLink } from '../../core/access/sign-in-links.ts';
import { consoleJobs } from '../support/console-jobs.ts';
import { openBrowser, openPage } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';

const PASSWORD = 'correct horse battery staple';

describe('the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), openBrowser()]);
    ({ page, errors } = await openPage(browser));
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });
  const { job, isAccessible } = consoleJobs(() => ({ page, errors }));

  job('makes the first user from a sign-in link', async () => {
    const token = await service.core.operations.installation(null, (to) => createLink(to, null));
    await page.goto(`${service.url}/console/sign-in#token=${token}`);
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Mail address').fill('ada@example.org');
    await page.getByLabel('New password').fill(PASSWORD);
    expect(page.url()).not.to.include(token);
    await isAccessible();
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.getByText('You have changed nothing here yet.').waitFor();
    await isAccessible();
    await page.getByRole('navigation').getByRole('link', { name: 'Content' }).click();
    await page.getByRole('heading', { name: 'Content' }).waitFor();
    await page.getByRole('grid').getByRole('rowheader').first().waitFor();
  });

  job('is accessible in both themes and both languages', async () => {
    await isAccessible();
    await page.getByText('Ada Lovelace').click();
    await page.getByLabel('Theme').selectOption('dark');
    await isAccessible();
    await page.getByRole('banner').getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { name: 'Inhalte' }).waitFor();
    await isAccessible();
    await page.getByRole('banner').getByLabel('Sprache').selectOption('en');
    await page.getByLabel('Theme').selectOption('system');
    await page.getByText('Ada Lovelace').click();
  });

  job('finds changed items, and publishes them after it has shown the plan', async () => {
    const published = page.getByRole('grid').locator('.state.published');
    await published.first().waitFor();
    await page.getByLabel('State').selectOption('changed');
    await page.waitForURL(/state=changed/);
    // A published item is not among them.
    await published.first().waitFor({ state: 'detached' });
    await page.getByLabel('Select Return of the kingfisher').check();
    await page.getByRole('button', { name: 'Publish …', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('replaces the public version').first().waitFor();
    await isAccessible();
    await dialog.getByRole('button', { name: 'Publish now' }).click();
    await dialog.getByText('1 variant was published.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByLabel('Select Return of the kingfisher').waitFor({ state: 'detached' });
  });

  job('keeps the page and asks for the password when the session has ended', async () => {
    await service.core.operations.storage.write((tx) => tx.run('DELETE FROM session', []));
    await page.getByRole('searchbox', { name: 'Search' }).fill('ranger');
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.waitFor();
    await isAccessible();
    await dialog.getByLabel('Password').fill('wrong');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByText('The mail address or the password is wrong.').waitFor();
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).to.equal('ranger');
  });

  job(
    'adds a person with a role, who then signs in by a link and is offered what the role permits',
    async () => {
      await page.getByRole('link', { name: 'People' }).click();
      await page.getByRole('button', { name: 'Add a person …' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Grace Hopper');
      await dialog.getByLabel('Mail address').fill('grace@example.org');
      await dialog.getByLabel('Reader').check();
      await isAccessible();
      await dialog.getByRole('button', { name: 'Save' }).click();
      const link = (await dialog.locator('code').textContent()) ?? '';
      await isAccessible();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('rowheader', { name: 'Grace Hopper' }).waitFor();
      await isAccessible();

      const other = await openPage(browser);
      await other.page.goto(link);
      await other.page.getByLabel('New password').fill(PASSWORD);
      await other.page.getByRole('button', { name: 'Sign in' }).click();
      await other.page.getByRole('navigation').getByRole('link', { name: 'Content' }).click();
      await other.page.getByRole('searchbox', { name: 'Search' }).fill('Where the Orrach');
      await other.page.getByLabel('Select Where the Orrach begins').check();
      await other.page.getByText('1 item selected').waitFor();
      expect(await other.page.getByRole('button', { name: 'Publish …', exact: true }).count()).to.equal(0);
      expect(await other.page.getByRole('link', { name: 'People' }).count()).to.equal(0);
      expect(other.errors).to.deep.equal([]);
      await other.page.context().close();
    },
  );

  job('asks for the password before a role is changed, when the sign-in was a while ago', async () => {
    await page.getByRole('link', { name: 'Roles' }).click();
    await page.getByRole('button', { name: 'Edit Reader' }).click();
    await isAccessible();
    const long = new Date(Date.now() - 3_600_000).toISOString();
    await service.core.operations.storage.write((tx) => tx.run('UPDATE session SET confirmed = ?', [long]));
    await page.getByLabel('Publish', { exact: true }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm your password' });
    await isAccessible();
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Reader was saved.').waitFor();
    await page.getByRole('row', { name: /^Reader View content, Publish/ }).waitFor();
  });

  job('signs out', async () => {
    await page.getByText('Ada Lovelace').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await isAccessible();
  });
});
