/** Hostile texts in every field that a screen shows or takes: no script runs, and Trusted Types report nothing. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { writeAuditEntry } from '../../core/access/audit.ts';
import { createProject } from '../../core/access/projects.ts';
import { createRole } from '../../core/access/roles.ts';
import { startSession } from '../../core/access/sessions.ts';
import { createUser } from '../../core/access/users.ts';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { eachDialog, OPEN_DIALOG } from '../support/browser/dialogs-of-screen.ts';
import { typeHostile } from '../support/browser/type-hostile.ts';
import type { ConsoleBrowser } from '../support/console/console-browser.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { HOSTILE_STRINGS } from '../support/projects/hostile-strings.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

/** Objects of kinds of which a screen shows all at once. */
const FEW = 30;

/** Screens of the short form. */
const SHORT = /\/(content|webhooks|people|audit|sessions)$/;

describe('hostile texts in the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  let operator: string;
  let receiver: Server;
  let project: string;
  /** Names a role, another one when the job is run again. */
  let made = 0;
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(500).end(HOSTILE_STRINGS.join('\n')));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const limits = 'HEADWATER_PLUGINS__SESSION__LIMITS__SECOND';
    [service, browser] = await Promise.all([
      startService({ environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1', [limits]: '1000' } }),
      browserOfProcess(),
    ]);
    const person = await signInPerson(service, { name: '<b>Operator</b>', isOperator: true });
    operator = person.account;
    project = await fill(operator);
    await act(person.browser);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    receiver?.close();
  });

  /** @returns id of the project with hostile content */
  async function fill(operator: string): Promise<string> {
    const { operations } = service.core;
    const { id } = await operations.installation(null, async (to) => {
      for (const [index, text] of HOSTILE_STRINGS.entries()) {
        await createUser(to, { name: text, email: `${text.replace(/[\s@]/g, '')}@${index}.example` });
        if (index < FEW)
          await createRole(to, { codename: `role_${index}`, name: text, permissions: ['publish'] });
        if (index < FEW) await startSession(to, operator, { address: text, browser: text });
        const act = { project: null, detail: text, actor: text, origin: text, request: text };
        if (index < FEW) await writeAuditEntry(to.tx, { ...act, act: text, subject: text });
        if (index > 0 && index < 5) await createProject(to, { name: text.slice(0, 100) });
      }
      return createProject(to, {
        name: HOSTILE_STRINGS[1]!,
        default_language: { name: '<i>d</i>', codename: 'd' },
      });
    });
    await operations.inProject(id, null, async (transaction) => {
      for (const [index, text] of HOSTILE_STRINGS.slice(0, FEW).entries()) {
        await createLanguage(transaction, { name: text.slice(0, 25), codename: `l${index}` });
        await createType(transaction, {
          name: text.slice(0, 50),
          codename: `t_${index}`,
          elements: [{ type: 'text', name: 'A' }],
        });
      }
      for (const [index, text] of HOSTILE_STRINGS.entries())
        await createItem(transaction, {
          name: text.slice(0, 50),
          codename: `i_${index}`,
          type: { codename: `t_${index % FEW}` },
        });
    });
    return id;
  }

  /** What leaves rows in the delivery log. */
  async function act(operator: ConsoleBrowser): Promise<void> {
    const { port } = receiver.address() as AddressInfo;
    const { body } = await operator.request<{ id: string }>('POST', `manage/projects/${project}/webhooks`, {
      name: '<img src=x onerror=alert(1)>',
      url: `http://127.0.0.1:${port}/?<script>alert(1)</script>`,
      triggers: { delivery_api_content_changes: [{ type: 'content_item_variant', operations: ['publish'] }] },
    });
    await operator.request('POST', `admin/projects/${project}/webhooks/${body.id}/test`);
  }

  const { job, longJob } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, operator);
    ({ page, errors } = opened);
    await page.addInitScript('window.alert = () => console.error("a script ran")');
    return opened;
  });
  /** The stream of events never ends, so that the network is never idle. */
  const loaded = () => page.locator('.loading').first().waitFor({ state: 'hidden' });
  const settled = async () => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await loaded();
    expect(await page.locator('script').count(), 'scripts of the page').to.equal(2);
  };
  it('are more than 200', () => {
    expect(new Set(HOSTILE_STRINGS).size).to.be.at.least(200);
  });

  job('are texts on every screen of the navigation and in every dialog of these', async () => {
    await page.goto(`${service.url}/console/projects/${project}/content`);
    await settled();
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    const links = await navigation
      .getByRole('link')
      .evaluateAll((found) =>
        found.map((link) => (link as never as { getAttribute(name: string): string }).getAttribute('href')),
      );
    expect(links.length).to.be.at.least(8);
    const all = [...links, '/console/sessions'];
    // In the short form those with what visitors and others write: names, addresses, browsers, requests.
    const shown = all.filter((link) => isLongForm || SHORT.test(link));
    expect(shown.length).to.be.at.least(5);
    for (const link of shown) {
      if (link === '/console/sessions') await page.goto(service.url + link);
      else {
        await navigation.locator(`[href="${link}"]`).click();
        await navigation.locator(`[aria-current=page][href="${link}"]`).waitFor();
      }
      await settled();
      // A filter asks the server.
      await typeHostile(page, 'main', HOSTILE_STRINGS, HOSTILE_STRINGS.slice(0, 4));
      await settled();
      await eachDialog(page, async () => {
        await typeHostile(page, OPEN_DIALOG);
        await settled();
      });
    }
  });

  job('are shown as they are written', async () => {
    await page.goto(`${service.url}/console/people`);
    await page
      .getByRole('cell', { name: '"><img src=x onerror=alert(1)>', exact: true })
      .or(page.getByRole('rowheader', { name: '"><img src=x onerror=alert(1)>', exact: true }))
      .first()
      .waitFor();
    await page.goto(`${service.url}/console/projects/${project}/webhooks`);
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).click();
    await settled();
  });

  longJob('is the name of a role that is saved', async () => {
    await page.goto(`${service.url}/console/roles`);
    await page.getByRole('button', { name: 'Add a role …' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('<svg onload=alert(1)>');
    made += 1;
    await page.getByRole('dialog').getByLabel('Codename').fill(`hostile_${made}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('<svg onload=alert(1)> was saved.').waitFor();
  });

  job('are texts in addresses', async () => {
    const hostile = encodeURIComponent('"><img src=x onerror=alert(1)>');
    const paths = [
      `projects/${project}/content?text=${hostile}&type=${hostile}&state=${hostile}&language=${hostile}`,
      `projects/${hostile}/content`,
      `${hostile}/${hostile}`,
      `sign-in?refused=${hostile}`,
    ];
    // In the short form those with a query, which a screen shows.
    for (const path of paths.filter((one) => isLongForm || one.includes('?'))) {
      await page.goto(`${service.url}/console/${path}`);
      await page.locator('#app > *').first().waitFor();
      await loaded();
      expect(await page.locator('img[src=x]').count()).to.equal(0);
    }
  });

  it('would be found by these tests', async () => {
    await page.goto(`${service.url}/console/people`);
    await settled();
    await page
      .evaluate(`document.body.innerHTML = '<img src=x onerror=alert(1)>'`)
      .catch((error: Error) => expect(error.message).to.include('TrustedHTML'));
    expect(errors.join()).to.include('Trusted');
  });
});
