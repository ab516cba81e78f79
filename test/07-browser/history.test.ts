/** History and plans in a real browser, with the keyboard only. */
import { expect } from 'chai';
import type { Browser, Page, Route } from 'playwright-core';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import type { ElementInput } from '../../core/model/inputs.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { Keyboard } from '../support/browser/keyboard.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const LANGUAGE = { codename: 'en' };

interface Guide {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
}

describe('history and plans in the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let keys: Keyboard;
  let account: string;
  let guides = 0;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), browserOfProcess()]);
    ({ account } = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true }));
    await run(async (transaction) => {
      await createType(transaction, {
        name: 'Guide',
        elements: [
          { type: 'text', name: 'Heading' },
          { type: 'rich_text', name: 'Body' },
          { type: 'modular_content', name: 'See also' },
        ],
      });
    });
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, account);
    ({ page } = opened);
    keys = new Keyboard(page);
    return opened;
  });

  const run = <T>(work: (transaction: ProjectTransaction) => Promise<T>) =>
    service.core.operations.inProject(service.sample!.projectId, null, work);
  const write = (
    to: ProjectTransaction,
    { id }: Guide,
    heading: string,
    body: string,
    ...more: ElementInput[]
  ) =>
    upsertVariant(to, { id }, LANGUAGE, {
      elements: [
        { element: { codename: 'heading' }, value: heading },
        { element: { codename: 'body' }, value: body },
        ...more,
      ],
    });
  /** A draft. The name of no other item is the same. */
  const guide = (name: string, heading: string, body: string, ...more: ElementInput[]): Promise<Guide> =>
    run(async (to) => {
      guides += 1;
      const made = await createItem(to, { name: `${name} ${guides}`, type: { codename: 'guide' } });
      await write(to, made, heading, body, ...more);
      return made;
    });
  /** A draft that links to another one. */
  const oarsAndRopes = async (): Promise<readonly [Guide, Guide]> => {
    const ropes = await guide('Ropes', 'Ropes', '<p>Long.</p>');
    const link = { element: { codename: 'see_also' }, value: [{ id: ropes.id }] };
    return [await guide('Oars', 'Oars', '<p>Two.</p>', link), ropes];
  };
  const publish = ({ id }: Guide) => run((to) => publishVariant(to, { id }, LANGUAGE));
  const open = async ({ id, name }: Guide) => {
    await page.goto(`${service.url}/console/projects/${service.sample!.projectId}/items/${id}?language=en`);
    await page.getByRole('heading', { name, exact: true }).waitFor();
  };
  /** Nothing can be done before what was begun is done, and shown. */
  const isDone = () => page.locator('button:disabled').first().waitFor({ state: 'detached' });
  const stored = ({ id }: Guide) =>
    run(async ({ tx }) =>
      tx.get<{ draft: string | null; published: string | null }>(
        `SELECT d.elements AS draft, p.elements AS published FROM item i JOIN variant v ON v.item = i.number
           LEFT JOIN version d ON d.number = v.draft LEFT JOIN version p ON p.number = v.published WHERE i.id = ?`,
        [id],
      ),
    );

  /** A public guide with another draft. */
  const changedBoats = async () => {
    const boats = await guide('Boats', 'Old boats', '<p>They are made of wood.</p>');
    await publish(boats);
    await run(async (to) => {
      await newVersion(to, { id: boats.id }, LANGUAGE);
      await write(to, boats, 'New boats', '<p>They are made of steel.</p>');
    });
    return boats;
  };
  const openHistory = async (of: Guide) => {
    await open(of);
    await keys.press('History', 'Enter');
    await page.getByRole('heading', { name: `History of ${of.name} (English)` }).waitFor();
    await page.getByText('2 elements changed.').waitFor();
  };

  job('a version is compared, restored, and the restoration is undone', async () => {
    const boats = await changedBoats();
    const before = await stored(boats);
    await openHistory(boats);
    const body = page.getByRole('region', { name: 'Body' });
    expect(await body.locator('del').textContent()).to.equal('Removed: wood');
    expect(await body.locator('ins').textContent()).to.equal('Inserted: steel');
    await isAccessible();
    await page.emulateMedia({ colorScheme: 'dark' });
    await isAccessibleToo('dark');
    // Printed: what it says, on white.
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('banner').waitFor({ state: 'hidden' });
    await page.getByRole('button').first().waitFor({ state: 'hidden' });
    expect(await body.locator('ins').isVisible()).to.equal(true);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).to.equal('light');
    await page.emulateMedia({ media: null });
    await page.emulateMedia({ colorScheme: 'light' });
    await keys.press('Restore “Heading” from the older version', 'Enter');
    await isDone();
    await page.getByText('One element changed.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await keys.press('Undo', 'Enter');
    await isDone();
    await page.getByText('2 elements changed.').waitFor();
    expect(await stored(boats)).to.deep.equal(before);
  });

  longJob(
    'what was refused, the oldest version and a public one without a draft are restored as well',
    async () => {
      const boats = await changedBoats();
      const before = await stored(boats);
      await openHistory(boats);
      // What was refused is not said any more once the page shows what there is now.
      const refuse = (route: Route) =>
        route.request().method() === 'PUT' ? route.fulfill({ status: 412, body: '{}' }) : route.fallback();
      await page.route('**/draft', refuse);
      await keys.press('Restore “Heading” from the older version', 'Enter');
      const refused = page.getByRole('alert').filter({ hasText: 'Someone else changed this' });
      await refused.waitFor();
      await page.unroute('**/draft', refuse);
      await keys.press('Try again', 'Enter');
      await refused.waitFor({ state: 'detached' });

      const oldest = page.getByRole('button', { name: /^Restore the version: .*Public/ });
      await keys.press((await oldest.getAttribute('aria-label')) ?? '', 'Enter');
      await isDone();
      await page
        .getByText('These versions have the same content.')
        .or(page.getByText('2 elements changed.'))
        .waitFor();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      const after = await stored(boats);
      expect(after?.draft).to.equal(before?.published);
      expect(after?.published).to.equal(before?.published);

      // A public variant without a draft gets one, and undoing takes it away.
      await publish(boats);
      await page.reload();
      const steel = page.getByRole('button', { name: /^Restore the version: / }).first();
      await keys.press((await steel.getAttribute('aria-label')) ?? '', 'Enter');
      await isDone();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
      await keys.press('Undo', 'Enter');
      await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
      expect((await stored(boats))?.draft).to.equal(null);

      // In the default language where the address names none.
      const [address] = page.url().split('?');
      await page.goto(address!);
      await page.getByRole('heading', { name: `History of ${boats.name} (English)` }).waitFor();
      await page.getByRole('button', { name: 'As an API call …' }).click();
      await page.getByRole('button', { name: 'Execute here' }).click();
      await page.getByText(/^Answer 200 in/).waitFor();
      await isAccessible();
    },
  );

  job('an item is published with what it links to', async () => {
    const [oars, ropes] = await oarsAndRopes();
    await open(oars);
    await keys.press('Publish …', 'Enter');
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText(`${oars.name} (English) → ${ropes.name}`).waitFor();
    await dialog.getByText('This happens at once.').waitFor();
    await keys.press('Include the linked draft', 'Enter');
    await dialog.getByText('These are published too, because others link to them:').waitFor();
    await dialog.getByText('2 variants become public.').waitFor();
    await isAccessible();
    await keys.press('Publish now', 'Enter');
    await dialog.getByText('2 variants were published.').waitFor();
    for (const { codename } of [oars, ropes]) {
      const answer = await fetch(
        `${service.url}/delivery/${service.sample!.projectId}/items/${codename}?language=en`,
      );
      expect(answer.status, codename).to.equal(200);
    }
    await keys.press('Close', 'Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  job('a plan of unpublishing says what breaks', async () => {
    const [oars, ropes] = await oarsAndRopes();
    await publish(ropes);
    await publish(oars);
    await open(ropes);
    await keys.press('Unpublish …', 'Enter');
    const dialog = page.getByRole('dialog', { name: 'Unpublish' });
    await dialog.getByText('1 variant is no longer public.').waitFor();
    await dialog.getByText('These public links would break:').waitFor();
    await dialog.getByText(`${oars.name} (English) → ${ropes.name}`).first().waitFor();
    await isAccessible();
    await page.emulateMedia({ colorScheme: 'dark' });
    await isAccessibleToo('dark');
    await keys.press('Cancel', 'Enter');
  });
});
