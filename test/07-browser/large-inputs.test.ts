/** Inputs far larger or odder than people write by hand: the page says what it does, and stays usable. */

import { expect } from 'chai';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { findVariant, upsertVariant } from '../../core/content/variants.ts';
import type { ElementInput } from '../../core/model/inputs.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { consoleJobs } from '../support/browser/console-jobs.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { HOSTILE_STRINGS } from '../support/projects/hostile-strings.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { until } from '../support/until.ts';

const SAVED = 'All changes are saved.';
/** Most time of script, style and layout that a key may take, in milliseconds. */
const LONGEST_KEY = 100;
/** The same for what is pasted: seen are 350 ms for 5 MB of HTML, and 40 ms for text. */
const LONGEST_PASTE = 1500;
const ROWS = isLongForm ? 100 : 20;
/** About as many as 100,000 characters of markup hold. */
const CARDS = 880;
const LINKS = 1000;

describe('large and odd inputs in the console', function () {
  this.timeout(300_000);
  let notes: NotesService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  let session: CDPSession;
  before(async () => {
    [notes, browser] = await Promise.all([NotesService.start({ unlimited: true }), browserOfProcess()]);
    const { account } = await signInPerson(notes.service, { name: 'Ada Lovelace', isOperator: true });
    await notes.run(async (transaction) => {
      await createType(transaction, { name: 'Quote', elements: [{ type: 'text', name: 'Words' }] });
      await createType(transaction, {
        name: 'Page',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'text', name: 'Summary' },
          { type: 'rich_text', name: 'Body' },
          { type: 'modular_content', name: 'Related' },
        ],
      });
    });
    ({ page, errors } = await pageWithSession(browser, notes.service, account));
    session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  });
  after(async () => {
    await browser?.close();
    await notes?.stop();
  });
  const { job, longJob } = consoleJobs(() => ({ page, errors }));
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const body = () => page.locator('[data-element=body] [contenteditable=true]');

  const open = async (name: string, elements: readonly ElementInput[] = []) => {
    const id = await notes.run(async (transaction) => {
      const { id } = await createItem(transaction, { name, type: { codename: 'page' } });
      await upsertVariant(transaction, { id }, { codename: 'en' }, { elements });
      return id;
    });
    await page.goto(`${notes.service.url}/console/projects/${notes.project}/items/${id}?language=en`);
    await body().waitFor();
    return id;
  };
  /** The stored values. */
  const saved = (item: string) =>
    notes.run(async (transaction) => {
      const { elements } = await findVariant(transaction, { id: item }, { codename: 'en' });
      const { fields } = transaction.model.types.find(({ codename }) => codename === 'page')!;
      return {
        text: JSON.stringify(elements),
        stored(element: string) {
          const { id } = fields.find(({ codename }) => codename === element)!.element;
          const value = elements[id];
          return typeof value === 'object' && value !== null && 'html' in value ? value.html : value;
        },
      };
    });
  const isSaved = async () => {
    await page.keyboard.press('Control+s');
    await page.locator('.form-bar').getByText(SAVED).waitFor();
  };
  /** @param make an expression of the page: the pasted text */
  const paste = (kind: 'text/plain' | 'text/html', make: string) =>
    page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData('${kind}', ${make});
      document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    }`);
  const spent = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.reduce(
      (sum, { name, value }) =>
        ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'].includes(name) ? sum + value * 1000 : sum,
      0,
    );
  };
  /** Milliseconds of script, style and layout of a key press where the focus is: the least of five. */
  const keyTime = async () => {
    const times: number[] = [];
    for (let key = 0; key < 5; key += 1) {
      const before = await spent();
      await page.keyboard.press('x');
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
      times.push((await spent()) - before);
    }
    return Math.min(...times);
  };

  longJob(
    'a text that is too large for the editor is edited as markup, and said to be too long',
    async () => {
      const item = await open('Imported', [{ element: { codename: 'body' }, value: '<p>FILLER</p>' }]);
      const filler = 'some words '.repeat(60_000);
      // As an import from an earlier version may have stored it.
      await notes.run(({ tx }) =>
        tx.run(
          `UPDATE version SET elements = replace(elements, 'FILLER', ?) WHERE elements LIKE '%FILLER%'`,
          [filler],
        ),
      );
      await page.reload();
      await page.getByText('too many to be edited as it will look').waitFor();
      const part = (number: number) => field(`Body: markup, part ${number} of 14`);
      await part(2).focus();
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('x');
      await page.keyboard.press('Control+s');
      await page.locator('[data-element=body]').getByText('must not be longer than').waitFor();
      await page.locator('.form-bar').getByText('Your browser keeps a copy').waitFor();
      await page.reload();
      await page
        .getByRole('dialog', { name: 'Changes that were not saved' })
        .getByRole('button', { name: 'Restore them' })
        .click();
      await until(async () => (await part(2).inputValue()).startsWith('x'));
      for (let number = 3; number <= 14; number += 1) await part(number).fill('');
      await part(1).fill('<p>');
      await part(2).fill('Short</p>');
      await isSaved();
      expect((await saved(item)).stored('body')).to.equal('<p>Short</p>');
    },
  );

  job('a kept text that the editor does not know is restored as markup', async () => {
    await open('Kept', [{ element: { codename: 'body' }, value: '<p>Before</p>' }]);
    await page.route('**/manage/**', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await body().focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' torn');
    await page.locator('.form-bar').getByText('Your browser keeps a copy').waitFor();
    const address = page.url();
    await page.goto(`${notes.service.url}/console/projects/${notes.project}/assets`);
    await page.evaluate(`new Promise((resolve) => {
      indexedDB.open('headwater').onsuccess = ({ target }) => {
        const transaction = target.result.transaction('forms', 'readwrite');
        transaction.oncomplete = resolve;
        transaction.objectStore('forms').openCursor().onsuccess = ({ target: { result: cursor } }) => {
          if (!cursor) return;
          const text = JSON.stringify(cursor.value);
          cursor.update(JSON.parse(text.replaceAll('<p>Before torn</p>', '<marquee>Torn</marquee>')));
          cursor.continue();
        };
      };
    })`);
    await page.unroute('**/manage/**');
    await page.goto(address);
    const question = page.getByRole('dialog', { name: 'Changes that were not saved' });
    await question.getByRole('button', { name: 'Restore them' }).click();
    await question.waitFor({ state: 'detached' });
    const markup = page.locator('[data-element=body] textarea');
    await markup.waitFor();
    expect(await markup.inputValue()).to.equal('<marquee>Torn</marquee>');
  });

  job('a text above the limit can be made shorter, and not longer', async () => {
    await open('Too long');
    const summary = field('Summary');
    await page.evaluate(`{
      const area = document.querySelector('[data-element=summary] textarea');
      area.value = 'x'.repeat(200_001);
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }`);
    const size = async () => (await summary.inputValue()).length;
    const refusal = page.locator('[data-element=summary] .notice[role=alert]');
    await summary.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.press('x');
    await refusal.waitFor();
    expect(await size()).to.equal(200_001);
    await page.keyboard.press('Backspace');
    await refusal.waitFor({ state: 'detached' });
    expect(await size()).to.equal(200_000);
    await page.keyboard.press('Enter');
    await refusal.waitFor();
    expect(await size()).to.equal(200_000);
    await summary.fill('Short');
    await isSaved();
  });

  job(`one of ${ROWS ** 2} cells of a table is edited, and no other one changes`, async () => {
    const cells = Array.from({ length: ROWS }, (_, at) => `<td>${at % 2 === 0 ? at % 10 : ''}</td>`).join('');
    const rows = Array.from({ length: ROWS }, () => `<tr>${cells}</tr>`);
    const markup = `<p>Start</p><table><tbody>${rows.join('')}</tbody></table><p>End</p>`;
    const edited = rows.with(ROWS / 2, `<tr>${cells.replace('<td></td>', '<td>xxxxx</td>')}</tr>`);
    const item = await open('Table', [{ element: { codename: 'body' }, value: markup }]);
    await body()
      .locator('tr')
      .nth(ROWS / 2)
      .locator('td')
      .nth(1)
      .click();
    expect(await keyTime()).to.be.below(LONGEST_KEY);
    await isSaved();
    expect((await saved(item)).stored('body')).to.equal(markup.replace(rows.join(''), edited.join('')));
  });

  longJob(`a text with ${CARDS} components is edited, and none of them changes`, async () => {
    const components = Array.from({ length: CARDS }, (_, at) => ({
      id: `10000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      type: { codename: 'quote' },
      elements: [{ element: { codename: 'words' }, value: `Words ${at}` }],
    }));
    const cards = components.map(
      ({ id }) => `<object type="application/service" data-type="component" data-id="${id}"></object>`,
    );
    const markup = `<p>Start</p>${cards.join('')}<p>End</p>`;
    const item = await open('Cards', [{ element: { codename: 'body' }, value: markup, components }]);
    const before = (await saved(item)).text;
    await body().getByText('Start').click();
    await page.keyboard.press('End');
    expect(await keyTime()).to.be.below(LONGEST_KEY);
    await isSaved();
    expect((await saved(item)).text).to.equal(before.replace('<p>Start</p>', '<p>Startxxxxx</p>'));
  });

  longJob(`one of ${LINKS} linked items is removed, and the others stay in their order`, async () => {
    const linked = await notes.run(async (transaction) => {
      const ids: string[] = [];
      for (let at = 0; at < LINKS; at += 1)
        ids.push((await createItem(transaction, { name: `Linked ${at}`, type: { codename: 'page' } })).id);
      return ids;
    });
    const value = linked.map((id) => ({ id }));
    const item = await open('Links', [{ element: { codename: 'related' }, value }]);
    await page.getByRole('button', { name: 'Remove Linked 1', exact: true }).click();
    await field('Title').focus();
    expect(await keyTime()).to.be.below(LONGEST_KEY);
    await isSaved();
    expect((await saved(item)).stored('related')).to.deep.equal(linked.filter((_, at) => at !== 1));
  });

  longJob(
    '5 MB, or a paragraph of 1 MB, are not pasted, which is said, and the text can be edited on',
    async () => {
      const item = await open('Pasted');
      // Paragraphs of 98 characters.
      const lines = `('x'.repeat(98) + '\\n\\n').repeat(50_000)`;
      const refused = (characters: string) =>
        page
          .getByText(new RegExp(`^Nothing was pasted: this text would have ${characters} .* 200,000`))
          .waitFor();
      await body().focus();
      for (const [kind, text, characters] of [
        ['text/plain', lines, '5,000,0\\d\\d'],
        ['text/plain', `'word '.repeat(200_000)`, '1,000,0\\d\\d'],
        ['text/html', `'<p>' + ${lines}.replaceAll('\\n\\n', '</p><p>')`, '[\\d,]{9}'],
        ['text/html', `'<p>' + 'word '.repeat(200_000)`, '1,000,0\\d\\d'],
      ] as const) {
        const before = await spent();
        await paste(kind, text);
        await refused(characters);
        expect((await spent()) - before, `milliseconds for ${kind}`).to.be.below(LONGEST_PASTE);
        await paste('text/html', `'<p>Small</p>'`);
        await page.getByText('Nothing was pasted').waitFor({ state: 'detached' });
      }
      expect(await keyTime()).to.be.below(LONGEST_KEY);
      await isSaved();
      expect((await saved(item)).text)
        .to.contain('Small')
        .and.not.to.match(/xxxxxxx|word/);
    },
  );

  longJob('right-to-left text, combining marks and markup are stored as they were typed', async () => {
    const odd = [
      'שלום עולם – العربية',
      `Z${'\u0351\u036b\u0343'.repeat(500)}algo`,
      '\u202eabc\u202c \u2067x\u2069',
      '👩‍👩‍👧‍👦 e\u0301 é',
      ...HOSTILE_STRINGS.filter((text) => !/\p{Cc}/u.test(text)).slice(0, 20),
    ];
    const item = await open(odd[0] as string);
    await page.getByRole('heading', { name: odd[0] as string }).waitFor();
    await field('Summary').fill(odd.join('\n'));
    await body().focus();
    for (const text of odd) {
      await page.keyboard.insertText(text);
      await page.keyboard.press('Enter');
    }
    const lines = (await body().locator(':scope > p').allTextContents()).filter((line) => line !== '');
    expect(lines).to.deep.equal(odd);
    await isSaved();
    await page.reload();
    await body().waitFor();
    expect(await field('Summary').inputValue()).to.equal(odd.join('\n'));
    expect(
      (await body().locator(':scope > p').allTextContents()).filter((line) => line !== ''),
    ).to.deep.equal(odd);
    expect(item).to.be.a('string');
  });
});
