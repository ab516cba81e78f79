/** The item editor where it is at its limits: six levels of components, a page 320 px wide, sentences of the server in German. */
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { findVariant, upsertVariant } from '../../core/content/variants.ts';
import type { ElementInput } from '../../core/model/inputs.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { NotesService } from '../support/projects/notes-service.ts';

const EN = { codename: 'en' };
/** Spec section 8. */
const LEVELS = 6;
const NARROW = { width: 320, height: 640 };

describe('the item editor at its limits', () => {
  let notes: NotesService;
  let browser: Browser;
  let account: string;
  let page: Page;
  let open: (item: string, options?: BrowserContextOptions) => Promise<void>;
  before(async () => {
    [notes, browser] = await Promise.all([NotesService.start({ unlimited: true }), browserOfProcess()]);
    ({ account } = await signInPerson(notes.service, { name: 'Ada Lovelace', isOperator: true }));
    await notes.run((transaction) =>
      createType(transaction, {
        name: 'Page',
        elements: [
          { type: 'text', name: 'Title', is_required: true },
          { type: 'rich_text', name: 'Body' },
        ],
      }),
    );
  });
  after(async () => {
    await browser?.close();
    await notes?.stop();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    const opened = await pageWithSession(browser, notes.service, account);
    ({ page } = opened);
    open = async (item, { viewport, locale } = {}) => {
      if (viewport) await page.setViewportSize(viewport);
      if (locale === 'de-DE')
        await page
          .context()
          .addCookies([{ name: 'headwater-language', value: 'de', url: `${notes.service.url}/console/` }]);
      await page.goto(`${notes.service.url}/console/projects/${notes.project}/items/${item}?language=en`);
      await page.locator('.form-bar').waitFor();
    };
    return opened;
  });
  const newPage = (name: string, ...elements: ElementInput[]) =>
    notes.run(async (transaction) => {
      const { id } = await createItem(transaction, { name, type: { codename: 'page' } });
      await upsertVariant(transaction, { id }, EN, { elements });
      return id;
    });
  const value = (codename: string, text: string) => ({ element: { codename }, value: text });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const isSaved = () => page.locator('.form-bar').getByText('All changes are saved.').waitFor();

  /** Rich text with a component in it, which has one in it, down to a level. */
  function nested(level: number): ElementInput {
    const id = `00000000-0000-4000-8000-00000000000${level}`;
    const inner = level < LEVELS ? [nested(level + 1)] : [value('body', '<p>The deepest</p>')];
    return {
      ...value(
        'body',
        `<p>Level ${level}</p><object type="application/service" data-type="component" data-id="${id}"></object>`,
      ),
      components: [
        { id, type: { codename: 'page' }, elements: [value('title', `Component ${level}`), ...inner] },
      ],
    };
  }

  longJob(
    'opens components in components, six levels deep, and saves what is typed in the last one',
    async () => {
      const item = await newPage('Deep', value('title', 'Deep'), nested(1));
      await open(item);
      for (let level = 1; level <= LEVELS; level += 1) {
        await page
          .locator('[data-component] > summary')
          .nth(level - 1)
          .click();
        await page.getByRole('textbox', { name: 'Title', exact: true }).nth(level).waitFor();
      }
      const title = page.getByRole('textbox', { name: 'Title', exact: true }).nth(LEVELS);
      expect(await title.inputValue()).to.equal(`Component ${LEVELS}`);
      await title.fill('Changed below');
      // No button is half behind the bar of the form.
      await page.evaluate('scrollBy(0, -64)');
      await isAccessible();
      // No further level is offered there.
      const deepest = page.getByRole('textbox', { name: 'Body', exact: true }).nth(LEVELS);
      await deepest.click();
      const toolbar = page.getByRole('toolbar').nth(LEVELS);
      await toolbar.getByRole('button', { name: 'Link' }).waitFor();
      const more = toolbar.getByRole('button', { name: 'Component' });
      expect(await more.getAttribute('aria-disabled')).to.equal('true');
      await button('Save').click();
      await isSaved();
      const { elements } = await notes.run((transaction) => findVariant(transaction, { id: item }, EN));
      const stored = JSON.stringify(elements);
      expect(stored).to.include('Changed below');
      for (let level = 1; level < LEVELS; level += 1) expect(stored).to.include(`Component ${level}`);
    },
  );

  job('is read, approved and published on a page 320 px wide', async () => {
    const paragraphs = '<p>A paragraph that is longer than a line of a narrow page.</p>'.repeat(5);
    const table = '<table><tbody><tr><td>One</td><td>Two</td><td>Three</td></tr></tbody></table>';
    const item = await newPage('Narrow', value('title', 'Narrow'), value('body', paragraphs + table));
    const fits = async (what: string, isAccessibleIn = isAccessible) => {
      const width = await page.evaluate('document.scrollingElement.scrollWidth');
      expect(width, `width of ${what}`).to.be.at.most(NARROW.width);
      await isAccessibleIn(what);
    };
    await open(item, { viewport: NARROW });
    await page.getByText('A paragraph that is longer').first().waitFor();
    for (const text of ['Title', 'Body'])
      expect(await page.getByRole('textbox', { name: text, exact: true }).getAttribute('lang')).to.equal(
        'en',
      );
    await fits('the form');
    await page.getByRole('button', { name: 'Publish …', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText('1 variant becomes public.').waitFor();
    await fits('the plan', isAccessibleToo);
    await dialog.getByRole('button', { name: 'Publish now' }).click();
    await dialog.getByText('1 variant was published.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await button('Make a new version').waitFor();
    await fits('the public item', isAccessibleToo);
    expect(await notes.published('en')).to.include('narrow');
    await page.goto(`${notes.service.url}/console/projects/${notes.project}/content?text=narrow`);
    await page
      .getByRole('link', { name: 'Narrow', exact: true })
      .and(page.locator(`[href*="${item}"]`))
      .waitFor();
    await fits('the list');
  });

  longJob('says in German what the server finds, and marks what it has no German for', async () => {
    const item = await newPage('Ohne Titel', nested(1));
    await open(item, { locale: 'de-DE' });
    // A screen reader would read both.
    await page.evaluate(`new MutationObserver(() => {
      globalThis.wasEnglish ||= document.body.textContent.includes('A value is required');
    }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
    await page.getByRole('button', { name: 'Veröffentlichen …', exact: true }).click();
    await page.getByRole('dialog').getByText('Ein Wert ist erforderlich.').first().waitFor();
    expect(await page.evaluate('globalThis.wasEnglish ?? false'), 'first shown in English').to.equal(false);
    await isAccessible('the plan');
    await page.keyboard.press('Escape');
    const taken = `taken_${item.slice(0, 8)}`;
    await notes.run((transaction) =>
      createItem(transaction, { name: 'Another page', codename: taken, type: { codename: 'page' } }),
    );
    await page.getByRole('button', { name: 'Name und Ort …' }).click();
    await page.getByRole('dialog').getByLabel('Codename').fill(taken);
    const submit = page.getByRole('dialog').locator('[type=submit]');
    await submit.click();
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.getByText(`Den Codenamen „${taken}“ hat ein anderer Inhalt.`).waitFor();
    // As a core answers that does not know the call.
    await page.route('**/impact', (route) => route.continue({ url: `${route.request().url()}/unknown` }));
    await submit.click();
    await alert.locator('[lang=en]', { hasText: 'There is no' }).waitFor();
    await isAccessible('a refusal');
  });
});
