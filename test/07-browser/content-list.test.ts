/** Finding, choosing and acting on content in a real browser, over thousands of items. */

import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createProject } from '../../core/access/projects.ts';
import { createRole } from '../../core/access/roles.ts';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { replaceSitemap } from '../../core/content/sitemap.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { schedulePublish } from '../../core/publishing/schedule.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { holdRequests } from '../support/browser/hold-requests.ts';
import { Keyboard } from '../support/browser/keyboard.ts';
import { openBrowser, withScreenshot } from '../support/browser/open-browser.ts';
import { pageWithSession, signInPerson, useSession } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const COUNT = isLongForm ? 10_000 : 1100;
const RELEASES = 20;
/** With the others more than are shown as columns. */
const FACTS = 8;
/** More than a list shows of a value. */
const PLACES = ['Aden', 'Bari', 'Cork', 'Doha', 'Enna', 'Faro'];
/** Pixels between the top of the list and its first row: the frame and the head. */
const ROWS_FROM = 41;
/** The second of two times that clocks show. */
const SECOND = /that is Oct 27, 2030, 1:30:00\sAM UTC/;

describe('the content list', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let operator: string;
  before(async () => {
    [service, browser] = await Promise.all([startService(), browserOfProcess()]);
    ({ account: operator } = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true }));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, operator, { timezoneId: 'Europe/Berlin' });
    ({ page } = opened);
    return opened;
  });
  const grid = () => page.getByRole('grid', { name: 'Content' });
  /** A project that no other job acts on, with releases and some notes. @returns its id */
  const newProject = async (notes = 5) => {
    const { operations } = service.core;
    const { id } = await operations.installation(null, (to) =>
      createProject(to, { name: 'Press', default_language: { name: 'English', codename: 'en' } }),
    );
    await operations.inProject(id, null, async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      await createType(transaction, {
        name: 'Release',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'date_time', name: 'Day' },
          { type: 'number', name: 'Depth' },
          ...Array.from({ length: FACTS }, (_, at) => ({ type: 'text', name: `Fact ${at}` }) as const),
          {
            type: 'multiple_choice',
            name: 'Places',
            mode: 'multiple',
            options: PLACES.map((name) => ({ name })),
          },
        ],
      });
      const type = { codename: 'release' };
      for (let at = 0; at < notes; at += 1)
        await createItem(transaction, { name: `Note ${String(at).padStart(5, '0')}`, type });
      for (let at = 0; at < RELEASES; at += 1) {
        const item = await createItem(transaction, { name: `Release ${at + 10}`, type });
        const elements = [
          { element: { codename: 'title' }, value: `Title ${at + 10}` },
          { element: { codename: 'day' }, value: '2030-03-01T12:00:00Z' },
          { element: { codename: 'depth' }, value: 1234.5678 },
          {
            element: { codename: 'places' },
            value: PLACES.map((name) => ({ codename: name.toLowerCase() })),
          },
        ];
        await upsertVariant(transaction, { id: item.id }, { codename: 'en' }, { elements });
      }
    });
    return id;
  };
  const published = async (project: string) => {
    const answer = await fetch(`${service.url}/delivery/${project}/items`);
    return ((await answer.json()) as { items: unknown[] }).items.length;
  };
  const open = async (project: string, query = '') => {
    await page.goto(`${service.url}/console/projects/${project}/content${query}`);
    await grid().getByRole('rowheader').first().waitFor();
  };
  const rows = () => grid().getByRole('row').count();

  /** Jobs leave it as it was. */
  let large: Promise<string> | undefined;
  const largeProject = () => {
    large ??= newProject(COUNT);
    return large;
  };

  job('shows any of thousands of items at once, with a few rows in the document', async () => {
    await open(await largeProject());
    await page.getByText(`${(COUNT + RELEASES).toLocaleString('en')} items`).waitFor();
    expect(await grid().getAttribute('aria-rowcount')).to.equal(String(COUNT + RELEASES + 1));
    for (const row of [COUNT / 2, COUNT - 10, 17, Math.floor(COUNT * 0.7777)]) {
      await grid().evaluate((element, top) => (element.scrollTop = top), row * 40);
      await grid()
        .getByRole('rowheader', { name: `Note ${String(row).padStart(5, '0')}` })
        .waitFor();
      expect(await rows()).to.be.lessThan(150);
    }
  });

  job('is where it was when the person comes back from an item', async () => {
    await open(await largeProject());
    const top = COUNT * 20;
    await grid().evaluate((element, to) => (element.scrollTop = to), top);
    const name = `Note ${String(COUNT / 2 + 4).padStart(5, '0')}`;
    const row = grid().getByRole('rowheader', { name });
    await row.getByRole('link').click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.goBack();
    await row.waitFor();
    expect(await grid().evaluate(({ scrollTop }) => scrollTop)).to.equal(top);
    // Keys go on from there.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const next = `Note ${String(COUNT / 2 + 5).padStart(5, '0')}`;
    await page.getByRole('heading', { name: next, level: 1 }).waitFor();
  });

  longJob(
    'shows numbers and days in German as forms do, loads views, and is gone back to as it was',
    async () => {
      const url = `${service.url}/console/`;
      await page.context().addCookies([{ name: 'headwater-language', value: 'de', url }]);
      const query = 'type=release&text=release&elements=depth&changed_from=2026-01-01';
      await page.goto(`${url}projects/${await newProject()}/content?${query}`);
      const depth = page.getByRole('gridcell', { name: '1234,5678' }).first();
      await depth.waitFor();
      await page.getByText('Geändert ab: 01.01.2026').waitFor();
      await page.getByRole('link', { name: 'Release 10', exact: true }).click();
      await page.getByRole('link', { name: 'Zurück zur Liste' }).click();
      await page.waitForURL((address) => address.search === `?${query}`);
      await depth.waitFor();
      const release = await holdRequests(page, '**/views');
      await page.getByRole('button', { name: 'Gespeicherte Ansichten …' }).click();
      const views = page.getByRole('dialog', { name: 'Gespeicherte Ansichten' });
      await views.getByText('Wird geladen …').waitFor();
      release();
      await views.getByText('Es gibt noch keine gespeicherten Ansichten.').waitFor();
      await page.unroute('**/views');
    },
  );

  job('begins in a language that the person may view, and offers no others', async () => {
    const project = await newProject();
    await service.core.operations.inProject(project, null, async (transaction) => {
      const item = { codename: 'release_10' };
      await upsertVariant(transaction, item, { codename: 'de' }, { elements: [] });
    });
    const role = await service.core.operations.installation(null, (to) =>
      createRole(to, {
        name: `German ${project}`,
        codename: `german_${project.replaceAll('-', '')}`,
        permissions: ['view-content'],
        limits: { 'view-content': { types: null, languages: ['de'] } },
      }),
    );
    const { browser: session } = await signInPerson(service, {
      name: `German ${project}`,
      projects: [{ id: project, roles: [role.id] }],
    });
    await useSession(page, service, { account: '', browser: session });
    await open(project);
    await grid().getByRole('link', { name: 'Release 10', exact: true }).waitFor();
    const language = page.getByRole('search').getByLabel('Language');
    expect(await language.locator('option').allTextContents()).to.deep.equal(['German']);
  });

  longJob('opens an item in another tab where the person wants that', async () => {
    // Chromium without windows at times loads nothing in a tab that it opens itself.
    const windowed = await openBrowser('chromium');
    try {
      const opened = await pageWithSession(windowed, service, operator);
      ({ page } = opened);
      await withScreenshot(page, 'another-tab', async () => {
        await open(await newProject());
        const link = grid().getByRole('link', { name: 'Release 10', exact: true });
        const [tab] = await Promise.all([
          page.context().waitForEvent('page'),
          link.click({ modifiers: ['Control'] }),
        ]);
        await tab.waitForURL(/\/items\//);
        await tab.close();
        expect(page.url()).to.match(/\/content$/);
        await link.click();
        await page.waitForURL(/\/items\//);
      });
      expect(opened.errors).to.deep.equal([]);
    } finally {
      await windowed.close();
    }
  });

  job('opens an item without one call that waits for another', async () => {
    await open(await newProject());
    const variant = page.waitForRequest(/\/items\/[^/]+\/variants\//);
    await page.route(/\/admin\/projects\/[^/]+\/items\/[^/]+$/, async (route) => {
      await variant;
      await route.continue();
    });
    await grid().getByRole('link', { name: 'Release 10', exact: true }).click();
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
  });

  job('orders by columns, shows values of elements, and keeps all of it in the address', async () => {
    await open(await newProject(), '?type=release&text=release');
    await page.getByRole('button', { name: 'Columns …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Columns' });
    await dialog.getByLabel('Title').check();
    await dialog.getByLabel('Day').check();
    await dialog.getByLabel('Places').check();
    await dialog.getByLabel('German').check();
    const facts = dialog.getByRole('checkbox', { name: /^Fact/ });
    const clickFacts = () =>
      facts.evaluateAll((boxes) => {
        for (const box of boxes) (box as unknown as { click(): void }).click();
      });
    await clickFacts();
    await dialog.getByRole('button', { name: 'Show' }).click();
    await dialog.getByRole('alert').getByText('Choose at most 10 elements').waitFor();
    await isAccessibleToo('too many columns');
    await clickFacts();
    await dialog.getByRole('button', { name: 'Show' }).click();
    await grid().getByText('Title 29').waitFor();
    // In the time zone of the person.
    await grid()
      .getByRole('gridcell', { name: /^Mar 1, 2030, 1:00\sPM$/ })
      .first()
      .waitFor();
    const places = grid().getByRole('gridcell', { name: /^Aden/ }).first();
    expect(await places.textContent(), 'of six').to.equal('Aden, Bari, Cork, Doha, Enna …');
    for (const sorted of ['ascending', 'descending']) {
      await grid().getByRole('button', { name: 'Name' }).click();
      await page.locator(`th[aria-sort=${sorted}]`).waitFor();
    }
    await page.waitForURL(/descending=true/);
    await page.reload();
    await grid().getByText('Title 29').waitFor();
    expect(await grid().getByRole('rowheader').first().textContent()).to.equal('Release 29');
    expect(await grid().getByRole('columnheader').allTextContents()).to.include.members(['German', 'Title']);
    await page.getByRole('button', { name: 'Saved views …' }).click();
    const views = page.getByRole('dialog', { name: 'Saved views' });
    await views.getByLabel('Name of a new view').fill('Titles');
    await views.getByRole('button', { name: 'Save the view' }).click();
    await views.getByRole('button', { name: 'Titles', exact: true }).waitFor();
    // In the dialog: what is behind it is neither read nor seen on a narrow page.
    await views.getByRole('status').filter({ hasText: 'Titles was saved.' }).waitFor();
    await isAccessibleToo();
    await views.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByText(`${5 + RELEASES} items`).waitFor();
    await page.getByRole('button', { name: 'Saved views …' }).click();
    await views.getByRole('button', { name: 'Titles', exact: true }).click();
    await page.getByText(`${RELEASES} items`, { exact: true }).waitFor();
    await page.waitForURL(/text=release/);
  });

  longJob('filters by anyone who writes in the project, and by days', async () => {
    const project = await newProject();
    const projects = [{ id: project, capabilities: ['manage-apis'] as const }];
    const { account } = await signInPerson(service, { name: `Grace ${project.slice(0, 8)}`, projects });
    const { operations } = service.core;
    await operations.inProject(project, account, (transaction) =>
      upsertVariant(
        transaction,
        { codename: 'note_00003' },
        { codename: 'en' },
        {
          elements: [{ element: { codename: 'title' }, value: 'By Grace' }],
        },
      ),
    );
    await open(project);
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Changed by').selectOption({ label: `Grace ${project.slice(0, 8)}` });
    await page.getByText('1 item', { exact: true }).waitFor();
    await grid().getByRole('rowheader', { name: 'Note 00003' }).waitFor();
    await page.getByText(`Changed by: Grace ${project.slice(0, 8)}`).waitFor();
    await isAccessible();
    await page.reload();
    await page.getByText(`Changed by: Grace ${project.slice(0, 8)}`).waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    const steps = await page.evaluate<number>('history.length');
    await page.getByLabel('Changed until').focus();
    for (const key of '01012020') await page.keyboard.press(key);
    await page.waitForURL(/changed_before=2020-01-01/);
    await page.getByText('No content matches these filters.').waitFor();
    expect(await page.evaluate('history.length'), 'steps back').to.equal(steps + 1);
  });

  longJob('finds and publishes twenty items after the plan, and undoes it', async () => {
    const project = await newProject();
    await open(project);
    await page.getByRole('searchbox', { name: 'Search' }).fill('release');
    await page.getByText(`${RELEASES} items`, { exact: true }).waitFor();
    await page.getByLabel('Select all items that match').check();
    await page.getByText(`${RELEASES} items selected`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Publish …', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText(`${RELEASES} variants become public.`).waitFor();
    await dialog.getByRole('button', { name: 'Publish now' }).click();
    await dialog.getByText(`${RELEASES} variants were published.`).waitFor();
    expect(await published(project)).to.equal(RELEASES);
    await isAccessible();
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('Everything is as it was before.').waitFor();
    expect(await published(project)).to.equal(0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await grid().getByText('Draft').first().waitFor();
  });

  longJob('shows the progress of an act on more than 1,000 items, and takes back what was done', async () => {
    const project = await largeProject();
    await open(project, '?text=note');
    await page.getByLabel('Select all items that match').check();
    await page.getByRole('button', { name: 'Archive …', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive' });
    await dialog.getByText(`${COUNT} are archived.`).waitFor();
    const started = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/acts/archive'),
    );
    await dialog.getByRole('button', { name: 'Archive now' }).click();
    await started;
    // The act waits for other writers between its transactions.
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = service.core.operations.storage.write(() => released);
    const progress = dialog.getByRole('progressbar', { name: new RegExp(`of ${COUNT}`) });
    await progress.waitFor();
    await isAccessible();
    // A look at it that fails for a time does not end it.
    const failed = page.waitForEvent('requestfailed');
    await page.route('**/acts/*', (route) => route.abort(), { times: 1 });
    await failed;
    await page.waitForRequest('**/acts/*');
    expect(await progress.isVisible()).to.equal(true);
    await dialog.getByRole('button', { name: 'Stop, and take back what was done' }).click();
    release();
    await holding;
    await dialog.getByText('Everything is as it was before.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText(`${COUNT.toLocaleString('en')} items`, { exact: true }).waitFor();
  });

  longJob('moves items in the sitemap after the plan, and back', async () => {
    const project = await newProject();
    const nodes = [{ name: 'News', codename: 'news' }];
    await service.core.operations.inProject(project, null, (transaction) =>
      replaceSitemap(transaction, nodes),
    );
    const inNews = async () => {
      const answer = await fetch(
        `${service.url}/delivery/${project}/items?system.sitemap_locations[contains]=news`,
      );
      return ((await answer.json()) as { items: unknown[] }).items.length;
    };
    await open(project, '?text=release');
    for (const name of ['Release 10', 'Release 11']) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Publish …', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    for (const name of ['Release 10', 'Release 11']) await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: 'Move in the sitemap …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move in the sitemap' });
    await dialog.getByLabel('News').check();
    await dialog.getByText('2 items get these locations.').waitFor();
    await isAccessible();
    expect(await inNews()).to.equal(0);
    await dialog.getByRole('button', { name: 'Move now' }).click();
    await dialog.getByText('2 items were moved.').waitFor();
    expect(await inNews()).to.equal(2);
    await dialog.getByRole('button', { name: 'Undo' }).click();
    await dialog.getByText('Everything is as it was before.').waitFor();
    expect(await inNews()).to.equal(0);
  });

  job('keeps the rows where they are when the buttons for a selection come and go', async () => {
    await open(await largeProject());
    const row = grid().getByRole('row').filter({ hasText: 'Note 00004' });
    const place = async () => (await row.boundingBox())!.y;
    const top = async () => (await grid().boundingBox())!.y;
    const [before, list] = [await place(), await top()];
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Publish …', exact: true }).waitFor();
    expect(await top()).to.be.greaterThan(list);
    expect(await place()).to.equal(before);
    await row.getByRole('checkbox').uncheck();
    await page.getByRole('button', { name: 'Publish …', exact: true }).waitFor({ state: 'detached' });
    expect(await place()).to.equal(before);
    // But not out of the list: on a narrow page, the buttons are higher than what is above the row.
    await page.setViewportSize({ width: 360, height: 640 });
    await row.scrollIntoViewIfNeeded();
    await row.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Publish …', exact: true }).waitFor();
    expect(await place()).to.equal((await top()) + ROWS_FROM);
  });

  job('keeps the list where it is while another order of it loads', async () => {
    await open(await newProject());
    const top = async () => (await grid().boundingBox())!.y;
    const before = await top();
    const release = await holdRequests(page, /[?&]order=/);
    await grid().getByRole('columnheader', { name: 'Last change' }).getByRole('button').click();
    await page.getByText('Loading …').waitFor();
    expect(await top()).to.equal(before);
    release();
    await grid().getByRole('rowheader').first().waitFor();
    expect(await top()).to.equal(before);
  });

  job('shows what is scheduled in the calendar of any zone', async () => {
    const project = await newProject();
    const { operations } = service.core;
    await operations.inProject(project, operator, (transaction) =>
      schedulePublish(transaction, { codename: 'release_10' }, { codename: 'en' }, '2030-10-27T01:30:00Z'),
    );
    await page.goto(`${service.url}/console/projects/${project}/calendar?month=2030-10`);
    await page.getByRole('listitem').filter({ hasText: '02:30 Release 10' }).waitFor();
    await isAccessible();
    await page.getByLabel('Time zone').selectOption('UTC');
    await page.getByRole('listitem').filter({ hasText: '01:30 Release 10' }).waitFor();
  });

  longJob('schedules across a change of clocks, and shows it in the calendar of any zone', async () => {
    const project = await newProject();
    await open(project, '?text=release');
    await page.getByLabel('Select Release 10').check();
    await page.getByRole('button', { name: 'Schedule …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Schedule publishing' });
    await dialog.getByLabel('Date and time').focus();
    for (const key of '12252030') await page.keyboard.press(key);
    await dialog.getByLabel('Time zone').focus();
    await dialog.getByText('Date and time are incomplete').waitFor();
    await dialog.getByLabel('Date and time').fill('2030-03-31T02:30');
    await dialog.getByText('Clocks in Europe/Berlin never show this time').waitFor();
    expect(await dialog.getByRole('button', { name: 'Schedule' }).isDisabled()).to.equal(true);
    await dialog.getByLabel('Date and time').fill('2030-10-27T02:30');
    await dialog.getByText('they show this time twice').waitFor();
    await dialog.getByRole('radio').nth(1).check();
    await dialog.getByRole('status').filter({ hasText: SECOND }).waitFor();
    await isAccessible();
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await dialog.getByText('1 variant was scheduled.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // The state with its time is longer than its column: the end of it is inside.
    await grid().locator('.state.scheduled').waitFor();
    const isWhole = await page.evaluate<boolean>(
      `((state) => state.offsetWidth <= state.parentElement.clientWidth)(document.querySelector('.grid .state.scheduled'))`,
    );
    expect(isWhole).to.equal(true);
    const stored = await service.core.operations.storage.sql.get<{ at: string }>(
      `SELECT min(scheduled_to) AS at FROM variant
       WHERE scheduled_to IS NOT NULL
         AND item IN (SELECT i.number FROM item i JOIN project p ON p.number = i.project WHERE p.id = ?)`,
      [project],
    );
    expect(stored?.at).to.equal('2030-10-27T01:30:00.0000000Z');
    await page.goto(`${service.url}/console/projects/${project}/calendar?month=2030-10`);
    await page.getByRole('listitem').filter({ hasText: '02:30 Release 10' }).waitFor();
    await isAccessible();
    await page.getByRole('status').filter({ hasText: 'October 2030' }).waitFor();
    await page.setViewportSize({ width: 360, height: 640 });
    const column = await page.getByRole('columnheader', { name: 'Mon' }).boundingBox();
    expect(column?.width, 'wide enough for words').to.be.at.least(90);
    await isAccessible();
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByLabel('Time zone').selectOption('UTC');
    await page.getByRole('listitem').filter({ hasText: '01:30 Release 10' }).waitFor();
    await page.getByRole('button', { name: 'Move the schedule of Release 10' }).click();
    // What was chosen is the second of the two.
    expect(await dialog.getByLabel('Date and time').inputValue()).to.equal('2030-10-27T02:30');
    await dialog.getByRole('status').filter({ hasText: SECOND }).waitFor();
    // What the first key in the year makes of the time.
    await dialog.getByLabel('Date and time').fill('0002-10-28T02:30');
    await dialog.getByLabel('Date and time').fill('2030-10-28T02:30');
    await dialog.getByRole('button', { name: 'Schedule' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('listitem').filter({ hasText: '01:30 Release 10' }).waitFor();
    const links = await page.getByRole('link', { name: 'Release 10' }).all();
    expect(links, 'in the month and in the agenda').to.have.length(2);
    for (const link of links) expect(await link.getAttribute('href')).to.match(/items\/[\w-]+\?language=/);
    await page.getByRole('button', { name: 'Cancel the schedule of Release 10' }).click();
    const cancel = page.getByRole('dialog', { name: 'Cancel schedules' });
    await cancel.getByRole('button', { name: 'Cancel the schedules' }).click();
    await cancel.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Nothing is scheduled in this month.').waitFor();
    // Not by its colour alone, which screen readers do not say and high contrast replaces.
    await page.getByRole('button', { name: 'This month' }).click();
    const today = page.locator('td[aria-current=date]');
    expect(await today.textContent()).to.equal(String(new Date().getUTCDate()));
    await page.emulateMedia({ forcedColors: 'active' });
    const outline = await page.evaluate(
      `getComputedStyle(document.querySelector('td[aria-current=date]')).outlineStyle`,
    );
    expect(outline).to.equal('solid');
    await page.emulateMedia({ forcedColors: null });
  });

  job('does all of it with the keyboard', async () => {
    const project = await newProject();
    await open(project);
    const keys = new Keyboard(page);
    const press = async (...all: string[]) => {
      for (const key of all) await page.keyboard.press(key);
    };
    await keys.type('Search', 'release');
    await page.getByText(`${RELEASES} items`, { exact: true }).waitFor();
    await keys.to(grid());
    await press('ArrowDown', ' ', 'Shift+ArrowDown', 'Shift+ArrowDown');
    await page.getByText('3 items selected').waitFor();
    expect(await grid().getAttribute('aria-activedescendant')).to.match(/-3$/);
    await press('Escape', 'End');
    expect(await grid().getAttribute('aria-activedescendant')).to.match(new RegExp(`-${RELEASES - 1}$`));
    await press('Home', ' ', 'Control+a');
    await page.getByText(`${RELEASES} items selected`, { exact: true }).waitFor();
    // The acts stand before the list.
    await keys.to('Publish …', 'Shift+Tab');
    await press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText('variants become public.').waitFor();
    await keys.press('Publish now');
    await dialog.getByText('were published.').waitFor();
    expect(await published(project)).to.equal(RELEASES);
    await keys.press('Undo');
    await dialog.getByText('Everything is as it was before.').waitFor();
    expect(await published(project)).to.equal(0);
    await keys.press('Close');
    await dialog.waitFor({ state: 'detached' });

    // One item at a time that clocks show twice.
    await page.locator('[role=grid]:focus').waitFor();
    await press('Home', ' ');
    await page.getByText('1 item selected').waitFor();
    await keys.to('Schedule …', 'Shift+Tab');
    await press('Enter');
    const schedule = page.getByRole('dialog', { name: 'Schedule publishing' });
    // It has the focus at once, and a year of four digits leads to the hour: a key more would lead to another part.
    await schedule.getByLabel('Date and time').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('102720300230AM');
    await schedule.getByText('they show this time twice').waitFor();
    await keys.to(schedule.getByRole('radio').first());
    await press('ArrowDown');
    await schedule.getByRole('status').filter({ hasText: SECOND }).waitFor();
    await keys.press('Schedule');
    await schedule.getByText('1 variant was scheduled.').waitFor();
    await keys.press('Undo');
    await schedule.getByText('Everything is as it was before.').waitFor();
  });
});
