/** What an operator sees and does in a real browser: keys, webhooks, projects, the installation, the audit log. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { consoleJobs } from '../support/console-jobs.ts';
import { addOperator, signedInPage } from '../support/console-person.ts';
import { openBrowser } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';

describe('an operator in the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  let receiver: Server;
  let status = 500;
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end('answer of the receiver'));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    [service, browser] = await Promise.all([
      startService({ sample: true, environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1' } }),
      openBrowser(),
    ]);
    await addOperator(service);
    ({ page, errors } = await signedInPage(browser, service));
  });
  after(async () => {
    await browser.close();
    await service.stop();
    receiver.close();
  });
  const { job, isAccessible } = consoleJobs(() => ({ page, errors }));
  const open = async (link: string, heading = link) => {
    await page.getByRole('navigation').getByRole('link', { name: link, exact: true }).click();
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  };

  job('replaces a key; the old one is refused at once', async () => {
    const { projectId, keys } = service.sample!;
    const old = keys!['preview-primary'];
    const read = async (key: string) =>
      (
        await fetch(`${service.url}/preview/${projectId}/items?limit=1`, {
          headers: { authorization: `Bearer ${key}` },
        })
      ).status;
    expect(await read(old)).to.equal(200);
    await open('Keys');
    await page.getByRole('button', { name: /Replace the key preview-primary/ }).click();
    const key = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    await isAccessible();
    expect([await read(old), await read(key)]).to.deep.equal([401, 200]);
    await page.getByRole('button', { name: 'Close' }).click();
    await isAccessible();
  });

  job('tests a webhook until it accepts, pauses it, and reads its log', async () => {
    const { projectId } = service.sample!;
    const { port } = receiver.address() as AddressInfo;
    const api = async (method: string, path: string, body?: unknown) => {
      const answer = await page.evaluate(
        async ([method, path, body]) => {
          const response = await fetch(`/console/api/${path}`, {
            method: method!,
            headers: { 'x-headwater-console': '1', 'content-type': 'application/json' },
            ...(body && { body }),
          });
          return { status: response.status, text: await response.text() };
        },
        [method, path, body === undefined ? '' : JSON.stringify(body)] as const,
      );
      expect(answer.status, answer.text).to.be.lessThan(300);
    };
    await api('POST', `manage/projects/${projectId}/webhooks`, {
      name: 'Site',
      url: `http://127.0.0.1:${port}/`,
      triggers: {
        delivery_api_content_changes: [
          { type: 'content_item_variant', operations: ['publish', 'upsert', 'unpublish'] },
        ],
      },
    });
    await open('Webhooks');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('did not accept the test (500)').waitFor();
    status = 200;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('accepted the test (200)').waitFor();
    await isAccessible();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('link', { name: 'Site' }).click();
    await page.getByRole('heading', { name: 'Delivery log' }).waitFor();
    await isAccessible();
  });

  job('makes, archives and restores a project', async () => {
    await open('Projects');
    await page.getByLabel('Name of a new project').fill('Second site');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Archive Second site' }).click();
    await page.getByRole('button', { name: 'Restore Second site' }).click();
    await page.getByRole('button', { name: 'Archive Second site' }).waitFor();
    await isAccessible();
    await page.getByLabel('Project', { exact: true }).selectOption('Second site');
    await page.getByText('Nothing needs attention here.').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Content' }).click();
    await page.getByText('This project has no content yet.').waitFor();
  });

  job('reads usage, the installation and the audit log', async () => {
    for (const [link, heading] of [
      ['Usage', 'Usage of the last 30 days'],
      ['Installation'],
      ['Audit log'],
    ] as const) {
      await open(link, heading ?? link);
      await page.getByRole('table').or(page.getByText('Nothing was called.')).first().waitFor();
      await isAccessible();
    }
    await page
      .getByRole('row', { name: /POST projects / })
      .first()
      .waitFor();
  });

  job('uses every screen on a narrow window', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const link of ['Content', 'People', 'Roles', 'Audit log']) {
      await open(link);
      await isAccessible();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, link).to.be.at.most(390);
    }
  });
});
