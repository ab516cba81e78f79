/**
 * `npm run screens -- FOLDER`: writes every screen of the console as a picture, in both themes, 1280 and 390 px wide, with the
 * sample project.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { addOperator, signedInPage } from '../support/console-person.ts';
import { openBrowser } from '../support/open-browser.ts';
import { startService } from '../support/start-service.ts';

const SCREENS = [
  'Home',
  'Content',
  'Calendar',
  'Webhooks',
  'Keys',
  'Usage',
  'Export',
  'Projects',
  'People',
  'Roles',
  'Installation',
  'Gateways',
  'Live requests',
  'Jobs',
  'Audit log',
];

const HEADERS = { 'x-headwater-console': '1', 'content-type': 'application/json' };

function read<Body>(page: Page, path: string, body?: object): Promise<Body> {
  const options = { headers: HEADERS, ...(body && { method: 'POST', body: JSON.stringify(body) }) };
  return page.evaluate(
    `fetch('/console/api/${path}', ${JSON.stringify(options)}).then((response) => response.json())`,
  );
}

/** Id of a webhook with a notification in its log. */
async function webhookOf(page: Page, project: string): Promise<string> {
  const { id } = await read<{ id: string }>(page, `manage/${project}/webhooks`, {
    name: 'Site',
    url: 'http://127.0.0.1:9/',
    triggers: { delivery_api_content_changes: [{ type: 'content_item_variant', operations: ['publish'] }] },
  });
  await read(page, `admin/${project}/webhooks/${id}/test`, {});
  return id;
}

const folder = process.argv[2] ?? 'screens';
await mkdir(folder, { recursive: true });
const service = await startService({
  sample: true,
  environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1' },
});
const browser = await openBrowser();
try {
  await addOperator(service);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      const { page } = await signedInPage(browser, service, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      const write = async (name: string) => {
        // The stream of events never ends, so that the network is never idle.
        await page.locator('#app h1').first().waitFor();
        await page.locator('.loading, .waiting').first().waitFor({ state: 'hidden' });
        const path = join(folder, `${name}-${colorScheme}-${width}.png`);
        await page.screenshot({ path, fullPage: true });
        console.log(path);
      };
      const project = /projects\/[^/]+/.exec(page.url())?.[0];
      for (const screen of SCREENS) {
        await page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click();
        await write(screen.toLowerCase().replaceAll(' ', '-'));
      }
      const items = await read<{ items: { id: string }[] }>(page, `admin/${project}/items?text=kingfisher`);
      const item = items.items[0]!.id;
      await page.goto(`${service.url}/console/${project}/items/${item}`);
      await page.getByRole('toolbar').waitFor();
      await write('item');
      await page.goto(`${service.url}/console/${project}/webhooks/${await webhookOf(page, project!)}`);
      await write('webhook-log');
      await page.goto(`${service.url}/console/sessions`);
      await write('sessions');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
      await write('commands');
      await page.context().clearCookies();
      await page.goto(`${service.url}/console/`);
      await write('sign-in');
      await page.context().close();
    }
} finally {
  await browser.close();
  await service.stop();
}
