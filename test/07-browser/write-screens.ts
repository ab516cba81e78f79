/**
 * `npm run screens -- FOLDER`: writes every screen of the console as a picture, in both themes, 1280 and 390 px wide, with the
 * sample project.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
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

const folder = process.argv[2] ?? 'screens';
await mkdir(folder, { recursive: true });
const service = await startService({ sample: true });
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
        await page.waitForLoadState('networkidle');
        const path = join(folder, `${name}-${colorScheme}-${width}.png`);
        await page.screenshot({ path, fullPage: true });
        console.log(path);
      };
      const project = /projects\/[^/]+/.exec(page.url())?.[0];
      for (const screen of SCREENS) {
        await page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click();
        await write(screen.toLowerCase().replaceAll(' ', '-'));
      }
      const item = await page.evaluate(
        `fetch('/console/api/admin/${project}/items?text=kingfisher', { headers: { 'x-headwater-console': '1' } })
          .then((response) => response.json()).then(({ items }) => items[0].id)`,
      );
      await page.goto(`${service.url}/console/${project}/items/${item}`);
      await page.getByRole('toolbar').waitFor();
      await write('item');
      await page.context().close();
    }
} finally {
  await browser.close();
  await service.stop();
}
