/**
 * Nothing is lost in real browsers: three people on one variant, one of them in two tabs, a program that writes it, and no
 * connection for a while.
 * `04-api/console-nothing-lost` has more kinds of faults and more sequences, with the code of the form and no browser.
 */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { findVariant, upsertVariant } from '../../core/content/variants.ts';
import { pageWithSession, signInPerson } from '../support/console-people.ts';
import { addOperator } from '../support/console-person.ts';
import { NotesService } from '../support/notes-service.ts';
import { openBrowser, withScreenshot } from '../support/open-browser.ts';
import { Random } from '../support/random/random.ts';
import { testSeeds } from '../support/random/test-seed.ts';
import { until } from '../support/until.ts';

const SEQUENCES = process.env['HEADWATER_TEST_LONG'] ? 100 : 4;
/** A sequence mostly waits, for what the form saves by itself. */
const AT_ONCE = 4;
const STEPS = process.env['HEADWATER_TEST_LONG'] ? 12 : 8;
const EN = { codename: 'en' };
const SAVED = 'All changes are saved.';

describe('what three people and a program write into one item', function () {
  this.timeout(SEQUENCES * 60_000);
  let notes: NotesService;
  let browser: Browser;
  /** Of three people. */
  let accounts: readonly string[];
  before(async () => {
    [notes, browser] = await Promise.all([NotesService.start({ unlimited: true }), openBrowser()]);
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
    await browser?.close();
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

  it(`is stored, shown as a choice or was chosen away, in ${SEQUENCES} sequences`, async () => {
    const waiting = testSeeds(SEQUENCES);
    const failures: string[] = [];
    const work = async () => {
      let people = await openPeople();
      for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift())
        try {
          await sequence(seed, people);
        } catch (error) {
          failures.push(`HEADWATER_TEST_SEED=${seed}: ${(error as Error).stack}`);
          await people.close();
          people = await openPeople();
        }
      await people.close();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(failures.join('\n')).to.equal('');
  });

  /** Browsers serve many sequences: one costs less than to open them. */
  async function openPeople() {
    const opened = await Promise.all(
      accounts.map((account) => pageWithSession(browser, notes.service, account)),
    );
    const pages = opened.map(({ page }) => page);
    // The first person has a second tab.
    pages.push(await pages[0]!.context().newPage());
    return {
      opened,
      pages,
      close: () => Promise.all(opened.map(({ page }) => page.context().close())),
    };
  }

  async function sequence(
    seed: number,
    { opened, pages }: Awaited<ReturnType<typeof openPeople>>,
  ): Promise<void> {
    const item = await notes.run(async (transaction) => {
      const { id } = await createItem(transaction, { name: `Sequence ${seed}`, type: { codename: 'page' } });
      await upsertVariant(transaction, { id }, EN, { elements: [] });
      return id;
    });
    await withScreenshot(pages[0]!, `seed-${seed}`, () => typeAndSave(seed, item, pages));
    for (const { errors } of opened)
      expect(errors.filter((error) => !/ERR_|Failed to fetch/.test(error))).to.deep.equal([]);
  }

  async function typeAndSave(seed: number, item: string, pages: readonly Page[]): Promise<void> {
    const random = new Random(seed);
    await Promise.all(
      pages.map(async (one) => {
        await one.goto(`${notes.service.url}/console/projects/${notes.project}/items/${item}?language=en`);
        await field('Title', one).waitFor();
      }),
    );
    const typed: string[] = [];
    const chosenAway = new Set<string>();
    const settle = async (one: Page) => {
      // Else the form saves by itself, after two seconds.
      if (random.chance(0.7)) for (const each of pages) await button('Save', each).click();
      for (;;) {
        // What another page saves meanwhile would change what the choice is between.
        for (const each of pages)
          await stateOf(each).getByText(SAVED).or(button('Mine', each)).first().waitFor();
        const choice = button('Mine', one).first();
        if ((await choice.count()) === 0) return;
        const element = one.locator('[data-element]', { has: choice }).first();
        const mine = await element.locator('textarea').inputValue();
        let theirs = '';
        await until(async () => {
          theirs = (await element.locator('.kept').textContent()) ?? '';
          return (await storedTexts(item)).some((text) => text.trim() === theirs);
        });
        const isMine = random.chance(0.5);
        const [kept, dropped] = isMine ? [mine, theirs] : [theirs, mine];
        for (const word of dropped.split(' ')) chosenAway.add(word);
        for (const word of kept.split(' ')) chosenAway.delete(word);
        await button(isMine ? 'Mine' : 'Theirs', one)
          .first()
          .click();
        await button('Save', one).click();
      }
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
        await field(name, one).pressSequentially(` ${word}`);
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
      } else await field(name, one).pressSequentially(` ${word}`);
      typed.push(word);
      if (random.chance(0.3)) await settle(one);
    }
    for (const one of [...pages, ...pages]) {
      await button('Save', one).click();
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
