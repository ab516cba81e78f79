/** Whole jobs of an operator with the keyboard only, and every screen of operators in both themes and languages. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { consoleJobs } from '../support/console-jobs.ts';
import { addOperator, signedInPage } from '../support/console-person.ts';
import { openBrowser } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

/** Presses of Tab until something has the focus; a screen has fewer controls. */
const MOST_TABS = 150;

describe('an operator with the keyboard only', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  let receiver: Server;
  let base = '';
  before(async () => {
    receiver = createServer((request, response) => {
      request
        .resume()
        .on('end', () => response.writeHead(request.url === '/works' ? 200 : 500).end('answer'));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    [service, browser] = await Promise.all([
      startService({ sample: true, environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1' } }),
      openBrowser(),
    ]);
    await addOperator(service);
    ({ page, errors } = await signedInPage(browser, service, { acceptDownloads: true }));
  });
  after(async () => {
    await browser.close();
    await service.stop();
    receiver.close();
  });
  const { job, isAccessible } = consoleJobs(() => ({ page, errors }));
  const press = (key: string) => page.keyboard.press(key);
  const hasFocus = (locator: Locator): Promise<boolean> =>
    locator.evaluate(
      (element: { ownerDocument: { activeElement: unknown } }) =>
        element === element.ownerDocument.activeElement,
    );
  const tabTo = async (locator: Locator) => {
    await locator.waitFor();
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      if (await hasFocus(locator)) return;
      await press('Tab');
    }
    throw new Error(`The focus does not reach ${locator}.`);
  };
  const enter = async (locator: Locator) => {
    await tabTo(locator);
    await press('Enter');
  };
  const option = (which: Parameters<Page['getByRole']>[1]) =>
    page.getByRole('dialog').getByRole('option', which);
  /** Opens something by the commands. */
  const command = async (text: string, shown: string | RegExp) => {
    await press('Control+k');
    await page.getByRole('combobox', { name: /Screen, project/ }).waitFor();
    await page.keyboard.type(text);
    const first = option({ selected: true });
    await first.filter({ hasText: shown }).waitFor();
    await press('Enter');
    await first.waitFor({ state: 'detached' });
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  job('finds screens, settings and items by commands', async () => {
    await press('Control+k');
    await page.getByText(/results/).waitFor();
    await isAccessible('commands');
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await command('theme dark', 'Dark');
    expect(await page.evaluate('document.documentElement.dataset.theme')).to.equal('dark');
    await command('theme as', 'As the system');
    await press('Control+k');
    await page.keyboard.type('kingfisher');
    await option({ name: /Return of the kingfisher/ }).waitFor();
    // Down and up again: the choice goes round.
    await press('ArrowUp');
    await press('ArrowDown');
    await press('Enter');
    await page.waitForURL(/\/items\//);
    await command('jobs', 'Jobs');
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  });

  job('revives a failing webhook, which the home screen shows', async () => {
    const { projectId } = service.sample!;
    const item = await service.core.operations.inProject(projectId, null, async (transaction) => {
      await addWebhook(transaction, {
        name: 'Site',
        url: `${base}/fails`,
        contentChanges: [],
        workflowSteps: [],
      });
      const row = await transaction.tx.get<{ item: string; language: string }>(
        `SELECT i.id AS item, l.id AS language FROM variant v JOIN item i ON i.number = v.item
           JOIN language l ON l.number = v.language
         WHERE i.project = ? AND v.published IS NOT NULL AND v.archived IS NULL AND i.archived IS NULL LIMIT 1`,
        [transaction.project.number],
      );
      return row!;
    });
    const headers = { authorization: `Bearer ${service.adminToken}` };
    const unpublished = await fetch(`${service.url}/admin/projects/${projectId}/items/${item.item}/archive`, {
      method: 'POST',
      headers,
    });
    expect(unpublished.status).to.equal(204);
    await service.core.webhooks.settled();
    await command('home', 'Home');
    await page.getByRole('heading', { name: 'Failing webhooks (1)' }).waitFor();
    await isAccessible('home');
    await enter(page.getByRole('main').getByRole('link', { name: 'Site', exact: true }));
    await page.getByRole('heading', { name: 'Delivery log: Site' }).waitFor();
    await enter(button(/^Show what was sent/).first());
    await dialog().getByText('"project_id"').waitFor();
    await dialog().getByText('Attempt 1').waitFor();
    await isAccessible('what was sent');
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await page.clock.install();
    await command('webhooks', 'Webhooks');
    await page.getByText('Failing (').waitFor();
    await enter(button('Edit Site'));
    await isAccessible('edit a webhook');
    await tabTo(dialog().getByLabel('URL'));
    await press('Control+a');
    await page.keyboard.type(`${base}/works`);
    await press('Enter');
    await page.getByText('Site was saved.').waitFor();
    await until(async () => {
      const answer = await fetch(`${service.url}/admin/projects/${projectId}/webhooks`, { headers });
      const { webhooks } = (await answer.json()) as { webhooks: { state: string }[] };
      return webhooks[0]!.state === 'working';
    });
    // The screen asks for it every ten seconds.
    await page.clock.fastForward(10_001);
    await page.getByText('Working').waitFor();
    await enter(button('Rotate the secret: Site'));
    await dialog().getByText('Until the overlap ends').waitFor();
    await isAccessible('rotate the secret');
    await enter(button('Rotate now'));
    await page.getByRole('dialog', { name: 'New secret' }).waitFor();
    await enter(button('Close'));
    await enter(page.getByRole('main').getByRole('link', { name: 'Site', exact: true }));
    await enter(button('Send again everything since …'));
    await isAccessible('send again');
    await dialog().getByLabel('Since').fill('2020-01-01T00:00');
    await enter(page.getByRole('button', { name: 'Send', exact: true }));
    await page.getByText(/Sending again: \d+ of \d+ \(Done\)/).waitFor();
  });

  job('rotates a key with the guide', async () => {
    await command('keys', 'Keys');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    const guide = page.locator('summary', { hasText: 'without an interruption' });
    await enter(guide);
    await page.getByText('Let your sites use the secondary one.').waitFor();
    await isAccessible('keys');
    await enter(button(/Replace the key preview-secondary/));
    await dialog().locator('code').waitFor();
    await enter(button('Close'));
    await dialog().waitFor({ state: 'detached' });
  });

  job('exports a project, imports the archive and copies a project', async () => {
    await command('act export', 'Export the project');
    await page.getByRole('heading', { name: 'Export', level: 1 }).waitFor();
    await enter(button('Export the project'));
    const link = page.getByRole('link', { name: /^Download/ });
    await link.waitFor();
    await isAccessible('export');
    await tabTo(link);
    const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')]);
    const archive = await download.path();
    await command('import a project', 'Import a project');
    await dialog().waitFor();
    await isAccessible('import');
    // The browser's own dialog for files is not part of the page.
    await dialog().getByLabel('Archive of an export').setInputFiles(archive);
    await tabTo(dialog().getByLabel(/^Name;/));
    await page.keyboard.type('Imported');
    await tabTo(dialog().getByRole('checkbox'));
    await press('Space');
    await enter(dialog().getByRole('button', { name: 'Import' }));
    await dialog().getByText('were imported.').first().waitFor();
    await isAccessible('imported');
    await enter(dialog().getByRole('button', { name: 'Close' }));
    await page.getByRole('rowheader', { name: 'Imported' }).waitFor();
    await enter(button('Copy Imported'));
    await isAccessible('copy');
    await tabTo(dialog().getByLabel('Name of the new project'));
    await press('Control+a');
    await page.keyboard.type('Twin');
    await press('Enter');
    await page.getByText('Twin is ready.').waitFor();
    await enter(dialog().getByRole('button', { name: 'Close' }));
    await page.getByRole('rowheader', { name: 'Twin' }).waitFor();
    await command('jobs', 'Jobs');
    await page.getByRole('rowheader', { name: 'Copy' }).waitFor();
  });

  job('says in words what is wrong with an archive', async () => {
    await command('import a project', 'Import a project');
    await dialog()
      .getByLabel('Archive of an export')
      .setInputFiles({ name: 'wrong.tar', mimeType: 'application/x-tar', buffer: Buffer.alloc(1024, 'x') });
    await enter(dialog().getByRole('button', { name: 'Import' }));
    await dialog().getByRole('alert').waitFor();
    await isAccessible('refused import');
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  job(
    'watches requests, and reads gateways, jobs and acts in both languages and the dark theme',
    async () => {
      await command('live requests', 'Live requests');
      await page.getByText('No request yet.').or(page.getByRole('table')).first().waitFor();
      await until(async () => {
        await fetch(`${service.url}/delivery/${service.sample!.projectId}/items?limit=1`);
        return (await page.getByText(/^GET \/delivery\//).count()) > 0;
      });
      await command('gateways', 'Gateways');
      await enter(page.locator('summary', { hasText: 'Pipeline' }));
      await enter(page.locator('summary', { hasText: 'Settings' }));
      await page.getByText('HEADWATER_WEBHOOKS__ALLOW').waitFor();
      for (const [language, theme, screens] of [
        ['English', 'Light', ['Live requests', 'Audit log', 'Usage']],
        ['Deutsch', 'Dunkel', ['Gateways', 'Aufgaben', 'Webhooks', 'Übersicht', 'Projekte']],
      ] as const) {
        if (language === 'Deutsch') await command('deutsch', 'Deutsch');
        await press('Control+k');
        await page.getByRole('combobox', { name: /(Screen|Seite), / }).waitFor();
        await page.keyboard.type(theme);
        await option({ selected: true }).filter({ hasText: theme }).waitFor();
        await press('Enter');
        for (const screen of screens) {
          await page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click();
          await page.getByRole('heading', { level: 1 }).filter({ hasText: screen }).waitFor();
          await page.locator('.loading').waitFor({ state: 'detached' });
          await isAccessible(screen);
        }
      }
    },
  );
});
