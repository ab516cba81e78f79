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
      for (const screen of SCREENS) {
        await page.getByRole('navigation').getByRole('link', { name: screen, exact: true }).click();
        await page.waitForLoadState('networkidle');
        const path = join(folder, `${screen.toLowerCase().replaceAll(' ', '-')}-${colorScheme}-${width}.png`);
        await page.screenshot({ path, fullPage: true });
        console.log(path);
      }
      await page.context().close();
    }
} finally {
  await browser.close();
  await service.stop();
}
