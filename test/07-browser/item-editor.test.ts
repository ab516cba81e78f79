/** Editing one item in a real browser. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { addOperator, PERSON } from '../support/browser/console-person.ts';
import { cutSaves } from '../support/browser/cut-saves.ts';
import { formStates } from '../support/browser/form-states.ts';
import { holdRequests } from '../support/browser/hold-requests.ts';
import type { ConsoleBrowser } from '../support/console/console-browser.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { unique } from '../support/unique.ts';
import { until } from '../support/until.ts';

const ARTICLE = 'Where the Orrach begins';
const TRAIL = 'Gorge Trail';
/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Positions among the elements of an article. */
const [TITLE, SLUG, SUMMARY, BODY] = [0, 1, 2, 4];

/** An element as management answers it. */
interface Element {
  readonly element: { readonly id: string };
  readonly value: unknown;
  readonly components?: readonly unknown[];
}

describe('the item editor', () => {
  let service: RunningService;
  let browser: Browser;
  let account: string;
  let page: Page;
  /** Another person, who works beside the page. */
  let other: ConsoleBrowser;
  let article: string;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), browserOfProcess()]);
    account = await addOperator(service);
    ({ browser: other } = await signInPerson(service, { name: 'Other', isOperator: true }));
    article = await itemNamed(ARTICLE);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, account);
    ({ page } = opened);
    return opened;
  });

  async function call<T>(method: string, api: 'admin' | 'manage', path: string, body?: unknown): Promise<T> {
    const { projectId } = service.sample!;
    const answer = await other.request<T>(method, `${api}/projects/${projectId}/${path}`, body);
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.lessThan(300);
    return answer.body;
  }

  /** Id of the item with a name. */
  async function itemNamed(name: string): Promise<string> {
    const path = `items?text=${encodeURIComponent(name)}`;
    const { items } = await call<{ items: { id: string; name: string }[] }>('GET', 'admin', path);
    return items.find((item) => item.name === name)!.id;
  }

  const variantOf = (item: string) => `items/${item}/variants/codename/en`;

  /** The elements of the variant as management answers them. */
  async function saved(item: string): Promise<readonly Element[]> {
    return (await call<{ elements: readonly Element[] }>('GET', 'manage', variantOf(item))).elements;
  }

  /** A draft with the content of the article. */
  async function copy(name: string): Promise<string> {
    const { id } = await call<{ id: string }>('POST', 'manage', 'items', {
      name,
      type: { codename: 'article' },
    });
    await call('PUT', 'manage', variantOf(id), { elements: await saved(article) });
    return id;
  }

  async function open(item: string): Promise<void> {
    await page.goto(`${service.url}/console/projects/${service.sample!.projectId}/items/${item}?language=en`);
    await page.locator('.form-bar').waitFor();
  }

  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const body = (): Locator => page.getByRole('textbox', { name: 'Body' });
  const toolbar = () => page.getByRole('toolbar', { name: 'Format of Body' });
  /** The form has nothing that the server has not; an announcement may be of an earlier save. */
  const isSaved = () => page.locator('.form-bar').getByText('All changes are saved.').waitFor();

  /** Waits until the page has worked off what it has begun, such as reading where the caret is. */
  const isSettled = () => page.evaluate('new Promise((resolve) => setTimeout(resolve))');

  async function clickParagraph(which: 'first' | 'last'): Promise<void> {
    await body().locator(':scope > p')[which]().click();
    await isSettled();
  }

  async function goToStart(): Promise<void> {
    await clickParagraph('first');
    await page.keyboard.press('Control+Home');
    await isSettled();
  }

  const paste = (html: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/html', ${JSON.stringify(html)});
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    }`);

  /** Searches in a dialog, and picks the first entry with a name from what was found. */
  async function pick(search: string, name: RegExp): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Search').fill(search);
    const found = dialog.locator('.picker[aria-busy=false]').getByRole('button', { name });
    await found.first().click();
  }

  job('opens a published item to be read, and makes a new version of it', async () => {
    const item = await copy('Published');
    await call('PUT', 'manage', `${variantOf(item)}/publish`);
    await open(item);
    await button('Make a new version').waitFor();
    expect(await body().getAttribute('contenteditable')).to.equal('false');
    await isAccessible();
    await button('Make a new version').click();
    await button('Save').waitFor();
    await page.locator('[role=textbox][contenteditable=true]').first().waitFor();
    await isAccessibleToo();
  });

  job('saves what was changed, and no other byte', async () => {
    const item = await copy('Changed');
    const before = await saved(item);
    await open(item);
    const states = await formStates(page);
    await field('Title').fill('Where it begins');
    await clickParagraph('last');
    await page.keyboard.press('End');
    await page.keyboard.type(' Added.');
    await page.keyboard.press('Control+s');
    await isSaved();
    expect((await states()).join('\n')).to.match(/^(2 elements are|One element is) not saved yet\./m);
    const after = await saved(item);
    const [old, html] = [before, after].map((elements) => String(elements[BODY]?.value)) as [string, string];
    expect(html).to.include('Take a cup. Added.</p>');
    // The changed block is written anew, without white space in front.
    expect(html.replace(' Added.', '')).to.equal(old.replace('</figure>\n<p>', '</figure><p>'));
    expect(after[TITLE]?.value).to.equal('Where it begins');
    const others = (elements: readonly Element[]) =>
      elements.filter((_, index) => ![TITLE, SLUG, BODY].includes(index));
    expect(others(after)).to.deep.equal(others(before));
  });

  job('saves by a key wherever the focus is', async () => {
    const item = await copy('Saved by a key');
    await open(item);
    await field('Title').fill('Typed before the key');
    await page.getByRole('heading', { level: 1 }).click();
    // With Caps Lock, the key is a capital.
    const isTaken = (shiftKey: boolean) =>
      page.evaluate(`!document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'S', ctrlKey: true, shiftKey: ${shiftKey}, bubbles: true, cancelable: true }),
      )`);
    expect(await isTaken(true), 'the key of screenshots').to.equal(false);
    expect(await isTaken(false), 'the browser would save the page').to.equal(true);
    await page.getByText('All changes are saved.').nth(1).waitFor();
    expect((await saved(item))[TITLE]?.value).to.equal('Typed before the key');
  });

  job('formats by keyboard and toolbar', async () => {
    const item = await copy('Formatted');
    await open(item);
    await clickParagraph('last');
    // Enter follows before the browser has announced where End has moved the caret.
    await page.evaluate(`{
      const last = [...document.activeElement.querySelectorAll(':scope > p')].at(-1);
      getSelection().collapse(last, last.childNodes.length);
      last.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true }),
      );
    }`);
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
    await toolbar().getByRole('button', { name: 'Link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link' });
    await isAccessible();
    await dialog.getByLabel('Address').fill('example.org');
    await dialog.getByLabel('Text').fill('a link');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await body().locator('a', { hasText: 'a link' }).waitFor();
    await toolbar().getByRole('button', { name: 'Table' }).click();
    await page.keyboard.type('cell');
    await toolbar().getByLabel('Table: rows and columns').selectOption('Insert a column after');
    await button('Save').click();
    await isSaved();
    const html = String((await saved(item))[BODY]?.value);
    expect(html).to.include(
      '<h1>Heading</h1><p><strong>bold</strong></p><ul><li>one<ul><li>two</li></ul></li></ul><p><a href="https://example.org">a link</a></p><table><tbody><tr><td>cell</td><td></td><td></td><td></td></tr>',
    );
    // With a fifth digit of a year it would be no time, and not be saved.
    const time = page.getByLabel('Published on');
    await time.click({ position: { x: 20, y: 15 } });
    for (const key of '12252026013000a') await page.keyboard.press(key);
    expect(await time.inputValue()).to.equal('2026-12-25T01:30');
    await isAccessibleToo();
  });

  longJob('gives back what was typed where a list or heading was not meant', async () => {
    const item = await copy('No list');
    await open(item);
    await clickParagraph('last');
    await page.keyboard.press('Control+End');
    for (const [typed, key] of [
      ['1. May', 'Backspace'],
      ['- Yes.', 'Control+z'],
      ['# No. 1', 'Backspace'],
    ] as const) {
      const space = typed.indexOf(' ') + 1;
      await page.keyboard.press('Enter');
      await page.keyboard.type(typed.slice(0, space));
      await page.keyboard.press(key);
      await page.keyboard.type(typed.slice(space));
    }
    await page.keyboard.press('Enter');
    await page.keyboard.type('- ');
    await page.keyboard.press('Control+z');
    // Later than what is one step with it.
    await pause(600);
    await page.keyboard.type('No');
    await page.keyboard.press('Control+z');
    await page.keyboard.type('Three');
    await button('Save').click();
    await isSaved();
    expect((await saved(item))[BODY]?.value).to.include(
      '<p>1. May</p><p>- Yes.</p><p># No. 1</p><p>- Three</p>',
    );
  });

  longJob('leads through a text by Tab, and to its toolbar after Escape, without a change', async () => {
    const item = await copy('Passed by Tab');
    const list = '<ul><li>one</li><li>two</li></ul>';
    const table = '<table><tbody><tr><td>cell</td><td>next</td></tr></tbody></table>';
    const value = `${list}${table}<p>Last.</p>`;
    await call('PUT', 'manage', variantOf(item), { elements: [{ element: { codename: 'body' }, value }] });
    await open(item);
    const press = async (...keys: string[]) => {
      for (const key of keys) {
        await page.keyboard.press(key);
        await isSettled();
      }
    };
    const isIn = (part: Locator) => part.evaluate((element) => element.matches(':focus-within'));
    const html = async () => String((await saved(item))[BODY]?.value);
    const before = await html();
    await body().getByText('one').waitFor();
    await toolbar().waitFor();
    await toolbar().getByLabel('Style').focus();
    await press('Tab');
    expect(await isIn(body()), 'to the text').to.equal(true);
    await press('Shift+Tab');
    expect(await isIn(toolbar()), 'out of the text, whose first item stays in the list').to.equal(true);
    await press('Tab', 'ArrowDown', 'Tab');
    // Another key was pressed in the text.
    await body().locator('li li').waitFor();
    await press('Shift+Tab');
    await body().locator('li li').waitFor({ state: 'detached' });
    await press('Escape', 'Shift+Tab');
    expect(await isIn(toolbar()), 'from a list to the toolbar').to.equal(true);
    await body().getByText('cell').click();
    await toolbar().getByLabel('Table: rows and columns').waitFor();
    await press('Tab');
    expect(await isIn(body()), 'to the next cell').to.equal(true);
    await press('Escape', 'Shift+Tab');
    expect(await isIn(toolbar()), 'from a table to the toolbar').to.equal(true);
    // The last control: there is one less behind the table.
    await press('End');
    expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal('Redo');
    await body().getByText('Last.').click();
    await toolbar().getByLabel('Table: rows and columns').waitFor({ state: 'detached' });
    await press('Escape', 'Shift+Tab');
    expect(await isIn(toolbar()), 'from behind a table to the toolbar').to.equal(true);
    await isSaved();
    expect(await html()).to.equal(before);
  });

  job('opens a choice of the toolbar by an arrow key, which chooses nothing yet', async () => {
    const item = await copy('Chosen by keys');
    const value = '<table><tbody><tr><td>cell</td></tr></tbody></table>';
    await call('PUT', 'manage', variantOf(item), { elements: [{ element: { codename: 'body' }, value }] });
    await open(item);
    await body().getByText('cell').click();
    const acts = toolbar().getByLabel('Table: rows and columns');
    await acts.focus();
    for (const entry of ['none', 'row above', 'row below', 'column before']) {
      await page.keyboard.press('ArrowDown');
      expect(await body().locator('td').count(), entry).to.equal(1);
      expect(await acts.evaluate((choice) => choice.matches(':focus')), entry).to.equal(true);
    }
    await page.keyboard.press('Enter');
    await body().locator('td').nth(1).waitFor();
    expect(await body().locator('tr').count()).to.equal(1);
  });

  longJob('shows all lines of a text, also where the style cannot', async () => {
    // As browsers without `field-sizing` do.
    await page.addInitScript(`{
      const { supports } = CSS;
      CSS.supports = (name, ...more) => name !== 'field-sizing' && supports.call(CSS, name, ...more);
      addEventListener('DOMContentLoaded', () => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync('textarea { field-sizing: fixed !important; }');
        document.adoptedStyleSheets.push(sheet);
      });
    }`);
    await open(await copy('Of several lines'));
    const isWhole = () =>
      field('Title').evaluate(({ clientHeight, scrollHeight }: HTMLElement) => clientHeight === scrollHeight);
    const heightOf = async () => (await field('Title').boundingBox())!.height;
    const low = await heightOf();
    await field('Title').fill('one\ntwo\nthree');
    await until(isWhole);
    const high = await heightOf();
    expect(high).to.be.greaterThan(2 * low);
    await field('Title').fill('one');
    await until(async () => (await heightOf()) === low);
    await field('Title').fill('a narrow page shows this text in more lines '.repeat(3));
    await page.setViewportSize({ width: 360, height: 800 });
    await until(isWhole);
    expect(await heightOf()).to.be.greaterThan(high);
  });

  longJob('says that a time is incomplete, which has no value', async () => {
    const item = await copy('Half a time');
    const time = page.getByLabel('Published on');
    const incomplete = page.getByText('Date and time are incomplete');
    const press = async (keys: Iterable<string>) => {
      await time.focus();
      for (const key of keys) await page.keyboard.press(key);
    };
    await open(item);
    await time.fill('');
    await press('12252026');
    expect(await incomplete.count()).to.equal(0);
    await field('Title').focus();
    await incomplete.waitFor();
    await isAccessible();
    // What is typed of it stays, and the rest makes it a time.
    await press([...Array(3).fill('ArrowRight'), ...'013000a']);
    expect(await time.inputValue()).to.equal('2026-12-25T01:30');
    await incomplete.waitFor({ state: 'detached' });
    await page.keyboard.press('Backspace');
    await incomplete.waitFor();
  });

  longJob('offers a link to the item whose address in the console was given', async () => {
    const item = await copy('Linked by its address');
    await open(item);
    await clickParagraph('last');
    await page.keyboard.press('Control+End');
    await paste(`<p><a href="${page.url()}">pasted</a></p>`);
    await body().getByText('pasted').click();
    await isSettled();
    await toolbar().getByRole('button', { name: 'Link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link' });
    await dialog.getByText('This is the address of the item “Linked by its address”.').waitFor();
    await isAccessible();
    await dialog.getByRole('button', { name: 'Link to the item' }).click();
    await button('Save').click();
    await isSaved();
    expect((await saved(item))[BODY]?.value).to.include(`<a data-item-id="${item}" href="">pasted</a>`);
    // Such a link is changed and removed as any other.
    await body().getByText('pasted').click();
    await isSettled();
    await toolbar().getByRole('button', { name: 'Link' }).click();
    await dialog.getByText('Leads to “Linked by its address”.').waitFor();
    await isAccessible();
    await dialog.getByLabel('Title').fill('More');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await button('Save').click();
    await isSaved();
    expect((await saved(item))[BODY]?.value).to.include(`<a data-item-id="${item}" href="" title="More">`);
    // What is typed stays, also where another item is chosen.
    const place = unique('Linked in its place');
    const other = await copy(place);
    await body().getByText('pasted').click();
    await isSettled();
    await toolbar().getByRole('button', { name: 'Link' }).click();
    await dialog.getByLabel('Title').fill('Even more');
    const picker = page.getByRole('dialog', { name: 'Choose an item' });
    await dialog.getByRole('button', { name: 'Choose another' }).click();
    await picker.getByRole('button', { name: 'Cancel' }).click();
    expect(await dialog.getByLabel('Title').inputValue()).to.equal('Even more');
    await dialog.getByRole('button', { name: 'Choose another' }).click();
    await picker.getByRole('button', { name: new RegExp(place) }).click();
    await button('Save').click();
    await isSaved();
    expect((await saved(item))[BODY]?.value).to.include(
      `<a data-item-id="${other}" href="" title="Even more">`,
    );
    await body().getByText('pasted').click();
    await isSettled();
    await toolbar().getByRole('button', { name: 'Link' }).click();
    await dialog.getByRole('button', { name: 'Remove the link' }).click();
    await button('Save').click();
    await isSaved();
    expect((await saved(item))[BODY]?.value)
      .to.include('pasted')
      .and.not.include(other);
  });

  longJob('keeps the buttons of a dialog in place while what it offers is loaded', async () => {
    await open(await copy('Placed slowly'));
    await goToStart();
    const load = await holdRequests(page, /\/content\?.*limit=20/);
    await toolbar().getByRole('button', { name: 'Item', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose an item' });
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    const position = (await cancel.boundingBox())!;
    await page.mouse.move(position.x + 5, position.y + 5);
    await page.mouse.down();
    load();
    await dialog.locator('.picker').waitFor();
    expect(await cancel.boundingBox()).to.deep.equal(position);
    await page.mouse.up();
    await dialog.waitFor({ state: 'detached' });
  });

  longJob('pastes what a word processor copied, and says what was left out', async () => {
    await open(await copy('Pasted'));
    await clickParagraph('last');
    const html =
      '<p class=MsoNormal><b>From</b> a <u>letter</u><o:p></o:p></p><img src="file:///c:/a.png"><script>alert(1)</script>';
    await paste(html);
    await page.getByText('Left out of what was pasted: underlines, images').waitFor();
    await body().getByText('From a letter').waitFor();
    await paste('<p>Beside a broken image</p><img src="data:image/png;base64,A===B">');
    await body().getByText('Beside a broken image').waitFor();
    await isAccessible();
  });

  const place = async (item: string) => {
    await open(item);
    const dialog = page.getByRole('dialog');
    await goToStart();
    await toolbar().getByRole('button', { name: 'Image' }).click();
    await pick('kingfisher', /kingfisher/i);
    await isAccessible();
    await dialog.getByText('Leave it empty only for decorative images').waitFor();
    await dialog.getByLabel('Description for people').fill('A bird');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    // What readers get: that of the file comes first.
    await body().getByRole('img', { name: 'Drawing of a kingfisher on a branch' }).waitFor();
    await toolbar().getByRole('button', { name: 'Item' }).click();
    await pick('source trail', /Source Trail/);
    await toolbar().getByRole('button', { name: 'Component' }).click();
    await dialog.getByRole('button', { name: 'Quote' }).click();
    // Its form is open at once.
    await field('Words').fill('Typed in a component');
  };

  /** Patterns of what is placed in a text. */
  const ID = '[0-9a-f-]{36}';
  const figure = (alt: string) =>
    `<figure data-asset-id="${ID}"><img src="#" data-asset-id="${ID}" alt="${alt}"></figure>`;
  const object = (kind: string) =>
    `<object type="application/service" data-type="${kind}" data-id="${ID}"></object>`;
  const PLACED = `${figure('A bird')}\\s*${object('item')}${object('component')}`;

  job('places an image, an item and a component', async () => {
    const item = await copy('Placed');
    await place(item);
    await button('Save').click();
    await isSaved();
    const { value, components } = (await saved(item))[BODY]!;
    expect(value).to.match(new RegExp(PLACED));
    expect(JSON.stringify(components)).to.include('Typed in a component');
    expect(components).to.have.length(2);
  });

  longJob('uploads an image that is pasted, beside what is placed meanwhile', async () => {
    const item = await copy('Pasted beside');
    await place(item);
    await goToStart();
    // The upload ends after something was typed behind what was pasted.
    const release = await holdRequests(page, '**/files/image.png');
    await paste(`<p>x</p><img alt="A pixel" src="data:image/png;base64,${PIXEL}">`);
    await page.getByText('Images are being uploaded').waitFor();
    await page.keyboard.type('Long ago. ');
    release();
    await body().getByRole('img', { name: 'A pixel' }).waitFor();
    await isAccessible();
    await button('Save').click();
    await isSaved();
    const { value, components } = (await saved(item))[BODY]!;
    expect(value).to.match(
      new RegExp(`^<p>x</p>${figure('A pixel')}<p>Long ago. In August 1987.*?</p>${PLACED}`),
    );
    expect(JSON.stringify(components)).to.include('Typed in a component');
    expect(components).to.have.length(2);
    await goToStart();
    await paste(`<img src="data:image/png;base64,${PIXEL}">`);
    await body().getByText('No description.').waitFor();
    await isAccessible();
  });

  job('keeps the form when the session has ended, and saves after signing in', async () => {
    const item = await copy('Session');
    await open(item);
    // No save comes before the end of the session.
    let end = () => {};
    const hasEnded = new Promise<void>((resolve) => {
      end = resolve;
    });
    await page.route('**/variants/**', async (route) => {
      await hasEnded;
      await route.continue();
    });
    // What was sent before the person signed in again may be refused after it.
    let signIn = () => {};
    const isSignedIn = new Promise<void>((resolve) => {
      signIn = resolve;
    });
    const refusePresence = async (route: Route) => {
      await isSignedIn;
      await route.fulfill({ status: 401 });
    };
    await page.route('**/api/presence', refusePresence, { times: 1 });
    await field('Summary').fill('Typed while the session ended');
    await service.core.operations.storage.write((tx) =>
      tx.run('DELETE FROM session WHERE account = ?', [account]),
    );
    end();
    // By the keyboard: a report of presence may have opened the dialog already.
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.waitFor();
    await isAccessible();
    await dialog.getByLabel('Password').fill(PERSON.password);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    const isRefused = page.waitForResponse((response) => response.status() === 401);
    signIn();
    await isRefused;
    expect(await field('Summary').inputValue()).to.equal('Typed while the session ended');
    await button('Save').click();
    await isSaved();
    expect((await saved(item))[SUMMARY]?.value).to.equal('Typed while the session ended');
  });

  longJob('offers what was typed and not saved when the page is opened again', async () => {
    await open(await copy('Offered'));
    await cutSaves(page);
    await field('Summary').fill('Typed and not saved');
    await page.getByText('Your browser keeps a copy.').waitFor();
    await page.reload();
    const dialog = page.getByRole('dialog', { name: 'Changes that were not saved' });
    await dialog.waitFor();
    // Keys that were meant for the form choose nothing.
    expect(await page.evaluate('document.activeElement.tagName')).to.equal('H2');
    await isAccessible();
    await dialog.getByRole('button', { name: 'Restore them' }).click();
    await page.getByText('One element is not saved yet').waitFor();
    expect(await field('Summary').inputValue()).to.equal('Typed and not saved');
  });

  job('merges what another person saved by element, and asks where both changed one', async () => {
    const item = await copy('Merged');
    const elements = await saved(item);
    await open(item);
    const connect = await cutSaves(page);
    await field('Summary').fill('Typed and not saved');
    await page.getByText('Your browser keeps a copy.').waitFor();
    const theirs = [TITLE, SUMMARY].map((index) => ({ ...elements[index], value: 'Theirs' }));
    await call('PUT', 'manage', variantOf(item), { elements: theirs });
    await connect();
    await button('Save').click();
    await page.getByText('You and someone else changed this element.').waitFor();
    expect(await field('Title').inputValue()).to.equal('Theirs');
    for (const act of ['Publish …', 'Schedule …']) expect(await button(act).isDisabled(), act).to.equal(true);
    await isAccessible();
    await button('Mine').click();
    await button('Save').click();
    await isSaved();
    expect((await saved(item))[SUMMARY]?.value).to.equal('Typed and not saved');
    expect(await button('Schedule …').isEnabled()).to.equal(true);
  });

  longJob('names what someone else chose where both changed an element', async () => {
    const type = await call<{ id: string }>('POST', 'manage', 'types', {
      name: 'Choosing',
      elements: [
        {
          type: 'multiple_choice',
          name: 'Colour',
          mode: 'multiple',
          options: [{ name: 'Red' }, { name: 'Blue' }],
        },
        { type: 'modular_content', name: 'Related' },
        { type: 'asset', name: 'Cover' },
      ],
    });
    const { assets } = await call<{ assets: { id: string; title: string | null; file_name: string }[] }>(
      'GET',
      'admin',
      'assets?limit=2',
    );
    const [cover, otherCover] = assets as [(typeof assets)[0], (typeof assets)[0]];
    const made = async (name: string) =>
      (await call<{ id: string }>('POST', 'manage', 'items', { name, type: { id: type.id } })).id;
    const [first, second, item] = [await made('First'), await made('Second'), await made('Choosing')];
    const write = (related: string, asset: string, more: readonly object[] = []) =>
      call('PUT', 'manage', variantOf(item), {
        elements: [
          { element: { codename: 'related' }, value: [{ id: related }] },
          { element: { codename: 'cover' }, value: [{ id: asset }] },
          ...more,
        ],
      });
    await write(first, cover.id);
    await open(item);
    await cutSaves(page);
    const element = (name: string) => page.getByRole('group', { name });
    await element('Colour').getByLabel('Red').check();
    for (const name of ['Related', 'Cover'])
      await element(name)
        .getByRole('button', { name: /^Remove / })
        .click();
    await write(second, otherCover.id, [{ element: { codename: 'colour' }, value: [{ codename: 'blue' }] }]);
    await element('Colour').getByText('Theirs: Blue', { exact: true }).waitFor();
    await element('Related').getByText('Theirs: Second', { exact: true }).waitFor();
    await element('Cover')
      .getByText(`Theirs: ${otherCover.title ?? otherCover.file_name}`, { exact: true })
      .waitFor();
    await isAccessible();
  });

  longJob('schedules only once the server has what the form shows', async () => {
    const item = await copy('Scheduled');
    await open(item);
    const dialog = page.getByRole('dialog', { name: 'Schedule publishing' });
    const connect = await cutSaves(page);
    await field('Title').fill('Typed before the schedule');
    await button('Schedule …').click();
    await page.locator('.form-bar').getByText('There is no connection.').waitFor();
    expect(await dialog.count()).to.equal(0);
    await connect();
    await button('Schedule …').click();
    await dialog.waitFor();
    expect((await saved(item))[TITLE]?.value).to.equal('Typed before the schedule');
  });

  longJob('shows what limits of files and types refuse, before a plan does', async () => {
    const { assets } = await call<{ assets: { id: string }[] }>('GET', 'admin', 'assets?text=kingfisher');
    const image = assets[0]!.id;
    const box = await call<{ id: string }>('POST', 'manage', 'types', {
      name: 'Box',
      elements: [{ type: 'text', name: 'Label' }],
    });
    const width = { value: 10, condition: 'at_most' };
    const only = [{ codename: 'quote' }];
    const narrow = await call<{ codename: string }>('POST', 'manage', 'types', {
      name: 'Narrow',
      elements: [
        { type: 'asset', name: 'Files', maximum_file_size: 10, image_width_limit: width },
        { type: 'modular_content', name: 'Related', allowed_content_types: only },
        { type: 'rich_text', name: 'Body', maximum_image_size: 10, allowed_content_types: only },
      ],
    });
    const component = '00000000-0000-4000-8000-000000000001';
    const object = (kind: string, id: string) =>
      `<object type="application/service" data-type="${kind}" data-id="${id}"></object>`;
    const { id } = await call<{ id: string }>('POST', 'manage', 'items', {
      name: 'Narrow',
      type: { codename: narrow.codename },
    });
    const figure = `<figure data-asset-id="${image}"><img src="#" data-asset-id="${image}" alt="A"></figure>`;
    await call('PUT', 'manage', variantOf(id), {
      elements: [
        { element: { codename: 'files' }, value: [{ id: image }] },
        { element: { codename: 'related' }, value: [{ id: article }] },
        {
          element: { codename: 'body' },
          value: `<p>Text</p>${figure}${object('item', article)}${object('component', component)}`,
          components: [{ id: component, type: { id: box.id }, elements: [] }],
        },
      ],
    });
    await open(id);
    const [files, related, text] = ['files', 'related', 'body'].map((codename) =>
      page.locator(`[data-element=${codename}]`),
    ) as [Locator, Locator, Locator];
    await files.getByText(/^The file has [\d,]+ bytes; at most 10 are allowed here\./).waitFor();
    await files.getByText(/^The image has \d+ px; allowed here: width at most 10 px\./).waitFor();
    await related.getByText('The type “Article” is not allowed here.').waitFor();
    await text.getByText(/^The file has [\d,]+ bytes/).waitFor();
    await text.getByText('The type “Article” is not allowed here.').waitFor();
    await text.getByText('The type “Box” is not allowed here.').waitFor();
    await isAccessible();
    await files.getByRole('button', { name: /^Remove / }).click();
    await files.getByText('The file has').waitFor({ state: 'detached' });
    await button('Publish …').click();
    // Of the text and the linked item: the same as the form says.
    await page.getByRole('dialog', { name: 'Publish' }).getByText('which is not allowed').first().waitFor();
    expect(await page.getByRole('dialog').getByText('which is not allowed').count()).to.equal(3);
    expect(await page.getByRole('dialog').getByText('at most 10 are allowed').count()).to.equal(1);
  });

  longJob('keeps the focus on the button that moves a reference', async () => {
    const type = await call<{ codename: string }>('POST', 'manage', 'types', {
      name: 'Linking',
      elements: [{ type: 'modular_content', name: 'Related' }],
    });
    const made = async (name: string) =>
      (await call<{ id: string }>('POST', 'manage', 'items', { name, type: { codename: type.codename } })).id;
    const [first, second, third] = [await made('First'), await made('Second'), await made('Third')];
    const item = await made('Linking');
    const value = [first, second, third].map((id) => ({ id }));
    await call('PUT', 'manage', variantOf(item), { elements: [{ element: { codename: 'related' }, value }] });
    await open(item);
    const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-label")');
    const move = async (name: string, at: number) => {
      await page.keyboard.press('Enter');
      await page.locator('ol.references > li').nth(at).getByText('Third', { exact: true }).waitFor();
      await isSettled();
      expect(await focused()).to.equal(name);
    };
    await button('Move Third up').focus();
    await move('Move Third up', 1);
    await move('Move Third up', 0);
    await button('Move Third down').focus();
    await move('Move Third down', 1);
    await move('Move Third down', 2);
    // The row that takes the place of a removed one gets the focus, so that `Tab` leads to its buttons.
    await button('Remove First').focus();
    await page.keyboard.press('Enter');
    await button('Remove First').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.innerText')).to.match(/^Second/);
    await button('Remove Third').focus();
    await page.keyboard.press('Enter');
    await button('Remove Third').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.innerText')).to.match(/^Second/);
  });

  job('describes a group of inputs by its guidelines and findings', async () => {
    const guidelines = 'One or more.';
    const described = { is_required: true, guidelines };
    const type = await call<{ id: string }>('POST', 'manage', 'types', {
      name: 'Described',
      elements: [
        {
          ...described,
          type: 'multiple_choice',
          name: 'Colour',
          mode: 'multiple',
          options: [{ name: 'Red' }],
        },
        { ...described, type: 'modular_content', name: 'Related' },
        { ...described, type: 'asset', name: 'Cover' },
      ],
    });
    const input = { name: 'Described', type: { id: type.id } };
    const { id } = await call<{ id: string }>('POST', 'manage', 'items', input);
    await open(id);
    const descriptionOf = (name: string) =>
      page.getByRole('group', { name }).evaluate((group) => {
        const ids = group.getAttribute('aria-describedby')?.split(' ') ?? [];
        return ids.map((one) => group.ownerDocument.getElementById(one)?.textContent).join(' ');
      });
    for (const name of ['Colour', 'Related', 'Cover'])
      expect(await descriptionOf(name), name).to.equal(`${guidelines} A value is required.`);
    await page.getByLabel('Red').check();
    await page.getByRole('group', { name: 'Colour' }).getByText('A value').waitFor({ state: 'detached' });
    expect(await descriptionOf('Colour')).to.equal(`${guidelines} `);
  });

  longJob('uploads a file whose upload has failed when it is chosen again', async () => {
    await open(await copy('Uploading'));
    const cover = page.getByRole('group', { name: 'Cover' });
    await cover.getByRole('button', { name: 'Add …' }).click();
    const upload = page.getByRole('dialog').getByLabel('Upload a file');
    const file = { name: 'again.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') };
    await page.route('**/files/again.png', (route) => route.abort(), { times: 1 });
    await upload.setInputFiles(file);
    await page.getByRole('dialog').getByRole('alert').waitFor();
    // Of a file that is chosen already, a browser reports no change.
    expect(await upload.inputValue()).to.equal('');
    await upload.setInputFiles(file);
    await cover.getByText('again.png').waitFor();
  });

  longJob('publishes after it has shown the plan', async () => {
    const item = await copy('Planned');
    const [title] = await saved(item);
    await call('PUT', 'manage', `${variantOf(item)}/publish`);
    await call('PUT', 'manage', `${variantOf(item)}/new-version`);
    await call('PUT', 'manage', variantOf(item), { elements: [{ ...title, value: 'Another title' }] });
    await open(item);
    await button('Publish …').click();
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText('replaces the public version').waitFor();
    await dialog.getByRole('button', { name: 'Publish now' }).click();
    await dialog.getByText('1 variant was published.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await button('Make a new version').waitFor();
  });

  longJob('shows a rich text before the page is idle, and edits it as soon as it is used', async () => {
    const item = await copy('Busy page');
    await page.addInitScript('window.requestIdleCallback = () => 0;');
    await open(item);
    const first = (await body().locator(':scope > p').first().textContent()) ?? '';
    expect(first).to.not.equal('');
    expect(await toolbar().count()).to.equal(0);
    await body().focus();
    await toolbar().waitFor();
    await page.keyboard.press('Control+Home');
    await isSettled();
    await page.keyboard.type('Typed at once. ');
    await isSaved();
    expect(JSON.stringify((await saved(item))[BODY])).to.include(`Typed at once. ${first.slice(0, 20)}`);
  });

  job('keeps the bar of the form in front of what is scrolled below it', async () => {
    await open(await copy('Scrolled below the bar'));
    await body().focus();
    await toolbar().waitFor();
    const isInFront = await page.evaluate<boolean>(`(() => {
      const bar = document.querySelector('.form-bar');
      const undo = document.querySelector('.toolbar [aria-disabled="true"]').getBoundingClientRect();
      scrollBy(0, undo.y + undo.height / 2 - bar.offsetHeight / 2);
      return bar.contains(document.elementFromPoint(undo.x + undo.width / 2, bar.offsetHeight / 2));
    })()`);
    expect(isInFront).to.equal(true);
  });

  job('keeps the toolbar of a long text in sight', async () => {
    const item = await copy('Long text');
    const value = '<p>A paragraph of a long text.</p>'.repeat(80);
    await call('PUT', 'manage', variantOf(item), { elements: [{ element: { codename: 'body' }, value }] });
    await open(item);
    await clickParagraph('last');
    const bold = toolbar().getByRole('button', { name: 'Bold' });
    await bold.waitFor();
    const bar = (await page.locator('.form-bar').boundingBox())!;
    const { y } = (await bold.boundingBox())!;
    expect(y, 'below the bar of the form').to.be.within(bar.y + bar.height, bar.y + bar.height + 20);
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Home');
    // Not by the driver, which would scroll to a button that is out of sight.
    const { x, width, height } = (await bold.boundingBox())!;
    await page.mouse.click(x + width / 2, y + height / 2);
    await body().locator('strong').waitFor();
  });

  /** What the bar of the form or a toolbar covers once Shift+Tab has led to it, from the end of the form on. */
  async function coveredByBars(last: string): Promise<readonly string[]> {
    await page.evaluate(`document.querySelector('main').lastElementChild.scrollIntoView({ block: 'end' })`);
    await page.getByRole('main').getByRole('button', { name: last }).last().focus();
    const top = () => page.evaluate<number>('scrollY');
    const from = await top();
    const covered: string[] = [];
    for (let key = 0; key < 60; key += 1) {
      await page.keyboard.press('Shift+Tab');
      covered.push(
        ...(await page.evaluate<string[]>(`(() => {
          const focused = document.activeElement;
          const { top, bottom } = focused.getBoundingClientRect();
          const bars = [...document.querySelectorAll('.form-bar, .toolbar')].filter((bar) => {
            const box = bar.getBoundingClientRect();
            // A text is below its own toolbar.
            const isBehind = focused.closest('main') && !bar.contains(focused) && focused.role !== 'textbox';
            return isBehind && top < box.bottom && bottom > box.top;
          });
          return bars.map((bar) => bar.className + ': ' + focused.outerHTML.slice(0, 100));
        })()`)),
      );
    }
    expect(await top(), 'the page was scrolled by the focus').to.be.below(from);
    return covered;
  }

  longJob('hides no control with the focus behind the bar of the form', async () => {
    await open(await copy('Focused below the bar'));
    await body().locator('p').first().waitFor();
    await page.setViewportSize({ width: 1280, height: 400 });
    expect(await coveredByBars('Add …')).to.deep.equal([]);
  });

  longJob('hides no control with the focus behind bars of several rows', async () => {
    const item = await copy('Focused below rows');
    await call('PUT', 'manage', `${variantOf(item)}/publish`);
    await call('PUT', 'manage', `${variantOf(item)}/new-version`);
    const url = `${service.url}/console/`;
    await page.context().addCookies([{ name: 'headwater-language', value: 'de', url }]);
    // As at a zoom of 150 %.
    await page.setViewportSize({ width: 853, height: 683 });
    await open(item);
    await body().locator('p').first().waitFor();
    expect(await coveredByBars('Hinzufügen …')).to.deep.equal([]);
  });

  longJob('puts the caret where a rich text is clicked whose editor is not made yet', async () => {
    const table = '<table><tbody><tr><td>cell</td></tr></tbody></table>';
    const value = `<p>First.</p><ul><li>point</li><li><strong>bold</strong> end</li></ul>${table}<p>Last.</p>`;
    const places = ['end', 'cell', 'Last.'];
    const type = await call<{ id: string }>('POST', 'manage', 'types', {
      name: 'Clicked early',
      elements: places.map((_, at) => ({ type: 'rich_text', name: `Text ${at}`, codename: `text_${at}` })),
    });
    const input = { name: 'Clicked early', type: { id: type.id } };
    const { id } = await call<{ id: string }>('POST', 'manage', 'items', input);
    await call('PUT', 'manage', variantOf(id), {
      elements: places.map((_, at) => ({ element: { codename: `text_${at}` }, value })),
    });
    await page.addInitScript('window.requestIdleCallback = () => 0;');
    await open(id);
    for (const [at, clicked] of places.entries()) {
      const text = page.getByRole('textbox', { name: `Text ${at}` });
      const block = text.locator('p, li, td').filter({ hasText: clicked });
      await block.waitFor();
      const tools = page.getByRole('toolbar', { name: `Format of Text ${at}` });
      expect(await tools.count(), clicked).to.equal(0);
      const { width, height } = (await block.boundingBox())!;
      await block.click({ position: { x: width - 4, y: height / 2 } });
      await page.keyboard.type('X');
    }
    await page.keyboard.press('Control+s');
    await isSaved();
    for (const [at, clicked] of places.entries()) {
      const html = String((await saved(id))[at]?.value);
      expect(html, clicked).to.include(`${clicked}X`);
      expect(html.split('X'), 'one is typed').to.have.length(2);
    }
  });

  job('makes the editor of a rich text that is far down when it comes near the window', async () => {
    const text = (_: unknown, at: number) => ({ type: 'text', name: `Text ${at}`, codename: `text_${at}` });
    const elements = [
      ...Array.from({ length: 60 }, text),
      { type: 'rich_text', name: 'Body', codename: 'body' },
    ];
    const type = await call<{ id: string }>('POST', 'manage', 'types', { name: 'Long', elements });
    const { id } = await call<{ id: string }>('POST', 'manage', 'items', {
      name: 'Long form',
      type: { id: type.id },
    });
    await call('PUT', 'manage', variantOf(id), {
      elements: [{ element: { codename: 'body' }, value: '<p>Far down.</p>' }],
    });
    await open(id);
    await body().getByText('Far down.').waitFor();
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestIdleCallback(resolve)))',
    );
    expect(await toolbar().count()).to.equal(0);
    await body().scrollIntoViewIfNeeded();
    await toolbar().waitFor();
  });

  job('has groups as tabs, and every kind of element', async () => {
    await open(await itemNamed(TRAIL));
    await page.getByRole('tab', { name: 'Facts' }).click();
    await field('Length (km)').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Search', selected: true }).waitFor();
    await page.getByRole('tab', { name: 'Facts' }).click();
    await isAccessible();
  });

  longJob('is accessible in German and the dark theme', async () => {
    await open(await itemNamed(TRAIL));
    await page.getByText(PERSON.name, { exact: true }).click();
    await page.getByRole('banner').getByLabel('Language').selectOption('de');
    await page.getByLabel('Darstellung').selectOption('dark');
    await isAccessible();
  });

  longJob('takes numbers in German with a comma', async () => {
    const url = `${service.url}/console/`;
    await page.context().addCookies([{ name: 'headwater-language', value: 'de', url }]);
    const item = await copy('Zahlen');
    await open(item);
    const minutes = field('Reading minutes');
    await minutes.fill('');
    await minutes.pressSequentially('7,25');
    await minutes.press('Control+s');
    await page.locator('.form-bar').getByText('Alle Änderungen sind gespeichert.').waitFor();
    const values = async () => (await saved(item)).map(({ value }) => value);
    expect(await values()).to.include(7.25);
    expect(await minutes.inputValue()).to.equal('7,25');
    await page.reload();
    await minutes.waitFor();
    expect(await minutes.inputValue()).to.equal('7,25');
    // A point becomes a comma where it is typed: what follows is behind it.
    await minutes.fill('71');
    await minutes.press('ArrowLeft');
    await minutes.pressSequentially('.5');
    expect(await minutes.inputValue()).to.equal('7,51');
  });
});
