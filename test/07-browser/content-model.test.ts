/** Changes of the content model in the browser: with the keyboard only, beside someone else, in both themes and languages. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createProject } from '../../core/access/projects.ts';
import { createItem } from '../../core/content/items.ts';
import { createLanguage } from '../../core/content/languages.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { publishVariant } from '../../core/publishing/publish.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { Keyboard } from '../support/browser/keyboard.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

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
  let keys: Keyboard;
  let operator: string;
  /** Of the job. */
  let project: string;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), browserOfProcess()]);
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
  /** A project that no other job acts on: a type with two published items, a taxonomy group, two languages. */
  const newProject = async () => {
    const { operations } = service.core;
    const language = { name: 'English', codename: 'en' };
    const { id } = await operations.installation(null, (to) =>
      createProject(to, { name: 'Harbour', default_language: language }),
    );
    await operations.inProject(id, null, async (transaction) => {
      await createLanguage(transaction, { name: 'German', codename: 'de' });
      const terms = ['Birds', 'Boats', 'Rivers'].map((name) => ({ name, terms: [] }));
      await createTaxonomy(transaction, { name: 'Topics', terms });
      await createType(transaction, {
        name: 'Article',
        elements: [
          { type: 'text', name: 'Title' },
          { type: 'rich_text', name: 'Body' },
          { type: 'taxonomy', name: 'Topic', taxonomy_group: { codename: 'topics' } },
        ],
      });
      for (const name of ['Herons', 'Ferries']) {
        const item = await createItem(transaction, { name, type: { codename: 'article' } });
        const elements = [
          { element: { codename: 'title' }, value: name },
          { element: { codename: 'topic' }, value: [{ codename: 'boats' }] },
        ];
        await upsertVariant(transaction, { id: item.id }, language, { elements });
        await publishVariant(transaction, { id: item.id }, language);
      }
    });
    return id;
  };
  /** Opens a screen of the model in a new project. */
  const open = async (path: (model: Awaited<ReturnType<typeof modelOf>>) => string, title: string) => {
    project = await newProject();
    await page.goto(`${service.url}/console/projects/${project}/${path(await modelOf())}`);
    await heading(title).waitFor();
  };
  const openArticle = () =>
    open(({ typeByCodename }) => `types/${typeByCodename.get('article')!.id}`, 'Article');
  const press = (key: string) => page.keyboard.press(key);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  const modelOf = () => service.core.operations.read(project, async ({ model }) => model);
  const article = async () =>
    (await modelOf()).typeByCodename.get('article') as unknown as Type & {
      readonly elements: Type['elements'];
    };
  const saveReviewed = async (expected: readonly (string | RegExp)[], isExamined = false) => {
    await press('Control+s');
    for (const text of expected) await dialog().getByText(text).first().waitFor();
    if (isExamined) await isAccessible('what saving does');
    await keys.press(dialog().getByRole('button', { name: 'Save now' }));
    // What is said once the object is saved outlasts the dialog, which closes when it was read again.
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('was saved.').waitFor();
    await page.getByText('Everything is saved.').waitFor();
  };

  job('renames an element that is used everywhere, with the keyboard only', async () => {
    project = await newProject();
    await page.goto(`${service.url}/console/projects/${project}/home`);
    await keys.press(page.getByRole('navigation').getByRole('link', { name: 'Model' }));
    await heading('Content types').waitFor();
    await keys.press(page.getByRole('link', { name: 'Article', exact: true }));
    await heading('Article').waitFor();
    const before = await article();
    const title = before.elements.find(({ codename }) => codename === 'title')!;
    await keys.press(button(`Edit ${title.name}`));
    await keys.type(page.locator('.element-form').getByLabel('Name', { exact: true }), 'Headline', true);
    const consequences = [
      `Element “${title.name}” is now “Headline”.`,
      /items have values in “Headline”/,
      /documents are compiled again/,
      /Which codenames applications request is not recorded/,
    ];
    await saveReviewed(consequences, true);
    const after = (await article()).elements.find(({ id }) => id === title.id)!;
    expect(after).to.include({ name: 'Headline', codename: 'title' });
  });

  longJob('adds an element with a limit and moves it, with the keyboard only', async () => {
    await openArticle();
    await keys.to(page.getByLabel('Kind'));
    await keys.press(button('Add an element'));
    const form = page.locator('.element-form').last();
    await keys.type(form.getByLabel('Name', { exact: true }), 'Byline', true);
    await keys.to(form.getByLabel('Longest text', { exact: true }));
    await press('ArrowDown');
    await keys.type(form.getByLabel('Longest text: number'), '40', true);
    await keys.press(button('Move Byline up'));
    await keys.press(button('Undo'));
    await keys.press(button('Redo'));
    await saveReviewed(['Element “Byline” is added.', /“Byline”, Longest text: every item follows it/]);
    const { elements } = await article();
    expect(elements.at(-2)).to.deep.include({
      name: 'Byline',
      codename: 'byline',
      maximum_text_length: { value: 40, applies_to: 'characters' },
    });
    await keys.press(button('Undo what was saved'));
    await saveReviewed(['Element “Byline” is removed.', /No item has a value in “Byline”/]);
    expect((await article()).elements.map(({ name }) => name)).not.to.include('Byline');
  });

  longJob('says where a group is moved, and removes one by a key that is held down', async () => {
    await openArticle();
    for (const name of ['First', 'Second']) {
      await keys.press(button('Add a group'));
      await keys.type(
        page.getByRole('group', { name: 'Group' }).getByLabel('Name', { exact: true }),
        name,
        true,
      );
    }
    await keys.press(button('Move Second up'));
    await page.getByText('Second is at 1 of 2.').waitFor();
    await keys.press(button('Remove Second'));
    await press('Enter');
    expect(await page.getByRole('tab').allInnerTexts()).to.deep.equal(['First']);
    expect(await page.evaluate('document.activeElement.tagName'), 'no button').to.equal('FORM');
  });

  longJob('names the element of each rule that refuses a save', async () => {
    const addChoice = async (name: string) => {
      await page.getByLabel('Kind').selectOption('Multiple choice');
      await button('Add an element').click();
      await page.locator('.element-form').last().getByLabel('Name', { exact: true }).fill(name);
    };
    const refused = (name: string) => `“${name}”: A multiple choice needs at least one option.`;
    await open(() => 'types/new', 'New content type');
    await page.getByLabel('Name', { exact: true }).fill('Sail');
    await addChoice('Colour');
    await addChoice('Cloth');
    await press('Control+s');
    await page
      .getByRole('alert')
      .getByText(`${refused('Colour')} ${refused('Cloth')}`)
      .waitFor();
    await openArticle();
    await addChoice('Season');
    await press('Control+s');
    await dialog().getByRole('alert').getByText(refused('Season'), { exact: true }).waitFor();
  });

  longJob('keeps what was typed beside what someone else saved, and says what that is', async () => {
    await openArticle();
    await button('Edit Title').click();
    const name = page.locator('.element-form').getByLabel('Name', { exact: true });
    await name.fill('My headline');
    const { id } = await article();
    await service.core.operations.inProject(project, null, (transaction) =>
      service.core.operations.modelPatches.apply(transaction, 'type', id, [
        { op: 'addInto', path: '/elements', value: { type: 'number', name: 'Theirs' } },
      ]),
    );
    await button('Save …').click();
    await dialog().getByRole('button', { name: 'Save now' }).click();
    await page.getByText('Element “Theirs” is added.').waitFor();
    await isAccessibleToo('a conflict');
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

  job('edits a taxonomy as a tree, and keeps what was edited where the form is left', async () => {
    await open(({ taxonomies }) => `taxonomies/${taxonomies[0]!.id}`, 'Topics');
    const parts = page.getByRole('navigation', { name: 'Parts of the content model' });
    const group = (await modelOf()).taxonomies[0]!;
    const [first, second] = group.terms;
    const inward = `Move ${second!.name} below the one above`;
    await keys.press(button(inward));
    await isAccessible('a taxonomy group');
    expect(await page.evaluate('document.activeElement.ariaLabel')).to.equal(inward);
    await saveReviewed([`Term “${second!.name}” is at another place.`, /items? (are|is)/]);
    const moved = (await modelOf()).taxonomyById.get(group.id)!.terms[0]!;
    expect(moved.id).to.equal(first!.id);
    expect(moved.terms.map(({ id }) => id)).to.include(second!.id);
    await keys.press(button(`Remove ${first!.name}`));
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
    await button('Add a location').waitFor();
    await isAccessible('the sitemap');
    await page.goBack();
    await heading(group.name).waitFor();
    await button('Undo').click();
    await button(`Remove ${first!.name}`).waitFor();
    await page.getByText('Everything is saved.').waitFor();
  });

  longJob('searches many types, also when there are few of them left', async () => {
    project = await newProject();
    await service.core.operations.inProject(project, null, async (transaction) => {
      for (let number = 1; number <= 12; number++)
        await createType(transaction, { name: `Type ${number}`, elements: [] });
    });
    await page.goto(`${service.url}/console/projects/${project}/types`);
    const search = page.getByLabel('Search', { exact: true });
    await search.fill('TYPE 12');
    await page.getByText('Type 11').waitFor({ state: 'detached' });
    await button('Delete Type 12').click();
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Nothing has this text in its name.').waitFor();
    await search.fill('');
    await page.getByText('Type 11').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Snippets' }).click();
    await page.getByText('There is none yet.').waitFor();
    expect(await search.count()).to.equal(0);
  });

  longJob('edits the sitemap as a tree', async () => {
    await open(() => 'sitemap', 'Sitemap');
    await keys.press(button('Add a location'));
    await isAccessible('the sitemap');
    await saveReviewed(['Location “New location” is added.']);
    expect((await modelOf()).sitemap.at(-1)).to.include({ name: 'New location', codename: 'new_location' });
  });

  job('changes a language after it has said what readers get', async () => {
    await open(() => 'languages', 'Languages');
    const other = (await modelOf()).languages.find(({ isDefault, isActive }) => isActive && !isDefault)!;
    await page.getByRole('button', { name: `Edit ${other.name}`, exact: true }).click();
    await dialog().getByRole('checkbox').uncheck();
    await isAccessible('a language');
    await dialog().getByRole('button', { name: 'Save …' }).click();
    await page.getByText(`Readers of ${other.name} get`).waitFor();
    await isAccessibleToo('what a change of a language does');
    await page.getByRole('button', { name: 'Save now' }).click();
    await page.getByText(`${other.name} was saved.`).waitFor();
    expect((await modelOf()).languageById.get(other.id)).to.include({ isActive: false });
  });

  job('refuses to delete a type in use with the reason, in German and the dark theme', async () => {
    project = service.sample!.projectId;
    await page.goto(`${service.url}/console/projects/${project}/types`);
    await page.locator('.menu summary').click();
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('navigation').getByRole('link', { name: 'Modell', exact: true }).click();
    await heading('Inhaltstypen').waitFor();
    expect(await page.locator('.menu[open]').count(), 'a menu over the screen').to.equal(0);
    await page.locator('.menu summary').click();
    await press('Tab');
    await press('Escape');
    expect(await page.locator('.menu:not([open]) summary:focus').count()).to.equal(1);
    await press('Enter');
    await page.locator('.menu[open]').waitFor();
    await press('Shift+Tab');
    expect(await page.locator('.menu[open]').count(), 'a menu that has lost the focus').to.equal(0);
    await isAccessible('content types, dark');
    await page.getByRole('button', { name: 'Article löschen' }).click();
    await dialog()
      .getByText(/verwenden den Typ noch/)
      .waitFor();
    expect(await dialog().getByRole('button', { name: 'Löschen', exact: true }).count()).to.equal(0);
    await isAccessibleToo('a refused deletion, dark');
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
  });

  // In `accessibility`, with every other screen.
  longJob('has accessible screens in German and the dark theme', async () => {
    await page.goto(`${service.url}/console/projects/${service.sample!.projectId}/types`);
    await page.locator('.menu summary').click();
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByLabel('Language').selectOption('de');
    for (const part of ['Bausteine', 'Taxonomien', 'Sitemap', 'Sprachen']) {
      await page.getByRole('navigation').getByRole('link', { name: part, exact: true }).click();
      await heading(part).waitFor();
      await page.locator('.loading').waitFor({ state: 'detached' });
      await isAccessible(`${part}, dark`);
    }
  });
});
