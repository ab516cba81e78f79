/**
 * Nothing is lost in real browsers: three people on one variant, one of them in two tabs, a program that writes it, and no
 * connection for a while.
 * `04-api/console-nothing-lost` has more kinds of faults and more sequences, with the code of the form and no browser.
 */

import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { findVariant, upsertVariant } from '../../core/content/variants.ts';
import { addOperator } from '../support/browser/console-person.ts';
import { openBrowser, withScreenshot } from '../support/browser/open-browser.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { NotesService } from '../support/projects/notes-service.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { until } from '../support/until.ts';

const SEEDS = testSeeds(isLongForm ? 500 : 1);
/**
 * A sequence mostly waits, for what the form saves by itself; four at once take a quarter more CPU, and end hardly sooner. For
 * the few of the short form, two would open pages twice.
 */
const AT_ONCE = isLongForm ? 2 : 1;
/** Of sequences in which nobody presses *Save*. */
const UNPRESSED = 0.15;
const STEPS = isLongForm ? 12 : 6;
const EN = { codename: 'en' };
/** What pages report about a connection that was cut, and about answers that they show. */
const EXPECTED_ERROR = /Failed to load resource|ERR_|Failed to fetch/;
const SAVED = 'All changes are saved.';

describe('what three people and a program write into one item', function () {
  // The browsers and their pages are opened once.
  this.timeout(300_000 + SEEDS.length * 60_000);
  let notes: NotesService;
  /** The first person has one of their own. */
  const browsers: Browser[] = [];
  /** Of three people. */
  let accounts: readonly string[];
  before(async () => {
    notes = await NotesService.start({ unlimited: true });
    const others = ['Grace', 'Edsger'].map((name) =>
      signInPerson(notes.service, { name, isOperator: true }).then(({ account }) => account),
    );
    accounts = await Promise.all([addOperator(notes.service), ...others]);
    await notes.run((transaction) =>
      createType(transaction, {
        name: 'Page',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'text', name: 'Summary' },
        ],
      }),
    );
  });
  after(async () => {
    await Promise.all(browsers.map((browser) => browser.close()));
    await notes?.stop();
  });
  const field = (name: string, on: Page) => on.getByRole('textbox', { name, exact: true });
  const button = (name: string, on: Page) => on.getByRole('button', { name, exact: true });
  const stateOf = (on: Page) => on.locator('.form-bar');
  const storedTexts = (item: string): Promise<string[]> =>
    notes.run(async (transaction) => {
      const { elements } = await findVariant(transaction, { id: item }, EN);
      return Object.values(elements).map((value) => String(value ?? ''));
    });

  it(`is stored, shown as a choice or was chosen away, in ${SEEDS.length} sequences`, async () => {
    const waiting = [...SEEDS];
    const failures: string[] = [];
    const work = async () => {
      let people: People | undefined;
      for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift())
        try {
          people ??= await openPeople();
          await sequence(seed, people);
        } catch (error) {
          const failure = `HEADWATER_TEST_SEED=${seed}: ${(error as Error).stack}`;
          failures.push(failure);
          // A long run may end before its report.
          if (isLongForm) console.error(failure);
          await people?.close();
          people = undefined;
        }
      await people?.close();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(failures.join('\n')).to.equal('');
  });

  interface People {
    /** One of each person, and a second tab of the first one. */
    readonly pages: readonly Page[];
    readonly errors: string[];
    close(): Promise<void>;
  }

  const opening: (Promise<Browser> | undefined)[] = [];
  /** Another one in place of one that has died. */
  async function browserAt(index: number): Promise<Browser> {
    opening[index] ??= openBrowser().then((browser) => {
      browsers.push(browser);
      return browser;
    });
    const browser = await opening[index];
    if (browser.isConnected()) return browser;
    opening[index] = undefined;
    return browserAt(index);
  }

  /** They work on many items, one after the other: that costs less than to open pages. */
  async function openPeople(): Promise<People> {
    const opened = await Promise.all(
      accounts.map(async (account, index) =>
        pageWithSession(await browserAt(Math.min(index, 1)), notes.service, account),
      ),
    );
    const pages = opened.map(({ page }) => page);
    pages.push(await pages[0]!.context().newPage());
    const errors: string[] = [];
    for (const [index, page] of pages.entries()) {
      page.on('pageerror', (error) => errors.push(`page ${index}: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(`page ${index}: ${message.text()}`);
      });
      await page.goto(`${notes.service.url}/console/projects/${notes.project}/calendar`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    return {
      pages,
      errors,
      close: async () => {
        // That of a browser which has died is closed.
        await Promise.all(
          pages.slice(0, 3).map((page) =>
            page
              .context()
              .close()
              .catch(() => undefined),
          ),
        );
      },
    };
  }

  async function sequence(seed: number, { pages, errors }: People): Promise<void> {
    const item = await notes.run(async (transaction) => {
      const { id } = await createItem(transaction, { name: `Sequence ${seed}`, type: { codename: 'page' } });
      await upsertVariant(transaction, { id }, EN, { elements: [] });
      return id;
    });
    await withScreenshot(pages[0]!, `seed-${seed}`, () => typeAndSave(seed, item, pages));
    expect(errors.filter((error) => !EXPECTED_ERROR.test(error))).to.deep.equal([]);
  }

  async function typeAndSave(seed: number, item: string, pages: readonly Page[]): Promise<void> {
    const random = new Random(seed);
    await Promise.all(
      pages.map(async (one) => {
        const path = `/console/projects/${notes.project}/items/${item}?language=en`;
        // As a link does: a page that is loaded costs four times as much.
        await one.evaluate(`history.pushState(null, '', '${path}')`);
        await one.getByRole('heading', { name: `Sequence ${seed}`, exact: true }).waitFor();
        await field('Title', one).waitFor();
      }),
    );
    const typed: string[] = [];
    const chosenAway = new Set<string>();
    const isPressed = !random.chance(UNPRESSED);
    const saveAll = async () => {
      if (isPressed) await Promise.all(pages.map((each) => button('Save', each).click()));
    };
    /** What another page saves meanwhile would change what a choice is between. */
    const saved = () =>
      Promise.all(
        pages.map((each) => stateOf(each).getByText(SAVED).or(button('Mine', each)).first().waitFor()),
      );
    const settle = async (one: Page) => {
      // Else the form saves by itself, after two seconds.
      if (random.chance(0.7)) await saveAll();
      for (;;) {
        await saved();
        const open = one.locator('[data-element]', { has: button('Mine', one) }).first();
        if ((await open.count()) === 0) return;
        // A choice may appear above it meanwhile.
        const element = one.locator(`[data-element=${await open.getAttribute('data-element')}]`);
        const mine = await element.locator('textarea').inputValue();
        let theirs = '';
        await until(async () => {
          theirs = (await element.locator('.their-text').textContent()) ?? '';
          return (await storedTexts(item)).includes(theirs);
        });
        const isMine = random.chance(0.5);
        const [kept, dropped] = isMine ? [mine, theirs] : [theirs, mine];
        for (const word of dropped.split(' ')) chosenAway.add(word);
        for (const word of kept.split(' ')) chosenAway.delete(word);
        await element.getByRole('button', { name: isMine ? 'Mine' : 'Theirs', exact: true }).click();
        if (isPressed) await button('Save', one).click();
      }
    };
    /** By keys, or as a paste does. */
    const type = async (into: Locator, text: string) => {
      if (random.chance(0.5)) return into.pressSequentially(text);
      await into.focus();
      await into.page().keyboard.insertText(text);
    };
    for (let step = 0; step < STEPS; step += 1) {
      const one = random.pick(pages);
      const [name, codename] = random.pick([
        ['Title', 'title'],
        ['Summary', 'summary'],
      ] as const);
      const word = `w${seed}x${step}`;
      const what = random.next();
      if (what < 0.15) {
        await one.context().setOffline(true);
        await type(field(name, one), ` ${word}`);
        if (isPressed) await button('Save', one).click();
        // Where a choice is open in the element, it is not sent.
        const choice = one
          .locator(`[data-element=${codename}]`)
          .getByRole('button', { name: 'Mine', exact: true });
        await one
          .getByText(/There is no connection/)
          .or(choice)
          .first()
          .waitFor();
        await one.context().setOffline(false);
      } else if (what < 0.3) {
        await notes.run(async (transaction) => {
          const { elements, item: found } = await findVariant(transaction, { id: item }, EN);
          const before = elements[found.type.fieldByCodename.get(codename)!.element.id] ?? '';
          const value = `${before} ${word}`;
          await upsertVariant(transaction, { id: item }, EN, {
            elements: [{ element: { codename }, value }],
          });
        });
      } else await type(field(name, one), ` ${word}`);
      typed.push(word);
      if (random.chance(0.3)) await settle(one);
    }
    // Until no page has a choice.
    for (;;) {
      await saveAll();
      await saved();
      const open = await Promise.all(pages.map((each) => button('Mine', each).count()));
      const one = pages.find((_, index) => open[index]! > 0);
      if (!one) break;
      await settle(one);
    }
    const words = new Set((await storedTexts(item)).join(' ').split(/\s+/));
    expect(typed.filter((word) => !words.has(word) && !chosenAway.has(word))).to.deep.equal([]);
    expect([...chosenAway].filter((word) => word !== '' && words.has(word))).to.deep.equal([]);
    for (const one of pages)
      await until(async () => {
        const shown = await Promise.all(['Title', 'Summary'].map((name) => field(name, one).inputValue()));
        return (await storedTexts(item)).every((text) => text === '' || shown.includes(text));
      });
  }
});
