/**
 * `npm run screens -- FOLDER`: writes every screen of the console as an image, in both themes, 1280 and 390 px wide, with the
 * sample project.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { closeDialog } from '../support/browser/dialogs-of-screen.ts';
import { openBrowser } from '../support/browser/open-browser.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { startService } from '../support/service/start-service.ts';

const SCREENS = [
  'Home',
  'Content',
  'Assets',
  'Calendar',
  'Model',
  'Webhooks',
  'Keys',
  'Usage',
  'Export',
  'Projects',
  'People',
  'Roles',
  'Installation',
  'Gateways and cores',
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
  const { account } = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true });
  const project = `projects/${service.sample!.projectId}`;
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      const { page } = await pageWithSession(browser, service, account, {
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
      const open = (path: string) => page.goto(`${service.url}/console/${path}`);
      await open(`${project}/content`);
      const idOf = async (path: string, listing: string, name: string) => {
        const found = await read<Record<string, { id: string; name?: string; file_name?: string }[]>>(
          page,
          path,
        );
        return found[listing]!.find((one) => [one.name, one.file_name].some((text) => text?.includes(name)))!
          .id;
      };
      for (const screen of SCREENS) {
        await page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click();
        // Gateways note requests from the first question on.
        if (screen === 'Live requests') await page.getByRole('rowheader').first().waitFor();
        await write(screen.toLowerCase().replaceAll(' ', '-'));
      }
      const dialog = page.getByRole('dialog');
      /** Opens the dialog of a button, and leaves it. */
      const writeDialog = async (button: string, name: string, shown: string | RegExp) => {
        await page.getByRole('button', { name: button, exact: true }).first().click();
        await dialog.getByText(shown).first().waitFor();
        await write(name);
        await closeDialog(page);
      };
      await open(`${project}/content`);
      await writeDialog('New item …', 'new-item', 'Content type');
      const item = await idOf(`admin/${project}/items?text=kingfisher`, 'items', 'kingfisher');
      await open(`${project}/items/${item}`);
      await page.getByRole('toolbar').first().waitFor();
      await write('item');
      await page.getByRole('button', { name: 'Publish …', exact: true }).click();
      await page.getByRole('dialog').getByText('This happens at once.').waitFor();
      await write('plan');
      await closeDialog(page);
      await writeDialog('Name and place …', 'name-and-place', 'Codename');
      const english = await idOf(`manage/${project}/languages`, 'languages', 'English');
      await open(`${project}/items/${item}/history?language=${english}`);
      await page.locator('.time-line li').first().waitFor();
      await page.getByRole('button', { name: 'Draft with public version' }).click();
      await write('history');
      await open(`${project}/assets?view=tiles`);
      await page.getByRole('listbox').getByRole('option').first().waitFor();
      await write('assets-tiles');
      await open(
        `${project}/assets/${await idOf(`admin/${project}/assets?text=kingfisher`, 'assets', 'kingfisher')}`,
      );
      await page.getByLabel('Part of the image').selectOption({ index: 1 });
      await page.locator('.workbench [role=status]').filter({ hasText: '×' }).waitFor();
      await write('asset');
      for (const [part, name] of [
        ['types', 'Article'],
        ['snippets', ''],
        ['taxonomies', ''],
      ] as const) {
        await open(`${project}/${part}`);
        await write(part);
        await open(`${project}/${part}/${await idOf(`manage/${project}/${part}`, part, name)}`);
        await write({ types: 'type', snippets: 'snippet', taxonomies: 'taxonomy' }[part]);
      }
      for (const part of ['sitemap', 'languages']) {
        await open(`${project}/${part}`);
        await write(part);
      }
      await open(`${project}/types/${await idOf(`manage/${project}/types`, 'types', 'Article')}`);
      await page.getByRole('button', { name: 'Add an element' }).click();
      await page.locator('.element-form').getByRole('textbox').first().fill('Byline');
      await page.getByRole('button', { name: 'Save …' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save now' }).waitFor();
      await write('type-plan');
      await open(`${project}/webhooks/${await webhookOf(page, project)}`);
      await write('webhook-log');
      await open(`${project}/webhooks`);
      await page.getByRole('button', { name: 'Edit Site' }).first().click();
      await dialog.getByLabel('These changes only').check();
      await dialog.getByText('Variants moved to a step of the workflow').waitFor();
      await write('webhook');
      await dialog.getByRole('button', { name: 'Delete the webhook' }).click();
      await page.getByRole('dialog').getByText('Nothing is sent to it any more').waitFor();
      await write('question');
      await open('roles');
      await writeDialog('Add a role …', 'role', 'Codename');
      await open('people');
      await writeDialog('Add a person …', 'person', 'Mail address');
      await open('sessions');
      await write('sessions');
      await writeDialog('Change the password …', 'password', 'Current password');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
      await write('commands');
      await page.context().clearCookies();
      await open('');
      await write('sign-in');
      await page.context().close();
    }
} finally {
  await browser.close();
  await service.stop();
}
