/** Assets in a real browser: the list, uploads, another file for an asset, and URLs of images. */

import { mkdtemp, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Browser, FileChooser, Page } from 'playwright-core';
import { createProject } from '../../core/access/projects.ts';
import { createAsset, updateAsset } from '../../core/assets/assets.ts';
import { addFile, receiveFile } from '../../core/assets/files.ts';
import { loadFolders, replaceFolders } from '../../core/assets/folders.ts';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { Keyboard } from '../support/browser/keyboard.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { tilesImage } from '../support/images/test-images.ts';
import { isLongForm } from '../support/long-form.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const MOST_BYTES = 2_000_000;
const FILES = isLongForm ? 200 : 8;
/** Milliseconds of wall time, on a busy machine too. */
const LONGEST_TASK = 500;
/** Pixels. */
const LEAST_TILE = 160;

interface Asset {
  readonly id: string;
  readonly file_name: string;
  readonly url: string;
  readonly size: number;
  readonly descriptions: readonly { readonly description: string | null }[];
}

describe('assets', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let keys: Keyboard;
  let operator: string;
  /** Of the job. */
  let project: string;
  before(async () => {
    const environment = { HEADWATER_PLUGINS__LIMITS__BODY_BYTES: String(MOST_BYTES) };
    [service, browser] = await Promise.all([startService({ sample: true, environment }), browserOfProcess()]);
    ({ account: operator } = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true }));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, operator);
    ({ page } = opened);
    keys = new Keyboard(page);
    return opened;
  });

  /**
   * A project that no other job acts on: a published item uses `harbour.jpg` and `boat.png`; nothing uses `three.png` and
   * `four.png`.
   */
  const newProject = async () => {
    const { operations } = service.core;
    const language = { name: 'English', codename: 'en' };
    const { id } = await operations.installation(null, (to) =>
      createProject(to, { name: 'Harbour', default_language: language }),
    );
    const image = await receiveFile(operations.blobs, await tilesImage(4, 2).jpeg().toBuffer());
    const pixel = await receiveFile(operations.blobs, PIXEL);
    await operations.inProject(id, null, async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      const store = async (name: string) => {
        const [type, content] = name.endsWith('jpg') ? ['image/jpeg', image] : ['image/png', pixel];
        const file = await addFile(transaction, {
          name,
          type: type as string,
          content: content as typeof pixel,
        });
        return { id: (await createAsset(transaction, { file: file.id })).id };
      };
      const used = [await store('harbour.jpg'), await store('boat.png')];
      for (const name of ['three.png', 'four.png']) await store(name);
      await createType(transaction, { name: 'Page', elements: [{ type: 'asset', name: 'Images' }] });
      const item = { codename: 'at_the_harbour' };
      await createItem(transaction, { name: 'At the harbour', type: { codename: 'page' } });
      const elements = [{ element: { codename: 'images' }, value: used }];
      await upsertVariant(transaction, item, language, { elements });
      await publishVariant(transaction, item, language);
    });
    return id;
  };
  const open = async (query = '') => {
    await page.goto(`${service.url}/console/projects/${project}/assets${query}`);
    await page.getByText(/^\d+ assets?$/).waitFor();
  };

  const find = async (text: string): Promise<readonly Asset[]> => {
    const answer = await fetch(
      `${service.url}/admin/projects/${project}/assets?text=${encodeURIComponent(text)}`,
      { headers: { authorization: `Bearer ${service.adminToken}` } },
    );
    return ((await answer.json()) as { assets: Asset[] }).assets;
  };
  const one = async (text: string): Promise<Asset> => {
    const [asset, ...others] = await find(text);
    expect(others).to.deep.equal([]);
    return asset as Asset;
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  /** Opens the dialog for files by a key, and chooses. */
  async function choose(press: () => Promise<void>, files: Parameters<FileChooser['setFiles']>[0]) {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press()]);
    await chooser.setFiles(files);
  }
  const png = (name: string, buffer = PIXEL) => ({ name, mimeType: 'image/png', buffer });

  job('uploads three files with the keyboard only; one fails and is tried again', async () => {
    project = await newProject();
    await page.goto(`${service.url}/console/projects/${project}/home`);
    await keys.press('Assets', 'Enter');
    await page.getByRole('heading', { name: 'Assets' }).waitFor();
    await page.getByRole('grid').getByText('harbour.jpg').waitFor();
    let isCut = false;
    await page.route(/\/files\/two\.png$/, (route) => {
      if (isCut) return route.continue();
      isCut = true;
      return route.abort('connectionreset');
    });
    await choose(
      () => keys.press('Upload files …', 'Enter'),
      ['red', 'two', 'blue'].map((name) => png(`${name}.png`)),
    );
    await page.getByText('2 uploaded, 1 failed, 0 to go.').waitFor();
    await page.getByText('The connection was interrupted.').waitFor();
    await isAccessible('a failed upload');
    await keys.press('Upload two.png again', 'Enter');
    await page.getByText('3 uploaded, 0 failed, 0 to go.').waitFor();
    for (const name of ['red', 'two', 'blue']) {
      expect((await one(`${name}.png`)).size).to.equal(PIXEL.length);
      await page.getByRole('grid').getByText(`${name}.png`).waitFor();
    }
    await keys.press('Remove finished ones from this list', 'Enter');
  });

  job('looks again at what the person may do where an upload is forbidden', async () => {
    project = await newProject();
    await open();
    await page.route(/\/files\/[^/]+$/, (route) => route.fulfill({ status: 403, json: {} }));
    const session = page.waitForRequest('**/console/api/session');
    await choose(() => button('Upload files …').click(), png('red.png'));
    await session;
  });

  longJob(
    `uploads ${FILES} files at once, the first of them cut off, one limited, and says which are never sent`,
    async () => {
      project = await newProject();
      await open();
      const folder = await mkdtemp(join(tmpdir(), 'files-'));
      const names = Array.from({ length: FILES }, (_, at) => `many-${at}.png`);
      for (const name of names) await writeFile(join(folder, name), PIXEL);
      await writeFile(join(folder, 'nothing.png'), '');
      // Takes no place on the disk.
      await writeFile(join(folder, 'film.mov'), '');
      await truncate(join(folder, 'film.mov'), 5_000_000_000);
      const stored: string[] = [];
      let cut: string | undefined;
      let isLimited = false;
      await page.route(/\/files\/[^/]+$/, (route) => {
        const name = new URL(route.request().url()).pathname.split('/').at(-1) as string;
        if (cut === undefined) {
          cut = name;
          return route.abort('connectionreset');
        }
        if (!isLimited) {
          isLimited = true;
          // As the limit of the session answers, which the long form reaches.
          return route.fulfill({
            status: 429,
            headers: { 'retry-after': '1' },
            json: { message: 'Too many.' },
          });
        }
        return route.continue();
      });
      page.on('response', (response) => {
        const { pathname } = new URL(response.url());
        if (pathname.includes('/files/') && response.ok()) stored.push(pathname.split('/').at(-1) as string);
      });
      await page.evaluate(`{
      globalThis.longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
      }).observe({ type: 'longtask' });
    }`);
      await choose(
        () => button('Upload files …').click(),
        ['nothing.png', 'film.mov', ...names].map((name) => join(folder, name)),
      );
      await page.getByText('The file has no content.').waitFor();
      await page.getByText('5 GB').first().waitFor();
      await page.getByText(`${FILES - 1} uploaded, 3 failed, 0 to go.`).waitFor({ timeout: 120_000 });
      await button(`Upload ${cut} again`).click();
      await page.getByText(`${FILES} uploaded, 2 failed, 0 to go.`).waitFor();
      expect(await page.locator('.upload-list .warning').allTextContents()).to.deep.equal([
        'The file has no content.',
        'The file has 5 GB; the service accepts up to 2 MB. An operator can raise the limit.',
      ]);
      expect(await page.evaluate('longest'), 'milliseconds of the longest task').to.be.below(LONGEST_TASK);
      expect(stored.toSorted()).to.deep.equal(names.toSorted());
    },
  );

  longJob(
    'refuses files of nothing and over the limit before it sends them, and takes dropped and pasted ones',
    async () => {
      project = await newProject();
      await open();
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') sent.push(request.url());
      });
      await choose(
        () => button('Upload files …').click(),
        [
          png('nothing.png', Buffer.alloc(0)),
          { name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(MOST_BYTES + 1) },
        ],
      );
      await page.getByText('The file has no content.').waitFor();
      await page.getByText('The file has 2 MB; the service accepts up to 2 MB.').waitFor();
      expect(sent).to.deep.equal([]);
      await page.evaluate(`{
      const data = (name, type, text) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], name, { type }));
        return transfer;
      };
      const main = document.querySelector('main');
      const event = { bubbles: true, cancelable: true };
      const dropped = data('dropped.txt', 'text/plain', 'dropped');
      main.dispatchEvent(new DragEvent('dragover', { ...event, dataTransfer: dropped }));
      main.dispatchEvent(new DragEvent('drop', { ...event, dataTransfer: dropped }));
      const pasted = data('pasted.png', 'image/png', 'no image');
      main.dispatchEvent(new ClipboardEvent('paste', { ...event, clipboardData: pasted }));
    }`);
      await page.getByText('2 uploaded, 2 failed, 0 to go.').waitFor();
      await page.getByText('Stored, but it is no image that the service can read').waitFor();
      expect((await one('dropped')).file_name).to.equal('dropped.txt');
      await button('Remove finished ones from this list').click();
    },
  );

  job(
    'replaces an image with the keyboard only: the same asset, the plan first, a new URL for readers',
    async () => {
      project = await newProject();
      await open();
      const before = await one('harbour.jpg');
      await keys.type('Search', 'harbour');
      await page.getByText('1 asset', { exact: true }).waitFor();
      await keys.press(page.getByRole('grid'));
      await page.getByRole('heading', { name: 'harbour.jpg' }).waitFor();
      await page.getByRole('heading', { name: 'Used in' }).waitFor();
      await keys.press('Replace the file …', 'Enter');
      const dialog = page.getByRole('dialog', { name: 'Replace the file' });
      await dialog.getByText(/uses? it; readers of .* see the new file at once/).waitFor();
      await dialog.getByText('Readers get a new URL.').waitFor();
      await choose(() => keys.press('New file', 'Enter'), png('new.png'));
      await dialog.getByText('another type: image/png in place of image/jpeg').waitFor();
      await dialog.getByText('another size: 1 × 1 in place of').waitFor();
      await isAccessibleToo('the plan of another file');
      await keys.press('Replace', 'Enter');
      await page.getByText('The file was replaced.').waitFor();
      await page.getByText('new.png, image/png').waitFor();
      const after = await one('new.png');
      expect(after.id).to.equal(before.id);
      expect(after.url).to.not.equal(before.url);
      expect((await fetch(before.url)).headers.get('content-type')).to.equal('image/jpeg');
      const items = await (await fetch(`${service.url}/delivery/${project}/items`)).text();
      expect(items).to.include(after.url).and.not.include(before.url);
    },
  );

  longJob('finds the URL of an image, with the bytes it has and HTML to copy', async () => {
    project = service.sample!.projectId;
    const asset = await one('kingfisher.png');
    await page.goto(`${service.url}/console/projects/${project}/assets/${asset.id}`);
    const field = (name: string) => page.getByRole('spinbutton', { name });
    await page.getByLabel('Part of the image').selectOption('Crop around a point');
    await page.getByText('needs a width and a height').waitFor();
    await field('Width, pixels').fill('200');
    await field('Height, pixels').fill('100');
    await field('Point from the left, %').fill('20');
    await page.getByLabel('Format', { exact: true }).selectOption('WebP');
    await field('Quality').fill('40');
    const url = `${asset.url}?w=200&h=100&fit=crop&crop=focalpoint&fp-x=0.2&fp-y=0.5&fm=webp&q=40`;
    const result = page.getByRole('status').filter({ hasText: '200 × 100 pixels, image/webp' });
    await result.waitFor();
    expect(await page.getByRole('textbox', { name: 'URL', exact: true }).inputValue()).to.equal(url);
    const bytes = (await (await fetch(url)).arrayBuffer()).byteLength;
    const shown = new Intl.NumberFormat('en', {
      style: 'unit',
      unit: bytes < 1000 ? 'byte' : 'kilobyte',
      unitDisplay: bytes < 1000 ? 'long' : 'short',
      maximumFractionDigits: 1,
    }).format(bytes < 1000 ? bytes : bytes / 1000);
    // Until then, the result is that of the settings before.
    await result.filter({ hasText: `${shown}, 200 × 100` }).waitFor();
    const html = await page.getByRole('textbox', { name: 'HTML with several widths' }).inputValue();
    expect(html).to.include('srcset=').and.include('w=320&amp;h=160&amp;');
    await isAccessible('the workbench');
    await page.getByLabel('Part of the image').selectOption('Cut out a rectangle');
    const original = page.locator('.original');
    await original.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
    await original.hover({ position: { x: 20, y: 20 } });
    await page.mouse.down();
    await original.hover({ position: { x: 100, y: 80 } });
    await page.mouse.up();
    expect(Number(await field('Width of the part').inputValue())).to.be.greaterThan(10);
  });

  job('has descriptions in the rows, saved when a field is left; filters are in the address', async () => {
    project = await newProject();
    await open('?text=three');
    await button('Edit descriptions').click();
    const description = page.getByRole('textbox', { name: 'Description of three.png, English' });
    await description.fill('A text');
    await description.press('Tab');
    await page.getByText('Saved.').waitFor();
    expect((await one('three')).descriptions[0]?.description).to.equal('A text');
    await isAccessibleToo('descriptions in rows');
    await page.route('**/manage/**/assets/**', (route) => route.abort());
    await description.fill('Another text');
    await description.press('Tab');
    // What is wrong is read with the field.
    const described = () =>
      description.evaluate((field) =>
        (field.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => field.ownerDocument.getElementById(id)?.textContent)
          .join(),
      );
    await until(async () => /could not be reached|Try again/.test(await described()));
    await page.unroute('**/manage/**/assets/**');
    await description.press('Enter');
    await page.getByText('Saved.').waitFor();
    await page.getByLabel('Without a description in').selectOption('de');
    await page.waitForURL(/text=three.*undescribed=de/);
    await page.reload();
    await page.getByText('1 asset', { exact: true }).waitFor();
  });

  longJob('shows the description that has the focus below the head of the list', async () => {
    project = await newProject();
    const { operations } = service.core;
    const content = await receiveFile(operations.blobs, PIXEL);
    await operations.inProject(project, null, async (transaction) => {
      for (let number = 0; number < 20; number += 1) {
        const { id } = await addFile(transaction, { name: `more ${number}.png`, type: 'image/png', content });
        await createAsset(transaction, { file: id });
      }
    });
    await page.setViewportSize({ width: 1280, height: 600 });
    await open('?edit=descriptions');
    const grid = page.getByRole('grid');
    const top = () => grid.evaluate(({ scrollTop }) => scrollTop);
    await grid.evaluate((list) => list.scrollTo(0, 400));
    await grid.getByRole('textbox').last().focus();
    const from = await top();
    const covered: string[] = [];
    for (let key = 0; key < 20; key += 1) {
      await page.keyboard.press('Shift+Tab');
      covered.push(
        ...(await page.evaluate<string[]>(`(() => {
          const { activeElement } = document;
          const { bottom } = document.querySelector('[role=grid] thead').getBoundingClientRect();
          return activeElement.closest('tbody') && activeElement.getBoundingClientRect().top < bottom
            ? [activeElement.ariaLabel]
            : [];
        })()`)),
      );
    }
    expect(covered).to.deep.equal([]);
    expect(await top(), 'the list was scrolled').to.be.below(from);
  });

  job('deletes what nothing uses, after the plan, keeps what is used, and restores', async () => {
    project = await newProject();
    await open('?view=tiles&text=png');
    const tiles = page.getByRole('listbox', { name: 'Assets' });
    await tiles.getByText('three.png').waitFor();
    await isAccessible('tiles');
    await tiles.focus();
    await page.keyboard.press('Control+a');
    await button('Delete …').click();
    const dialog = page.getByRole('dialog', { name: 'Delete assets' });
    await dialog.getByText('These stay, because content uses them:').waitFor();
    await dialog.getByRole('link', { name: 'boat.png' }).waitFor();
    await isAccessibleToo('the plan of a deletion');
    await dialog.getByRole('button', { name: /^Delete \d+ assets$/ }).click();
    await dialog.getByText(/assets were deleted\.$/).waitFor();
    expect(await find('three.png')).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Restore them' }).click();
    await dialog.getByText(/assets were restored\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).press('Enter');
    await tiles.getByText('three.png').waitFor();
    // The button that led to the dialog is gone with the selection.
    await until(() => tiles.evaluate((list) => list.matches(':focus')));
    // As many tiles as fit beside each other.
    await page.setViewportSize({ width: 390, height: 800 });
    const tile = tiles.getByRole('option').first();
    await until(async () => ((await tile.boundingBox())?.width ?? 0) >= LEAST_TILE);
  });

  job('have names in tiles that large letters do not cut', async () => {
    project = await newProject();
    const session = await page.context().newCDPSession(page);
    const letters = (standard: number) => session.send('Page.setFontSizes', { fontSizes: { standard } });
    try {
      await letters(32);
      await open('?view=tiles');
      const tile = page.getByRole('option', { name: /three/ });
      await tile.waitFor();
      const [name, whole] = await Promise.all([tile.locator('.name').boundingBox(), tile.boundingBox()]);
      expect(name!.height, 'a line').to.be.at.least(40);
      expect(name!.y + name!.height).to.be.at.most(whole!.y + whole!.height);
    } finally {
      await letters(16);
    }
  });

  longJob('are where they were when the person comes back from one', async () => {
    project = await newProject();
    await service.core.operations.inProject(project, null, async (transaction) => {
      const content = await receiveFile(service.core.operations.blobs, PIXEL);
      for (let at = 10; at < 60; at += 1) {
        const { id } = await addFile(transaction, { name: `dot-${at}.png`, type: 'image/png', content });
        await createAsset(transaction, { file: id });
      }
    });
    const heading = page.getByRole('heading', { name: 'dot-40.png', level: 1 });
    await open('?order=name');
    const grid = page.getByRole('grid');
    await grid.evaluate((element) => (element.scrollTop = 1200));
    await grid.getByRole('link', { name: 'dot-40.png' }).click();
    await heading.waitFor();
    await page.goBack();
    await grid.getByRole('link', { name: 'dot-40.png' }).waitFor();
    expect(await grid.evaluate(({ scrollTop }) => scrollTop)).to.equal(1200);
    // With fewer tiles beside each other than a wide page has.
    await page.setViewportSize({ width: 390, height: 800 });
    await open('?order=name&view=tiles');
    const tiles = page.getByRole('listbox', { name: 'Assets' });
    await tiles.getByText('boat.png').waitFor();
    await tiles.focus();
    await page.keyboard.press('End');
    for (let at = 0; at < 22; at += 1) await page.keyboard.press('ArrowLeft');
    const top = await tiles.evaluate(({ scrollTop }) => scrollTop);
    await page.keyboard.press('Enter');
    await heading.waitFor();
    await page.goBack();
    await tiles.getByText('dot-40.png').waitFor();
    expect(await tiles.evaluate(({ scrollTop }) => scrollTop)).to.equal(top);
    // Keys go on from there.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'dot-41.png', level: 1 }).waitFor();
  });

  job('are opened by a double click, also where the selection moves the tiles', async () => {
    project = await newProject();
    await page.setViewportSize({ width: 390, height: 800 });
    await open('?order=name&view=tiles');
    const tiles = page.getByRole('listbox', { name: 'Assets' });
    // The upper edge of the second row is below the first row once the buttons for the selection are there.
    await tiles
      .getByRole('option')
      .filter({ hasText: 'three.png' })
      .dblclick({ position: { x: 80, y: 8 } });
    await page.getByRole('heading', { name: 'three.png', level: 1 }).waitFor();
  });

  longJob('renames a folder, and deletes it once it is empty', async () => {
    project = await newProject();
    const inProject = <T>(work: (to: ProjectTransaction) => Promise<T>) =>
      service.core.operations.inProject(project, null, work);
    const names = async () => (await inProject(loadFolders)).folders.map(({ name }) => name);
    const { folders } = await inProject((to) => replaceFolders(to, [{ name: 'Drafts' }, { name: 'Other' }]));
    const { id } = folders[0] as { id: string };
    const asset = await one('three');
    await inProject((to) => updateAsset(to, { id: asset.id }, { folder: { id } }));
    await open(`?folder=${id}`);
    await button('Edit the folder …').click();
    const dialog = page.getByRole('dialog', { name: 'Edit the folder' });
    await dialog.getByText('One asset is in it. Only an empty folder can be deleted.').waitFor();
    await isAccessible('a folder');
    await dialog.getByLabel('Name of the folder').fill('Sketches');
    await page.keyboard.press('Enter');
    await page.getByText('Folder: Sketches').waitFor();
    expect(await names()).to.deep.equal(['Sketches', 'Other']);
    await inProject((to) => updateAsset(to, { id: asset.id }, { folder: null }));
    await button('Edit the folder …').click();
    await dialog.getByText('The folder is empty and can be deleted.').waitFor();
    // Someone moves an asset into it while the call is on its way.
    await page.route('**/manage/**/folders', async (route) => {
      if (route.request().method() === 'PATCH')
        await inProject((to) => updateAsset(to, { id: asset.id }, { folder: { id } }));
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Delete the folder' }).click();
    await dialog.getByText('Someone else changed this').waitFor();
    await page.unroute('**/manage/**/folders');
    expect(await names()).to.deep.equal(['Sketches', 'Other']);
    await inProject((to) => updateAsset(to, { id: asset.id }, { folder: null }));
    await dialog.getByText('The folder is empty and can be deleted.').waitFor();
    await dialog.getByRole('button', { name: 'Delete the folder' }).click();
    await page.waitForURL((url) => !url.search.includes('folder'));
    expect(await names()).to.deep.equal(['Other']);
  });

  // In `accessibility`, with every other screen.
  longJob('is accessible in the dark theme and in German', async () => {
    project = service.sample!.projectId;
    await open('?view=tiles');
    await page.getByText('Ada Lovelace').click();
    await page.getByRole('banner').getByLabel('Language').selectOption('de');
    await page.getByLabel('Darstellung').selectOption('dark');
    await page.getByRole('heading', { name: 'Dateien' }).waitFor();
    await isAccessible('tiles');
    await page.getByLabel('Ansicht').selectOption('Liste');
    // Which rows are in view depends on the order in which the samples were uploaded.
    await page.getByRole('grid').locator('img').first().waitFor();
    await isAccessible('the list');
    await page.goto(`${service.url}/console/projects/${project}/assets/${(await one('kingfisher.png')).id}`);
    await page.getByRole('heading', { name: 'Bild-URL' }).waitFor();
    await isAccessible('an asset');
  });
});
