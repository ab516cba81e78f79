/** `npm run screens:docs`: writes the images of the pages for editors and operators that the service shows at `/docs`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { addOperator, signedInPage } from '../support/browser/console-person.ts';
import { openBrowser } from '../support/browser/open-browser.ts';
import { startService } from '../support/service/start-service.ts';

const FOLDER = join(import.meta.dirname, '../../plugins/docs/page/images');
const SIZE = { width: 1100, height: 700 };
/** Pixels and quality of an image, so that all of them are below 200 kB. */
const WIDTH = 1000;
const QUALITY = 55;

await mkdir(FOLDER, { recursive: true });
const service = await startService({ sample: true });
const browser = await openBrowser();
try {
  await addOperator(service);
  const { page } = await signedInPage(browser, service, { viewport: SIZE, colorScheme: 'light' });
  const project = /projects\/[^/]+/.exec(page.url())?.[0];
  const open = async (path: string) => {
    await page.goto(`${service.url}/console/${path}`);
    await page.waitForLoadState('networkidle');
  };
  const idOf = (listing: string, text: string) =>
    page.evaluate(
      `fetch('/console/api/admin/${project}/${listing}?text=${text}', { headers: { 'x-headwater-console': '1' } })
        .then((response) => response.json()).then((found) => found.${listing}[0].id)`,
    );
  await open(`${project}/home`);
  await write(page, 'home');
  await open(`${project}/content`);
  await page.getByRole('grid').getByRole('checkbox').nth(2).click();
  await write(page, 'content');
  await open(`${project}/items/${await idOf('items', 'kingfisher')}`);
  await page.getByRole('toolbar').first().waitFor();
  await write(page, 'item');
  await open(`${project}/assets?view=tiles`);
  await write(page, 'assets');
  await open(`${project}/assets/${await idOf('assets', 'kingfisher')}`);
  await page.getByLabel('Part of the image').selectOption('Crop around a point');
  await page.getByRole('spinbutton', { name: 'Width, pixels' }).fill('300');
  await page.getByRole('spinbutton', { name: 'Height, pixels' }).fill('200');
  await page.getByText('300 × 200 pixels').waitFor();
  await page.getByRole('heading', { name: 'Image URL' }).scrollIntoViewIfNeeded();
  await page.evaluate(`document.getElementById('asset-image').scrollIntoView()`);
  await write(page, 'image');
  await page.evaluate(
    `fetch('/console/api/manage/${project}/webhooks', {
      method: 'POST',
      headers: { 'x-headwater-console': '1', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Rebuild the site', url: 'https://build.example.org/hooks/content', triggers: {} }),
    })`,
  );
  await open(`${project}/webhooks`);
  await page.getByText('Rebuild the site').first().waitFor();
  await write(page, 'webhooks');
  for (const screen of ['people', 'gateways']) {
    await open(screen);
    await write(page, screen);
  }
} finally {
  await browser.close();
  await service.stop();
}

async function write(page: Page, name: string): Promise<void> {
  const image = await sharp(await page.screenshot())
    .resize({ width: WIDTH })
    .webp({ quality: QUALITY })
    .toBuffer();
  const path = join(FOLDER, `${name}.webp`);
  await writeFile(path, image);
  console.log(`${path}: ${image.length} bytes`);
}
