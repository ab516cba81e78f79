/** Changes of the content model in the browser: with the keyboard only, beside someone else, in both themes and languages. */
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { consoleJobs } from '../support/console-jobs.ts';
import { addOperator, signedInPage } from '../support/console-person.ts';
import { openBrowser } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';

/** Presses of Tab until something has the focus; a type has several buttons for each element. */
const MOST_TABS = 250;

interface Type {
  readonly id: string;
  readonly name: string;
  readonly elements: readonly {
    readonly id: string;
    readonly name: string;
    readonly codename: string;
    readonly maximum_text_length?: object | null;
  }[];
}

describe('the content model in the browser', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), openBrowser()]);
    await addOperator(service);
    ({ page, errors } = await signedInPage(browser, service));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, isAccessible } = consoleJobs(() => ({ page, errors }));
  const press = (key: string) => page.keyboard.press(key);
  const tabTo = async (locator: Locator) => {
    await locator.waitFor();
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      const hasFocus = await locator.evaluate(
        (element: { ownerDocument: { activeElement: unknown } }) =>
          element === element.ownerDocument.activeElement,
      );
      if (hasFocus) return;
      await press('Tab');
    }
    throw new Error(`The focus does not reach ${locator}.`);
  };
  const enter = async (locator: Locator) => {
    await tabTo(locator);
    await press('Enter');
  };
  const type = async (locator: Locator, text: string) => {
    await tabTo(locator);
    await press('Control+a');
    await page.keyboard.type(text);
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  const model = () => service.core.operations.read(service.sample!.projectId, async ({ model }) => model);
  const article = async () =>
    (await model()).typeByCodename.get('article') as unknown as Type & {
      readonly elements: Type['elements'];
    };
  const saveReviewed = async (expected: readonly (string | RegExp)[]) => {
    await press('Control+s');
    for (const text of expected) await dialog().getByText(text).first().waitFor();
    await isAccessible('what saving does');
    await enter(dialog().getByRole('button', { name: 'Save now' }));
    await page.getByText('was saved.').waitFor();
    await page.getByText('Everything is saved.').waitFor();
  };

  job('renames an element that is used everywhere, with the keyboard only', async () => {
    await enter(page.getByRole('navigation').getByRole('link', { name: 'Model' }));
    await heading('Content types').waitFor();
    await enter(page.getByRole('link', { name: 'Article', exact: true }));
    await heading('Article').waitFor();
    const before = await article();
    const title = before.elements.find(({ codename }) => codename === 'title')!;
    await enter(button(`Edit ${title.name}`));
    await type(page.locator('.element-form').getByLabel('Name', { exact: true }), 'Headline');
    await saveReviewed([
      `Element “${title.name}” is now “Headline”.`,
      /items have values in “Headline”/,
      /documents are compiled again/,
      /Which codenames applications request is not recorded/,
    ]);
    const after = (await article()).elements.find(({ id }) => id === title.id)!;
    expect(after).to.include({ name: 'Headline', codename: 'title' });
  });

  job('adds an element with a limit and moves it, with the keyboard only', async () => {
    await tabTo(page.getByLabel('Kind'));
    await enter(button('Add an element'));
    const form = page.locator('.element-form').last();
    await type(form.getByLabel('Name', { exact: true }), 'Byline');
    await tabTo(form.getByLabel('Longest text', { exact: true }));
    await press('ArrowDown');
    await type(form.getByLabel('Longest text: number'), '40');
    await enter(button('Move Byline up'));
    await enter(button('Undo'));
    await enter(button('Redo'));
    await saveReviewed(['Element “Byline” is added.', /“Byline”, Longest text: every item follows it/]);
    const { elements } = await article();
    expect(elements.at(-2)).to.deep.include({
      name: 'Byline',
      codename: 'byline',
      maximum_text_length: { value: 40, applies_to: 'characters' },
    });
    await enter(button('Undo what was saved'));
    await saveReviewed(['Element “Byline” is removed.', /No item has a value in “Byline”/]);
    expect((await article()).elements.map(({ name }) => name)).not.to.include('Byline');
  });

  job('keeps what was typed beside what someone else saved, and says what that is', async () => {
    await button('Edit Headline').click();
    const name = page.locator('.element-form').getByLabel('Name', { exact: true });
    await name.fill('My headline');
    const { id } = await article();
    const { projectId } = service.sample!;
    await service.core.operations.inProject(projectId, null, (transaction) =>
      service.core.operations.modelPatches.apply(transaction, 'type', id, [
        { op: 'addInto', path: '/elements', value: { type: 'number', name: 'Theirs' } },
      ]),
    );
    await button('Save …').click();
    await dialog().getByRole('button', { name: 'Save now' }).click();
    await page.getByText('Element “Theirs” is added.').waitFor();
    await isAccessible('a conflict');
    expect(await name.inputValue()).to.equal('My headline');
    await button('Add my changes to theirs').click();
    await dialog().getByRole('button', { name: 'Save now' }).click();
    await page.getByText('Everything is saved.').waitFor();
    const names = (await article()).elements.map((element) => element.name);
    expect(names).to.include.members(['My headline', 'Theirs']);
    const rows = page.locator('.model-list > li');
    const third = await rows.nth(2).locator('strong').textContent();
    await rows
      .nth(2)
      .locator('.handle')
      .dragTo(rows.first(), { targetPosition: { x: 5, y: 2 } });
    await rows.first().locator('strong', { hasText: third! }).waitFor();
    await button('Undo').first().click();
  });

  job('edits a taxonomy and the sitemap as trees, and languages', async () => {
    const parts = page.getByRole('navigation', { name: 'Parts of the content model' });
    await page.getByRole('navigation').getByRole('link', { name: 'Model' }).click();
    await parts.getByRole('link', { name: 'Taxonomies' }).click();
    await heading('Taxonomies').waitFor();
    const group = (await model()).taxonomies[0]!;
    const [first, second] = group.terms;
    await page.getByRole('link', { name: group.name, exact: true }).click();
    await heading(group.name).waitFor();
    await enter(button(`Move ${second!.name} below the one above`));
    await isAccessible('a taxonomy group');
    await saveReviewed([`Term “${second!.name}” is at another place.`, /items? (are|is)/]);
    const moved = (await model()).taxonomyById.get(group.id)!.terms[0]!;
    expect(moved.id).to.equal(first!.id);
    expect(moved.terms.map(({ id }) => id)).to.include(second!.id);
    await enter(button(`Remove ${first!.name}`));
    await press('Control+s');
    await dialog()
      .getByText(/which is removed/)
      .first()
      .waitFor();
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    // A form that is left without saving has its edits again.
    await parts.getByRole('link', { name: 'Sitemap' }).click();
    await heading('Sitemap').waitFor();
    await page.goBack();
    await heading(group.name).waitFor();
    await button('Undo').click();
    await button(`Remove ${first!.name}`).waitFor();
    await page.getByText('Everything is saved.').waitFor();
    await parts.getByRole('link', { name: 'Sitemap' }).click();
    await heading('Sitemap').waitFor();
    await enter(button('Add a location'));
    await isAccessible('the sitemap');
    await saveReviewed(['Location “New location” is added.']);
    expect((await model()).sitemap.at(-1)).to.include({ name: 'New location', codename: 'new_location' });
    await parts.getByRole('link', { name: 'Languages' }).click();
    await heading('Languages').waitFor();
    const other = (await model()).languages.find(({ isDefault, isActive }) => isActive && !isDefault)!;
    await page.getByRole('button', { name: `Edit ${other.name}`, exact: true }).click();
    await dialog().getByRole('checkbox').uncheck();
    await isAccessible('a language');
    await dialog().getByRole('button', { name: 'Save …' }).click();
    await page.getByText(`Readers of ${other.name} get`).waitFor();
    await isAccessible('what a change of a language does');
    await page.getByRole('button', { name: 'Save now' }).click();
    await page.getByText(`${other.name} was saved.`).waitFor();
    expect((await model()).languageById.get(other.id)).to.include({ isActive: false });
  });

  job('refuses to delete a type in use with the reason, in German and the dark theme', async () => {
    await page.locator('.menu summary').click();
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('navigation').getByRole('link', { name: 'Modell', exact: true }).click();
    await heading('Inhaltstypen').waitFor();
    await isAccessible('content types, dark');
    await page.getByRole('button', { name: 'Article löschen' }).click();
    await dialog()
      .getByText(/still used by/)
      .waitFor();
    expect(await dialog().getByRole('button', { name: 'Löschen', exact: true }).count()).to.equal(0);
    await isAccessible('a refused deletion, dark');
    await press('Escape');
    await page.getByRole('link', { name: 'Inhaltstyp hinzufügen' }).click();
    await page.getByLabel('Art', { exact: true }).selectOption('multiple_choice');
    await button('Element hinzufügen').click();
    await button('Option hinzufügen').click();
    for (const kind of [
      'rich_text',
      'asset',
      'custom',
      'url_slug',
      'snippet',
      'taxonomy',
      'modular_content',
    ]) {
      await page.getByLabel('Art', { exact: true }).selectOption(kind);
      await button('Element hinzufügen').click();
    }
    await button('Gruppe hinzufügen').click();
    await page.getByRole('tab').waitFor();
    await isAccessible('a new type with elements of many kinds, dark');
    for (const part of ['Bausteine', 'Taxonomien', 'Sitemap', 'Sprachen']) {
      await page.getByRole('navigation').getByRole('link', { name: part, exact: true }).click();
      await heading(part).waitFor();
      await page.locator('.loading').waitFor({ state: 'detached' });
      await isAccessible(`${part}, dark`);
    }
  });
});
