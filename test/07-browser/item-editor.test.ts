/** Editing one item in a real browser. */
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { consoleJobs } from '../support/console-jobs.ts';
import { addOperator, PERSON, signedInPage } from '../support/console-person.ts';
import { cutSaves } from '../support/cut-saves.ts';
import { openBrowser } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

const ARTICLE = 'Where the Orrach begins';
const TRAIL = 'Gorge Trail';
/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Position of the body among the elements of an article. */
const BODY = 4;

describe('the item editor', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  let project: string;
  let connect: () => Promise<void>;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), openBrowser()]);
    await addOperator(service);
    ({ page, errors } = await signedInPage(browser, service));
    project = /projects\/([^/]+)/.exec(page.url())?.[1] ?? '';
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });
  const { job, isAccessible } = consoleJobs(() => ({ page, errors }));
  const paste = (html: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', ${JSON.stringify(html)});
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    }`);
  const api = <T>(path: string) =>
    page.evaluate(
      `fetch('/console/api/${path}', { headers: { 'x-headwater-console': '1' } }).then((response) => response.json())`,
    ) as Promise<T>;

  /** Id of the item with a name. */
  async function itemNamed(name: string): Promise<string> {
    const { items } = await api<{ items: { id: string; name: string }[] }>(
      `admin/projects/${project}/items?text=${encodeURIComponent(name)}`,
    );
    return items.find((item) => item.name === name)?.id ?? '';
  }

  async function open(name: string): Promise<void> {
    await page.goto(`${service.url}/console/projects/${project}/items/${await itemNamed(name)}?language=en`);
    await page.getByRole('heading', { name }).waitFor();
  }

  const body = (): Locator => page.getByRole('textbox', { name: 'Body' });
  /**
   * Puts the selection somewhere until it stays there: the editor shows its own one some time after it got the focus.
   *
   * @param isThere an expression of the page, with `body` and `selection`
   */
  async function select(put: () => Promise<void>, isThere: string): Promise<void> {
    await body().focus();
    await until(async () => {
      await put();
      for (let looks = 0; looks < 5; looks += 1) {
        await page.waitForTimeout(50);
        const stays = await page.evaluate(
          `((body, selection) => body.contains(selection.anchorNode) && ${isThere})(document.activeElement, getSelection())`,
        );
        if (stays !== true) return false;
      }
      return true;
    });
  }

  const clickLastParagraph = () =>
    select(
      () => body().locator(':scope > p').last().click(),
      `[...body.querySelectorAll(':scope > p')].at(-1).contains(selection.anchorNode)`,
    );

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  /** The elements of the variant as management answers them, by name of their element. */
  async function saved(name: string): Promise<{ value: unknown; components?: readonly unknown[] }[]> {
    const id = await itemNamed(name);
    const { elements } = await api<{ elements: { value: unknown; components?: readonly unknown[] }[] }>(
      `manage/projects/${project}/items/${id}/variants/codename/en`,
    );
    return elements;
  }

  job('opens a published item to be read, and makes a new version of it', async () => {
    await open(ARTICLE);
    await button('Make a new version').waitFor();
    expect(await body().getAttribute('contenteditable')).to.equal('false');
    await isAccessible();
    await button('Make a new version').click();
    await button('Save').waitFor();
    await page.locator('[role=textbox][contenteditable=true]').first().waitFor();
    await isAccessible();
  });

  job('saves what was changed, and no other byte', async () => {
    const before = await saved(ARTICLE);
    const unsaved = page
      .getByText('2 elements are not saved yet.')
      .or(page.getByText('One element is not saved yet.'));
    // Shown until it is saved by itself.
    await Promise.all([unsaved.waitFor(), field('Title').fill('Where it begins')]);
    await clickLastParagraph();
    await page.keyboard.press('End');
    await page.keyboard.type(' Added.');
    await page.keyboard.press('Control+s');
    await page.getByText('All changes are saved.').first().waitFor();
    const after = await saved(ARTICLE);
    const [old, html] = [before, after].map((elements) => String(elements[BODY]?.value)) as [string, string];
    expect(html).to.not.equal(old);
    // The changed block is written anew, without white space in front.
    expect(html.replace(' Added.', '')).to.equal(old.replace('</figure>\n<p>', '</figure><p>'));
    expect(after[0]?.value).to.equal('Where it begins');
    expect(after.filter((_, index) => ![0, 1, BODY].includes(index))).to.deep.equal(
      before.filter((_, index) => ![0, 1, BODY].includes(index)),
    );
  });

  job('formats by keyboard and toolbar', async () => {
    await clickLastParagraph();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('# ');
    await page.keyboard.type('Heading');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+b');
    await page.keyboard.type('bold');
    await page.keyboard.press('Control+b');
    await page.keyboard.press('Enter');
    await page.keyboard.type('- one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const toolbar = page.getByRole('toolbar', { name: 'Format of Body' });
    await toolbar.getByRole('button', { name: 'Link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link' });
    await isAccessible();
    await dialog.getByLabel('Address').fill('example.org');
    await dialog.getByLabel('Text').fill('a link');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await body().locator('a', { hasText: 'a link' }).waitFor();
    await toolbar.getByRole('button', { name: 'Table' }).click();
    await page.keyboard.type('cell');
    await toolbar.getByLabel('Table: rows and columns').selectOption('Insert a column after');
    await button('Save').click();
    await page.getByText('All changes are saved.').first().waitFor();
    const html = String((await saved(ARTICLE))[BODY]?.value);
    expect(html).to.include(
      '<h1>Heading</h1><p><strong>bold</strong></p><ul><li>one<ul><li>two</li></ul></li></ul><p><a href="https://example.org">a link</a></p><table><tbody><tr><td>cell</td><td></td><td></td><td></td></tr>',
    );
    await isAccessible();
  });

  job('pastes what a word processor copied, and says what was left out', async () => {
    await clickLastParagraph();
    const html =
      '<p class=MsoNormal><b>From</b> a <u>letter</u><o:p></o:p></p><img src="file:///c:/a.png"><script>alert(1)</script>';
    await paste(html);
    await page.getByText('Left out of what was pasted: underlines, pictures').waitFor();
    await body().getByText('From a letter').waitFor();
    await paste('<p>Beside a broken picture</p><img src="data:image/png;base64,A===B">');
    await body().getByText('Beside a broken picture').waitFor();
    await isAccessible();
  });

  job('places a picture, an item and a component, and uploads a picture that is pasted', async () => {
    const toolbar = page.getByRole('toolbar', { name: 'Format of Body' });
    const dialog = page.getByRole('dialog');
    const start = () =>
      select(
        () => page.keyboard.press('Control+Home'),
        `selection.anchorOffset === 0 && body.firstElementChild.contains(selection.anchorNode)`,
      );
    await start();
    await toolbar.getByRole('button', { name: 'Picture' }).click();
    await dialog.getByLabel('Search').fill('kingfisher');
    await dialog
      .getByRole('button', { name: /kingfisher/i })
      .first()
      .click();
    await isAccessible();
    await dialog.getByLabel('Description for people').fill('A bird');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await body().getByRole('img', { name: 'A bird' }).waitFor();
    await toolbar.getByRole('button', { name: 'Item' }).click();
    await dialog.getByLabel('Search').fill('source trail');
    await dialog.getByRole('button', { name: /Source Trail/ }).click();
    await toolbar.getByRole('button', { name: 'Component' }).click();
    await dialog.getByRole('button', { name: 'Quote' }).click();
    await body().getByText('Component: Quote').click();
    await field('Words').fill('Typed in a component');
    await start();
    // The upload ends after something was typed behind what was pasted.
    let release = () => {};
    const isTyped = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/files/picture.png', async (route) => {
      await isTyped;
      await route.continue();
    });
    await paste(`<p>x</p><img alt="A pixel" src="data:image/png;base64,${PIXEL}">`);
    await page.getByText('Pictures are being uploaded').waitFor();
    await page.keyboard.type('Long ago. ');
    release();
    await body().getByRole('img', { name: 'A pixel' }).waitFor();
    await isAccessible();
    await button('Save').click();
    await page.getByText('All changes are saved.').first().waitFor();
    const { value, components } = (await saved(ARTICLE))[BODY] as { value: string; components: object[] };
    const id = '[0-9a-f-]{36}';
    const figure = (alt: string) =>
      `<figure data-asset-id="${id}"><img src="#" data-asset-id="${id}" alt="${alt}"></figure>`;
    const object = (kind: string) =>
      `<object type="application/service" data-type="${kind}" data-id="${id}"></object>`;
    expect(value).to.match(
      new RegExp(
        `^<p>x</p>${figure('A pixel')}<p>Long ago. In August 1987.*?</p>${figure('A bird')}\\s*${object('item')}${object('component')}`,
      ),
    );
    expect(JSON.stringify(components)).to.include('Typed in a component');
    expect(components).to.have.length(2);
  });

  job('keeps the form when the session has ended, and saves after signing in', async () => {
    await field('Summary').fill('Typed while the session ended');
    await service.core.operations.storage.write((tx) => tx.run('DELETE FROM session', []));
    // By the keyboard: a report of presence may have opened the dialog already.
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByLabel('Password').fill(PERSON.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await field('Summary').inputValue()).to.equal('Typed while the session ended');
    await button('Save').click();
    await page.getByText('All changes are saved.').first().waitFor();
    expect((await saved(ARTICLE))[2]?.value).to.equal('Typed while the session ended');
  });

  job('offers what was typed and not saved when the page is opened again', async () => {
    connect = await cutSaves(page);
    await field('Summary').fill('Typed and not saved');
    await page.getByText('Your browser keeps a copy.').waitFor();
    await page.reload();
    const dialog = page.getByRole('dialog', { name: 'Changes that were not saved' });
    await dialog.waitFor();
    await isAccessible();
    // Shown until the first attempt to save it.
    await Promise.all([
      page.getByText('One element is not saved yet.').waitFor(),
      dialog.getByRole('button', { name: 'Restore them' }).click(),
    ]);
    expect(await field('Summary').inputValue()).to.equal('Typed and not saved');
  });

  job('merges what another person saved by element, and asks where both changed one', async () => {
    const id = await itemNamed(ARTICLE);
    const path = `manage/projects/${project}/items/${id}/variants/codename/en`;
    const { elements } = await api<{ elements: { element: { id: string } }[] }>(path);
    const [title, , summary] = elements.map(({ element }) => ({ element, value: 'Theirs' }));
    const status = await page.evaluate(
      `fetch('/console/api/${path}', {
        method: 'PUT',
        headers: { 'x-headwater-console': '1', 'content-type': 'application/json' },
        body: ${JSON.stringify(JSON.stringify({ elements: [title, summary] }))},
      }).then((response) => response.status)`,
    );
    expect(status).to.equal(200);
    await connect();
    await button('Save').click();
    await page.getByText('You and someone else changed this element.').waitFor();
    expect(await field('Title').inputValue()).to.equal('Theirs');
    expect(await button('Publish …').isDisabled()).to.equal(true);
    await isAccessible();
    await button('Mine').click();
    await button('Save').click();
    await page.getByText('All changes are saved.').first().waitFor();
    expect((await saved(ARTICLE))[2]?.value).to.equal('Typed and not saved');
  });

  job('publishes after it has shown the plan', async () => {
    await button('Publish …').click();
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText('replaces the public version').waitFor();
    await dialog.getByRole('button', { name: 'Publish now' }).click();
    await dialog.getByText('1 variant was published.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await button('Make a new version').waitFor();
  });

  job('has groups as tabs, and every kind of element', async () => {
    await open(TRAIL);
    await page.getByRole('tab', { name: 'Facts' }).click();
    await field('Length (km)').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Search', selected: true }).waitFor();
    await page.getByRole('tab', { name: 'Facts' }).click();
    await isAccessible();
    await page.getByText(PERSON.name).click();
    await page.getByRole('banner').getByLabel('Language').selectOption('de');
    await page.getByLabel('Darstellung').selectOption('dark');
    await isAccessible();
  });
});
