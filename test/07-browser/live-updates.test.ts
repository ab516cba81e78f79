/** Two browsers at the same service: each follows what the other does. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { consoleJobs } from '../support/console-jobs.ts';
import { addOperator, PERSON, signedInPage } from '../support/console-person.ts';
import { openBrowser } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';

describe('two browsers at the console', () => {
  let service: RunningService;
  let browser: Browser;
  let mine: Page;
  let theirs: Page;
  let errors: readonly string[] = [];
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), openBrowser()]);
    await addOperator(service);
    const opened = [await signedInPage(browser, service), await signedInPage(browser, service)];
    [mine, theirs] = opened.map(({ page }) => page) as [Page, Page];
    errors = opened[0]!.errors;
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });
  /** The answer 412 is an error for the browser's log, and what the jobs are about. */
  const unexpected = () => errors.filter((text) => !text.includes('412'));
  const { job, isAccessible } = consoleJobs(() => ({ page: mine, errors: unexpected() }));

  const editRole = async (page: Page, role: string, name: string) => {
    await page.getByRole('button', { name: `Edit ${role}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill(name);
    return dialog;
  };

  job('shows what the other one adds, without a reload', async () => {
    for (const page of [mine, theirs]) await page.getByRole('link', { name: 'Roles' }).click();
    await mine.getByRole('row', { name: /^Reader/ }).waitFor();
    await theirs.getByRole('button', { name: 'Add a role …' }).click();
    const dialog = theirs.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Auditor');
    await dialog.getByLabel('Codename').fill('auditor');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await mine.getByRole('row', { name: /^Auditor/ }).waitFor();
  });

  job('keeps what was typed where the other one has saved first, and says what to do', async () => {
    const own = await editRole(mine, 'Auditor', 'Mine');
    const other = await editRole(theirs, 'Auditor', 'Theirs');
    await other.getByRole('button', { name: 'Save' }).click();
    await theirs.getByRole('row', { name: /^Theirs/ }).waitFor();
    await own.getByRole('button', { name: 'Save' }).click();
    await own.getByText('Someone else changed this since you opened it').waitFor();
    await own.getByText('name: Auditor → Theirs').waitFor();
    expect(await own.getByLabel('Name', { exact: true }).inputValue()).to.equal('Mine');
    await isAccessible();
    await own.getByRole('button', { name: 'Save mine over theirs' }).click();
    await theirs.getByRole('row', { name: /^Mine/ }).waitFor();
  });

  job('takes what the other one saved, where that is chosen', async () => {
    const own = await editRole(mine, 'Mine', 'Dropped');
    const other = await editRole(theirs, 'Mine', 'Kept');
    await other.getByRole('button', { name: 'Save' }).click();
    await theirs.getByRole('row', { name: /^Kept/ }).waitFor();
    await own.getByRole('button', { name: 'Save' }).click();
    await own.getByRole('button', { name: 'Take theirs, drop what I typed' }).click();
    await own
      .locator('input[value="Kept"]')
      .or(own.getByLabel('Name', { exact: true }))
      .first()
      .waitFor();
    expect(await own.getByLabel('Name', { exact: true }).inputValue()).to.equal('Kept');
    await own.getByRole('button', { name: 'Cancel' }).click();
  });

  job('shows who has an item open', async () => {
    await theirs.getByRole('link', { name: 'Content', exact: true }).click();
    await theirs.getByRole('searchbox', { name: 'Search' }).fill('Where the Orrach');
    await theirs.getByRole('rowheader', { name: 'Where the Orrach begins' }).waitFor();
    await mine.getByRole('link', { name: 'Content', exact: true }).click();
    const project = service.sample!.projectId;
    const { items } = await service.core.operations.read(project, async ({ tx }) => ({
      items: await tx.all<{ id: string }>('SELECT id FROM item WHERE name = ?', ['Where the Orrach begins']),
    }));
    await mine.goto(`${service.url}/console/projects/${project}/items/${items[0]!.id}`);
    await mine.getByRole('heading', { name: 'Where the Orrach begins' }).waitFor();
    const row = theirs.getByRole('row', { name: /Where the Orrach begins/ });
    await row.getByText(`Open: ${PERSON.name}`).waitFor();
    await mine.getByRole('link', { name: 'Content', exact: true }).click();
    await row.getByText(`Open: ${PERSON.name}`).waitFor({ state: 'detached' });
  });

  job('has one stream for all tabs of a browser, and another tab takes it over', async () => {
    const second = await mine.context().newPage();
    await second.goto(`${service.url}/console/roles`);
    await second.getByRole('row', { name: /^Kept/ }).waitFor();
    const locks =
      await second.evaluate<Record<'held' | 'pending', { readonly name: string }[]>>(
        'navigator.locks.query()',
      );
    const named = (list: readonly { readonly name: string }[]) =>
      list.filter(({ name }) => name === 'headwater-events').length;
    expect([named(locks.held), named(locks.pending)]).to.deep.equal([1, 1]);
    await mine.close();
    await theirs.getByRole('link', { name: 'Roles' }).click();
    const dialog = await editRole(theirs, 'Kept', 'Renamed');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await second.getByRole('row', { name: /^Renamed/ }).waitFor();
    mine = second;
  });
});
