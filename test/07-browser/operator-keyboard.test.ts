/** Whole jobs of an operator with the keyboard only. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createProject } from '../../core/access/projects.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { Keyboard } from '../support/browser/keyboard.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

describe('an operator with the keyboard only', () => {
  let service: RunningService;
  let browser: Browser;
  let operator: string;
  let page: Page;
  let keys: Keyboard;
  let receiver: Server;
  let base = '';
  /** Names what a job makes, another one when it is run again. */
  let made = 0;
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
      browserOfProcess(),
    ]);
    ({ account: operator } = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true }));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    receiver?.close();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, operator, { acceptDownloads: true });
    ({ page } = opened);
    keys = new Keyboard(page);
    return opened;
  });
  const press = (key: string) => page.keyboard.press(key);
  const open = async (project: string) => {
    await page.goto(`${service.url}/console/projects/${project}/home`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  };
  /** A project with an item that is not published yet. */
  const newProject = async () => {
    made += 1;
    const name = `Harbour ${made}`;
    const { operations } = service.core;
    const { id } = await operations.installation(null, (to) =>
      createProject(to, { name, default_language: { name: 'English', codename: 'en' } }),
    );
    await operations.inProject(id, null, async (transaction) => {
      await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Title' }] });
      await createItem(transaction, { name: 'First', type: { codename: 'note' } });
      const elements = [{ element: { codename: 'title' }, value: 'First' }];
      await upsertVariant(transaction, { codename: 'first' }, { codename: 'en' }, { elements });
    });
    return { id, name };
  };
  const option = (which: Parameters<Page['getByRole']>[1]) =>
    page.getByRole('dialog').getByRole('option', which);
  const openCommands = async () => {
    await press('Control+k');
    await page
      .getByRole('combobox', { name: /(Screen|Seite), / })
      .and(page.locator(':focus'))
      .waitFor();
  };
  /** Opens something by the commands. */
  const command = async (text: string, shown: string | RegExp) => {
    await openCommands();
    await page.keyboard.type(text);
    const first = option({ selected: true });
    await first.filter({ hasText: shown }).waitFor();
    await press('Enter');
    await first.waitFor({ state: 'detached' });
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  job('finds screens, settings and items by commands', async () => {
    await open(service.sample!.projectId);
    await openCommands();
    await page.getByText(/results/).waitFor();
    await isAccessible('commands');
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await command('theme dark', 'Dark');
    expect(await page.evaluate('document.documentElement.dataset.theme')).to.equal('dark');
    await command('theme as', 'As the system');
    await openCommands();
    await page.keyboard.type('return of the king');
    await option({ name: /Return of the kingfisher/ }).waitFor();
    // Down and up again: the choice goes round.
    await press('ArrowUp');
    await press('ArrowDown');
    await press('Enter');
    await page.waitForURL(/\/items\//);
  });

  longJob('finds assets, people and further screens by commands', async () => {
    await open(service.sample!.projectId);
    await openCommands();
    await page.keyboard.type('gorge-checklist');
    await option({ name: /Asset/, selected: true }).waitFor();
    await press('Enter');
    await page.waitForURL(/\/assets\//);
    await command('ada lov', 'Ada Lovelace');
    await page.getByRole('dialog', { name: 'Edit Ada Lovelace' }).waitFor();
    await press('Escape');
    await command('jobs', 'Jobs');
    await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  });

  job('passes projects by keys of the choice, and goes to one by Enter', async () => {
    const [first, second] = [await newProject(), await newProject()];
    await open(first.id);
    const choice = page.getByRole('banner').getByLabel('Project');
    await choice.focus();
    const to = (name: string) =>
      choice.evaluate((element: HTMLSelectElement, text) => {
        const at = [...element.options].findIndex((option) => option.text === text);
        return at - element.selectedIndex;
      }, name);
    const steps = await to(second.name);
    // The first key opens the choice.
    for (let step = 0; step <= Math.abs(steps); step += 1) {
      await press(steps > 0 ? 'ArrowDown' : 'ArrowUp');
      expect(page.url()).to.include(first.id);
    }
    await press('Enter');
    await page.waitForURL(new RegExp(second.id));
    await choice.focus();
    await press('H');
    await press('Escape');
    expect(page.url(), 'a letter').to.include(second.id);
  });

  longJob('leaves the keys of an input method to it', async () => {
    await open(service.sample!.projectId);
    await openCommands();
    await page.keyboard.type('screen jobs');
    await option({ name: /Jobs/ }).waitFor();
    // Safari has ended the composition by then, and tells by the code alone whose key it was.
    const composing = async (key: string) => {
      for (const how of ['isComposing: true', 'keyCode: 229'])
        expect(
          await page.evaluate(`document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', { key: '${key}', ${how}, bubbles: true, cancelable: true }),
          )`),
          `${key}, ${how}`,
        ).to.equal(true);
    };
    await composing('Enter');
    await option({ name: /Jobs/ }).waitFor();
    await page.evaluate(`document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', keyCode: 229, bubbles: true }),
    )`);
    await option({ name: /Jobs/ }).waitFor();
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await command('gorge-checklist', /Asset/);
    await page.waitForURL(/\/assets\//);
    const title = page.getByLabel('Title', { exact: true });
    await title.fill('Typed by an input method');
    for (const key of ['Enter', 'Escape']) await composing(key);
    expect(await title.inputValue()).to.equal('Typed by an input method');
  });

  longJob('opens forms by commands on the screen that is open already, each time', async () => {
    const { id } = await newProject();
    const opensTwice = async (text: string, title: string) => {
      for (let time = 1; time <= 2; time += 1) {
        await command(text, title);
        await page.getByRole('dialog', { name: title }).waitFor();
        await press('Escape');
        await dialog().waitFor({ state: 'detached' });
      }
    };
    await open(id);
    await command('screen webhooks', 'Webhooks');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await opensTwice('register a webhook', 'Register a webhook');
    await command('screen projects', 'Projects');
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    await opensTwice('import', 'Import a project');
  });

  longJob('revives a failing webhook, which the home screen shows', async () => {
    const { id: project } = await newProject();
    const site = { name: 'Site', url: `${base}/fails`, contentChanges: [], workflowSteps: [] };
    const { operations, webhooks } = service.core;
    await operations.inProject(project, null, (transaction) => addWebhook(transaction, site));
    await operations.inProject(project, null, (transaction) =>
      publishVariant(transaction, { codename: 'first' }, { codename: 'en' }),
    );
    await webhooks.settled();
    await page.clock.install();
    await open(project);
    await page.getByRole('heading', { name: 'Failing webhooks (1)' }).waitFor();
    await isAccessible('home');
    await keys.press(page.getByRole('main').getByRole('link', { name: 'Site', exact: true }));
    await page.getByRole('heading', { name: 'Delivery log: Site' }).waitFor();
    await keys.press(button(/^Show what was sent/).first());
    await dialog().getByText('"project_id"').waitFor();
    await dialog().getByText('Attempt 1').waitFor();
    await isAccessible('what was sent');
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await command('webhooks', 'Webhooks');
    await page.getByText('Failing (').waitFor();
    await keys.press(button('Edit Site'));
    await dialog().getByLabel('URL').waitFor();
    await isAccessible('edit a webhook');
    await keys.type(dialog().getByLabel('URL'), `${base}/works`, true);
    await press('Enter');
    await page.getByText('Site was saved.').waitFor();
    const headers = { authorization: `Bearer ${service.adminToken}` };
    await until(async () => {
      const answer = await fetch(`${service.url}/admin/projects/${project}/webhooks`, { headers });
      const { webhooks: all } = (await answer.json()) as { webhooks: { state: string }[] };
      return all[0]!.state === 'working';
    });
    // The screen asks for it every ten seconds.
    await page.clock.fastForward(10_001);
    await page.getByText('Working').waitFor();
    await keys.press(button('Rotate the secret: Site'));
    await dialog().getByText('Until the overlap ends').waitFor();
    await isAccessible('rotate the secret');
    await keys.press(button('Rotate now'));
    await page.getByRole('dialog', { name: 'New secret' }).waitFor();
    await keys.press(button('Close'));
    await dialog().waitFor({ state: 'detached' });
    await keys.press(page.getByRole('main').getByRole('link', { name: 'Site', exact: true }));
    await keys.press(button('Send again everything since …'));
    await dialog().getByLabel('Since').waitFor();
    await isAccessible('send again');
    await dialog().getByLabel('Since').fill('2020-01-01T00:00');
    await keys.press(page.getByRole('button', { name: 'Send', exact: true }));
    await page.getByText(/Sending again: \d+ of \d+ \(Done\)/).waitFor();
  });

  longJob('rotates a key with the guide', async () => {
    await open((await newProject()).id);
    await command('keys', 'Keys');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await keys.press(page.locator('summary', { hasText: 'without an interruption' }));
    await page.getByText('Let your sites use the secondary one.').waitFor();
    await isAccessible('keys');
    await keys.press(button(/Replace the key Preview, secondary/));
    await keys.press(dialog().getByRole('button', { name: 'Replace' }));
    await dialog().locator('code').waitFor();
    await keys.press(button('Close'));
    await dialog().waitFor({ state: 'detached' });
  });

  job('exports a project, and imports the archive', async () => {
    const { id, name } = await newProject();
    await open(id);
    await command('act export', 'Export the project');
    await page.getByRole('heading', { name: 'Export', level: 1 }).waitFor();
    await keys.press(button('Export the project'));
    const link = page.getByRole('link', { name: /^Download/ });
    await link.waitFor();
    await isAccessible('export');
    // The button was disabled for the time of the call.
    expect(await page.evaluate('document.activeElement.innerText')).to.equal('Export the project');
    await keys.to(link);
    const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')]);
    const archive = await download.path();
    await keys.press(page.getByRole('button', { name: /^Remove: / }));
    await page.getByText('removed', { exact: true }).waitFor();
    // The row of the button that is gone.
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('TR');
    await command('act import', 'Import a project');
    await dialog().getByLabel('Archive of an export').waitFor();
    await isAccessible('import');
    // The browser's own dialog for files is not part of the page.
    await dialog().getByLabel('Archive of an export').setInputFiles(archive);
    await keys.type(dialog().getByLabel(/^Name;/), `Imported ${name}`);
    await keys.press(dialog().getByRole('checkbox'), 'Space');
    // What screen readers read.
    await page.evaluate(`{
      globalThis.said = [];
      const read = () => said.push(...Array.from(document.querySelectorAll('[role=status]'), (one) => one.textContent));
      new MutationObserver(read).observe(document.body, { subtree: true, childList: true, characterData: true });
    }`);
    await keys.press(dialog().getByRole('button', { name: 'Import' }));
    await dialog().getByText('were imported.').first().waitFor();
    expect(await page.evaluate('said.join()'))
      .to.match(/were imported/)
      .and.not.match(/\d %/);
    await isAccessibleToo('imported');
    await keys.press(dialog().getByRole('button', { name: 'Close' }));
    await page.getByRole('rowheader', { name: `Imported ${name}` }).waitFor();
  });

  longJob('copies a project', async () => {
    const { name } = await newProject();
    await open(service.sample!.projectId);
    await command('screen projects', 'Projects');
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    await keys.press(button(`Copy ${name}`));
    await dialog().getByLabel('Name of the new project').waitFor();
    await isAccessible('copy');
    await keys.type(dialog().getByLabel('Name of the new project'), `Twin of ${name}`, true);
    await press('Enter');
    await page.getByText(`Twin of ${name} is ready.`).waitFor();
    expect(await dialog().locator('[role=status] progress').count()).to.equal(0);
    await keys.press(dialog().getByRole('button', { name: 'Close' }));
    await page.getByRole('rowheader', { name: `Twin of ${name}` }).waitFor();
    await command('jobs', 'Jobs');
    await page.getByRole('rowheader', { name: 'Copy' }).first().waitFor();
  });

  longJob('says in words what is wrong with an archive', async () => {
    await open(service.sample!.projectId);
    await command('act import', 'Import a project');
    await dialog()
      .getByLabel('Archive of an export')
      .setInputFiles({ name: 'wrong.tar', mimeType: 'application/x-tar', buffer: Buffer.alloc(1024, 'x') });
    await keys.press(dialog().getByRole('button', { name: 'Import' }));
    await dialog().getByRole('alert').waitFor();
    await isAccessible('refused import');
    await press('Escape');
    await keys.press(dialog().getByRole('button', { name: 'Discard it' }));
    await dialog().waitFor({ state: 'detached' });
  });

  longJob('watches requests, and reads how gateways are set', async () => {
    await open(service.sample!.projectId);
    await command('live requests', 'Live requests');
    await page.getByText('No request yet.').or(page.getByRole('table')).first().waitFor();
    await until(async () => {
      await fetch(`${service.url}/delivery/${service.sample!.projectId}/items?limit=1`);
      return (await page.getByText(/^GET \/delivery\//).count()) > 0;
    });
    await keys.press(button('Pause'));
    // Its text is the act: a state of the button would contradict it.
    expect(await button('Go on').getAttribute('aria-pressed')).to.equal(null);
    await isAccessible('live requests');
    await command('gateways', 'Gateways');
    await keys.press(page.locator('summary', { hasText: 'Pipeline' }));
    await keys.press(page.locator('summary', { hasText: 'Settings' }));
    await page.getByText('HEADWATER_WEBHOOKS__ALLOW').waitFor();
  });

  // Each screen in both languages and themes: `accessibility`.
  longJob('changes the language and the theme by commands, and reads the screens', async () => {
    await open(service.sample!.projectId);
    for (const [language, theme, screens] of [
      ['English', 'Light', ['Live requests', 'Audit log', 'Usage']],
      ['Deutsch', 'Dunkel', ['Gateways und Cores', 'Aufträge', 'Webhooks', 'Übersicht', 'Projekte']],
    ] as const) {
      if (language === 'Deutsch') await command('deutsch', 'Deutsch');
      await command(theme, theme);
      for (const screen of screens) {
        await page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click();
        await page.getByRole('heading', { level: 1 }).filter({ hasText: screen }).waitFor();
        await page.locator('.loading').first().waitFor({ state: 'detached' });
        await isAccessible(screen);
      }
    }
  });
});
