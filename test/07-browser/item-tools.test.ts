/** What stands beside the form of an item, in a real browser: preview, site, other languages, pickers, custom elements. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { createRole, type RoleInput } from '../../core/access/roles.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import type { ManagedVariant } from '../../plugins/console/app/screens/item/managed.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { PERSON } from '../support/browser/console-person.ts';
import { closeDialog } from '../support/browser/dialogs-of-screen.ts';
import { Keyboard } from '../support/browser/keyboard.ts';
import type { ConsoleBrowser } from '../support/console/console-browser.ts';
import { pageWithSession, signInPerson, useSession } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

/** Pages of another origin by path; `requested` has every path that was asked for. */
class OtherSite {
  readonly pages = new Map<string, string>();
  readonly requested: string[] = [];
  readonly #server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    this.requested.push(path);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(this.pages.get(path) ?? `<!doctype html><title>Page</title><h1>${path}</h1>`);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** @param host `localhost`, or `127.0.0.1`, which is another origin */
  url(path: string, host = 'localhost'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const scripted = (
  script: string,
  console: string,
) => `<!doctype html><meta charset="utf-8"><title>Element</title>
<label>Colour <input id="colour"></label> <button id="pick">Pick items</button> <output id="out"></output>
<script src="${console}/custom-element.js"></script><script>${script}</script>`;

const ELEMENT = `CustomElement.init((element, context) => {
  colour.value = element.value ?? '';
  colour.disabled = element.disabled;
  out.textContent = JSON.stringify([element.config, context.variant.codename, context.item.name]);
  CustomElement.setHeight(180);
  CustomElement.onDisabledChanged((isDisabled) => { colour.disabled = isDisabled; });
  colour.oninput = () => CustomElement.setValue(colour.value);
  CustomElement.observeElementChanges(['title'], () =>
    CustomElement.getElementValue('title', (value) => { out.textContent = value; }));
  pick.onclick = async () => {
    const picked = await CustomElement.selectItems({ allowMultiple: true });
    const details = await CustomElement.getItemDetails((picked ?? []).map(({ id }) => id));
    CustomElement.setValue(details.map(({ name }) => name).join(' + '));
  };
});`;

type Values = Readonly<
  Record<string, string | readonly ({ readonly id: string } | { readonly external_id: string })[]>
>;

interface Made {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
}

describe('the tools of the item editor', () => {
  const site = new OtherSite();
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: string[];
  let project: string;
  let account: string;
  /** Another person, who works beside the page. */
  let other: ConsoleBrowser;
  let items = 0;
  let wheel: Made;
  before(async () => {
    [service, browser] = await Promise.all([
      startService({ sample: true }),
      browserOfProcess(),
      site.start(),
    ]);
    project = service.sample!.projectId;
    ({ account } = await signInPerson(service, { name: PERSON.name, isOperator: true }));
    ({ browser: other } = await signInPerson(service, { name: 'Other', isOperator: true }));
    site.pages.set('/element', scripted(ELEMENT, `${service.url}/console`));
    const custom = (name: string, path: string) => ({
      type: 'custom',
      name,
      source_url: site.url(path),
      json_parameters: '{"palette":3}',
    });
    const title = { type: 'text', name: 'Title', external_id: 'title' };
    await api('POST', 'types', { name: 'Part', elements: [title] });
    await api('POST', 'types', {
      name: 'Toy',
      elements: [
        title,
        { type: 'url_slug', name: 'Slug', depends_on: { element: { external_id: 'title' } } },
        custom('Colour', '/element'),
        {
          type: 'modular_content',
          name: 'Related',
          allowed_content_types: [{ codename: 'part' }, { codename: 'article' }],
          item_count_limit: { value: 4, condition: 'at_most' },
        },
      ],
    });
    await api('POST', 'types', {
      name: 'Trap',
      elements: [title, custom('Flood', '/flood'), custom('Escape', '/escape')],
    });
    wheel = await make('part', 'Wheel', { en: { title: 'Wheel' } });
  });
  after(async () => {
    await browser.close();
    await Promise.all([service.stop(), site.stop()]);
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, account);
    ({ page } = opened);
    errors = opened.errors as string[];
    return opened;
  });
  async function api<T>(
    method: string,
    path: string,
    body?: unknown,
    surface: 'admin' | 'manage' = 'manage',
  ): Promise<T> {
    const answer = await other.request<T>(method, `${surface}/projects/${project}/${path}`, body);
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.lessThan(300);
    return answer.body;
  }
  const elementsOf = (values: Values) =>
    Object.entries(values).map(([codename, value]) => ({ element: { codename }, value }));
  /** @param languages values of the drafts by codename of their element */
  const make = async (type: string, name: string, languages: Readonly<Record<string, Values>>) => {
    const made = await api<Made>('POST', 'items', { name, type: { codename: type } });
    // By another one than the person who changes them: versions of one sitting become one.
    for (const [codename, values] of Object.entries(languages))
      await service.core.operations.inProject(project, null, (transaction) =>
        upsertVariant(transaction, { id: made.id }, { codename }, { elements: elementsOf(values) }),
      );
    return made;
  };
  /** A toy with drafts in both languages. The name of no other item is the same. */
  const robot = (values: Values = {}) => {
    items += 1;
    return make('toy', `Robot ${items}`, {
      en: { title: 'A small red robot', ...values },
      de: { title: 'Ein Roboter' },
    });
  };
  /** Signs in a person with a role of its own, which has limits. */
  const become = async (permissions: readonly string[], limits: RoleInput['limits']) => {
    const name = `Role ${items}`;
    const { id } = await service.core.operations.installation(null, (to) =>
      createRole(to, { codename: `role_${items}`, name, permissions, limits }),
    );
    const person = { name: `Grace ${items}`, projects: [{ id: project, roles: [id] }] };
    await useSession(page, service, await signInPerson(service, person));
  };
  const open = async ({ id, name }: Made, language: string, more = '') => {
    await page.goto(`${service.url}/console/projects/${project}/items/${id}?language=${language}${more}`);
    await page.getByRole('heading', { name }).waitFor();
    await field('Title').waitFor();
  };
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const framed = (title: string): FrameLocator =>
    page.frameLocator(`iframe[title="${title}"]`).frameLocator('iframe');
  const TOY = ['title', 'slug', 'colour', 'related'];
  const saved = async ({ id }: Made, language: string, names = TOY) => {
    const { elements } = await api<{ elements: { value: unknown }[] }>(
      'GET',
      `items/${id}/variants/codename/${language}`,
    );
    return Object.fromEntries(elements.map(({ value }, index) => [names[index], value]));
  };
  /** Saves, and waits until the server has it. */
  const save = async () => {
    await field('Title').press('Control+s');
    await page.locator('.form-bar').getByText('All changes are saved.').waitFor();
  };
  /** What a page sets arrives some time later. */
  const isSaved = (item: Made, element: string, value: string) =>
    until(async () => {
      await save();
      return (await saved(item, 'en'))[element] === value;
    });

  /** Searches in the dialog, and picks the first entry with a name from what was found. */
  const pick = async (search: string, name: string | RegExp) => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Search').fill(search);
    const found = dialog.locator('.picker[aria-busy=false]').getByRole('button', { name });
    await found.first().click();
  };

  job('run the page of a custom element in a frame, with the global that such pages know', async () => {
    const item = await robot();
    const kite = await make('part', `Kite ${items}`, { en: { title: 'Kite' } });
    await open(item, 'en');
    const frame = framed('Colour');
    await frame.getByText(`[{"palette":3},"en","${item.name}"]`).waitFor();
    await page.waitForFunction('document.querySelector("iframe[title=Colour]").height === "180"');
    await field('Title').fill('A small blue robot');
    await frame.getByText('A small blue robot').waitFor();
    await frame.getByLabel('Colour').fill('#ff0000');
    await isSaved(item, 'colour', '#ff0000');
    await frame.getByRole('button', { name: 'Pick items' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose an item' });
    await pick(kite.name.toLowerCase(), kite.name);
    await dialog.getByRole('button', { name: 'Add 1' }).click();
    await isSaved(item, 'colour', kite.name);
    await isAccessibleToo();
  });

  job('contain a page that floods messages, grows, or tries to leave its frame', async () => {
    site.pages.set(
      '/flood',
      `<!doctype html><title>Flood</title><script>
        setInterval(() => {
          for (let count = 0; count < 1000; count++)
            top.postMessage({ customElement: 1, kind: 'height', height: 1e9 }, '*');
          top.postMessage({ customElement: 1, kind: 'value', value: 'x'.repeat(5e5) }, '*');
        }, 1);
      </script>`,
    );
    site.pages.set(
      '/escape',
      `<!doctype html><title>Escape</title><body><script>
        const left = ${JSON.stringify(site.url('/left', '127.0.0.1'))};
        for (const act of [
          () => { top.location = left; },
          () => { parent.location = left; },
          () => open(left),
          () => alert('left'),
          () => { top.document.body.remove(); },
          () => { parent.frames[0].parent.document.cookie; },
          () => {
            const link = document.createElement('a');
            link.href = left;
            link.target = '_top';
            document.body.append(link);
            link.click();
          },
          () => { top.postMessage({ customElement: 1, kind: 'height', height: 1e9 }, '*'); },
          () => { location.href = left; },
        ])
          try { act(); } catch {}
      </script>`,
    );
    const item = await make('trap', 'Trap', { en: { title: 'A trap' } });
    site.requested.length = 0;
    await open(item, 'en');
    await page.getByText('This page sent too many messages and was stopped.').waitFor();
    expect(await page.locator('iframe[title=Flood]').count()).to.equal(0);
    await page.locator('iframe[title=Escape]').scrollIntoViewIfNeeded();
    await page.waitForFunction('document.querySelector("iframe[title=Escape]").height === "2000"');
    await field('Title').fill('Still usable');
    await isAccessibleToo();
    await save();
    expect(site.requested).to.include('/escape').and.not.include('/left');
    expect(page.context().pages()).to.have.length(1);
    expect(page.url()).to.include('/console/projects/');
    expect(await saved(item, 'en', ['title', 'flood', 'escape'])).to.deep.equal({
      title: 'Still usable',
      flood: null,
      escape: null,
    });
    await page.goto('about:blank');
    // The browser reports what it refused.
    for (const error of errors)
      expect(error).to.match(/navigat|sandbox|Content Security Policy|cross-origin|Blocked|allow-modals/i);
    errors.length = 0;
  });

  job('find, make and order linked items, by keyboard and by dragging', async () => {
    const item = await robot();
    await open(item, 'en');
    const related = page.getByRole('group', { name: 'Related' });
    await related.getByText('Allowed types: Part, Article.').waitFor();
    await related.getByRole('button', { name: 'Add …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose an item' });
    await dialog.getByRole('button', { name: /^Wheel/ }).waitFor();
    const status = dialog.getByRole('status');
    await dialog.getByLabel('Search').fill('no such words');
    await status.filter({ hasText: 'Nothing was found.' }).waitFor();
    await dialog.getByLabel('Search').fill('orrach begins');
    await status.filter({ hasText: /^\d+ results?$/ }).waitFor();
    await pick('wheel', /^Wheel Part en: Draft/);
    await pick('orrach begins', /Where the Orrach begins/);
    await isAccessibleToo();
    // What is picked is added with what is made.
    await dialog.getByText('Create an item').click();
    await dialog.getByLabel('Name of the new item').fill('Drum');
    await dialog.getByRole('button', { name: 'Create and add' }).click();
    const names = async () => related.locator('li strong').allTextContents();
    await related.getByText('Drum').waitFor();
    await related.getByText('3 of at most 4').waitFor();
    expect(await names()).to.deep.equal(['Wheel', 'Where the Orrach begins', 'Drum']);
    const handle = (name: string) => related.getByRole('button', { name: `Move ${name}`, exact: true });
    await handle('Drum').focus();
    await page.keyboard.press('ArrowUp');
    await page.getByText('Drum is number 2 of 3.').waitFor();
    await page.keyboard.press('Home');
    await page.getByText('Drum is number 1 of 3.').waitFor();
    expect(await names()).to.deep.equal(['Drum', 'Wheel', 'Where the Orrach begins']);
    const centre = async (name: string) => {
      const { x, y, width, height } = (await handle(name).boundingBox())!;
      return [x + width / 2, y + height / 2] as const;
    };
    await handle('Drum').scrollIntoViewIfNeeded();
    await page.mouse.move(...(await centre('Drum')));
    await page.mouse.down();
    await page.emulateMedia({ forcedColors: 'active' });
    await page.mouse.move(...(await centre('Where the Orrach begins')), { steps: 4 });
    const mark = await page.evaluate(`getComputedStyle(document.querySelector('.drop-after')).borderBottom`);
    expect(mark, 'where it is dropped').to.match(/^3px solid/);
    await page.emulateMedia({ forcedColors: null });
    await page.mouse.up();
    await page.getByText('Drum is number 3 of 3.').waitFor();
    expect(await names()).to.deep.equal(['Wheel', 'Where the Orrach begins', 'Drum']);
    await save();
    expect((await saved(item, 'en'))['related']).to.have.length(3);
  });

  longJob('link a new item also where its draft could not be made', async () => {
    const item = await robot();
    await open(item, 'en');
    await page.route('**/items/*/variants/*', (route) =>
      route.request().method() === 'PUT' && !route.request().url().includes(item.id)
        ? route.fulfill({ status: 500, body: '{}' })
        : route.continue(),
    );
    const related = page.getByRole('group', { name: 'Related' });
    await related.getByRole('button', { name: 'Add …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose an item' });
    await dialog.getByText('Create an item').click();
    await dialog.getByLabel('Name of the new item').fill('Axle');
    await dialog.getByRole('button', { name: 'Create and add' }).click();
    await dialog.waitFor({ state: 'detached' });
    await related.getByText('Axle').waitFor();
  });

  longJob('show items of the type that have the same slug', async () => {
    const item = await robot();
    const kite = await make('toy', `Kite ${items}`, { en: { title: `Kite ${items}` } });
    await open(item, 'en');
    await field('Title').fill(kite.name);
    await save();
    await page.getByText(`Other items have the same slug: ${kite.name}`).waitFor();
    await field('Title').fill(item.name);
    await save();
    await page.getByText('Other items have the same slug').waitFor({ state: 'detached' });
  });

  longJob('show what the preview API answers, and again after each save', async () => {
    await open(await robot(), 'en');
    await button('Preview').click();
    const panel = page.getByRole('complementary', { name: 'Preview' });
    await panel.getByText('modular_content').first().waitFor();
    await isAccessible();
    await panel.getByText('elements:').click();
    await panel.getByText('title:').first().click();
    await panel.getByText('"A small red robot"').waitFor();
    await field('Title').fill('A large robot');
    await save();
    await panel.getByText('"A large robot"').waitFor();
  });

  job('show the site by an address for the type, and load it again after each save', async () => {
    const item = await robot();
    await api('PUT', 'preview-urls', { preview_urls: [] }, 'admin');
    await open(item, 'en');
    await button('Preview').click();
    const panel = page.getByRole('complementary', { name: 'Preview' });
    await panel.getByRole('button', { name: 'Site' }).click();
    await panel.getByText('No site is configured').waitFor();
    await panel.getByRole('button', { name: 'Addresses of the site' }).click();
    const dialog = page.getByRole('dialog', { name: 'Addresses of the site' });
    await dialog.getByRole('button', { name: 'Add an address' }).click();
    await dialog.getByLabel('Address', { exact: true }).fill('https://{Lang}.example.org/');
    await isAccessible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('a host without placeholders').waitFor();
    await dialog.getByLabel('Address', { exact: true }).fill(`${site.url('/site')}/{Lang}/{URLslug}`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    const inside = framed(`${item.name} on the site`);
    await inside.getByRole('heading', { name: '/site/en/a-small-red-robot' }).waitFor();
    await isAccessible();
    const loads = () => site.requested.filter((path) => path.startsWith('/site/')).length;
    const before = loads();
    await field('Title').fill('A huge robot');
    await save();
    await inside.getByRole('heading', { name: '/site/en/a-huge-robot' }).waitFor();
    expect(loads()).to.be.greaterThan(before);
  });

  longJob('remove one address of the site by a key that is held down', async () => {
    const preview_urls = [{ type: null, language: null, url: `${site.url('/site')}/{Lang}/{URLslug}` }];
    await api('PUT', 'preview-urls', { preview_urls }, 'admin');
    await open(await robot(), 'en');
    await button('Preview').click();
    const panel = page.getByRole('complementary', { name: 'Preview' });
    await panel.getByRole('button', { name: 'Site' }).click();
    const dialog = page.getByRole('dialog', { name: 'Addresses of the site' });
    await panel.getByRole('button', { name: 'Addresses of the site' }).click();
    const remove = dialog.getByRole('button', { name: /^Remove address/ });
    await remove.waitFor();
    for (let made = 0; made < 2; made += 1)
      await dialog.getByRole('button', { name: 'Add an address' }).click();
    await remove.first().focus();
    await page.keyboard.press('Enter');
    await until(async () => (await remove.count()) === 2);
    expect(await page.evaluate('document.activeElement.tagName'), 'no button').to.equal('FORM');
    await closeDialog(page);
    await panel.getByRole('button', { name: 'Close the preview' }).press('Enter');
    await panel.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.innerText')).to.equal('Preview');
  });

  job('show another language beside this one, what changed in it since, and copy from it', async () => {
    const item = await robot({ colour: 'Kite', related: [{ id: wheel.id }] });
    await api('PUT', `items/${item.id}/variants/codename/en`, {
      elements: elementsOf({ title: 'A huge robot' }),
    });
    await open(item, 'de');
    await page.getByLabel('Language beside this one').selectOption('English');
    const source = page.getByRole('region', { name: 'Title (English)' });
    await source.getByText('Changed in English since').waitFor();
    expect(await source.locator('del').allTextContents()).to.deep.equal(['Removed: small red']);
    expect(await source.locator('ins').allTextContents()).to.deep.equal(['Inserted: huge']);
    await page.getByText(/elements? of the source ha(?:s|ve) changed since/).waitFor();
    await isAccessible();
    expect(await source.getByRole('textbox').inputValue()).to.equal('A huge robot');
    await source.getByRole('button', { name: 'Copy from English' }).click();
    expect(await field('Title').inputValue()).to.equal('A huge robot');
    await button('Undo').click();
    expect(await field('Title').inputValue()).to.equal('Ein Roboter');
    await button('Copy everything from English').click();
    await save();
    const { title, colour, related } = await saved(item, 'de');
    expect([title, colour]).to.deep.equal(['A huge robot', 'Kite']);
    expect(related).to.deep.equal([{ id: wheel.id }]);
    expect(page.url()).to.include('beside=en');
    // In the next language, too.
    await page.getByRole('main').getByLabel('Language', { exact: true }).selectOption('de-AT');
    await page.getByText('This item has no content in this language yet.').waitFor();
    await source.getByRole('textbox').waitFor();
  });

  longJob('help a translator to publish one language, with the keyboard only', async () => {
    const item = await robot({ colour: 'Kite' });
    const german = { types: null, languages: ['de'] };
    await become(['view-content', 'edit-content', 'publish'], { 'edit-content': german, publish: german });
    const keys = new Keyboard(page);
    await page.goto(`${service.url}/console/projects/${project}/content`);
    await keys.type('Search', item.name);
    const grid = page.getByRole('grid', { name: 'Content' });
    await page.getByText('1 item', { exact: true }).waitFor();
    await keys.to(grid);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: item.name, level: 1 }).waitFor();
    await page.getByText('You may read this item, not change it.').waitFor();
    // Of the item, not of the person.
    await keys.to(page.getByRole('main').getByLabel('Language', { exact: true }));
    await page.keyboard.type('Deutsch');
    await button('Save').waitFor();
    await keys.to('Language beside this one');
    await page.keyboard.type('English');
    await page.getByRole('region', { name: 'Title (English)' }).waitFor();
    await keys.press('Copy everything from English');
    await keys.type(field('Title'), 'Ein kleiner roter Roboter', true);
    await keys.to('Publish …', 'Shift+Tab');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Publish' });
    await dialog.getByText('1 variant becomes public.').waitFor();
    await keys.press('Publish now');
    await dialog.getByText('1 variant was published.').waitFor();
    await keys.press('Close');
    await dialog.waitFor({ state: 'detached' });
    const delivered = async (language: string) =>
      (await fetch(`${service.url}/delivery/${project}/items/${item.codename}?language=${language}`)) as {
        readonly status: number;
        json(): Promise<unknown>;
      };
    const { elements } = ((await (await delivered('de')).json()) as { item: { elements: object } }).item;
    expect(elements).to.have.nested.property('title.value', 'Ein kleiner roter Roboter');
    expect(elements).to.have.nested.property('colour.value', 'Kite');
    // The other language stays a draft.
    expect((await delivered('en')).status).to.equal(404);
    expect((await saved(item, 'en'))['title']).to.equal('A small red robot');
  });

  longJob('show the item and the list as requests of the APIs, and execute them', async () => {
    const item = await robot();
    await open(item, 'de');
    await button('As an API call …').click();
    const dialog = page.getByRole('dialog', { name: 'As an API call' });
    await dialog.getByLabel('API').selectOption('Preview: the latest versions');
    expect(await dialog.getByLabel('curl').inputValue()).to.include(
      `curl '${service.url}/preview/${project}/items/${item.codename}?language=de'`,
    );
    await dialog.getByRole('button', { name: 'Execute here' }).click();
    await dialog.getByText(/^Answer 200 in \d+ ms$/).waitFor();
    await isAccessible();
    await dialog.getByLabel('Form').selectOption('Published client');
    expect(await dialog.getByLabel('Published client').inputValue()).to.include(
      `.item("${item.codename}").languageParameter("de")`,
    );
    expect(await dialog.getByRole('link').getAttribute('href')).to.equal(`${service.url}/docs`);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.goto(
      `${service.url}/console/projects/${project}/content?type=toy&order=changed&descending=true`,
    );
    await button('As an API call …').click();
    expect(await dialog.getByLabel('curl').inputValue()).to.include(
      'system.type=toy&order=system.last_modified%5Bdesc%5D',
    );
    for (const api of ['Delivery: what is published', 'Management', 'Admin']) {
      await dialog.getByLabel('API').selectOption(api);
      await dialog.getByRole('button', { name: 'Execute here' }).click();
      await dialog.getByText(/^Answer 200 in \d+ ms$/).waitFor();
    }
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  longJob('are accessible in the other theme and language as well', async () => {
    await open(await robot(), 'de', '&beside=en');
    await page.getByText(PERSON.name, { exact: true }).click();
    await page.getByRole('banner').getByLabel('Language').selectOption('de');
    await page.getByLabel('Darstellung').selectOption('dark');
    await button('Vorschau').click();
    await page.getByRole('complementary', { name: 'Vorschau' }).getByText('item:').waitFor();
    await isAccessible();
    await button('Als API-Aufruf …').click();
    await page.getByRole('dialog', { name: 'Als API-Aufruf' }).waitFor();
    await isAccessible();
  });

  job('are duplicated as drafts in all their languages', async () => {
    const item = await robot({ colour: 'Kite', related: [{ id: wheel.id }] });
    await open(item, 'en');
    // What was typed right before is in the copy.
    await field('Title').fill('Typed before the copy');
    await button('Duplicate').click();
    await page.getByRole('heading', { name: `${item.name} (copy)` }).waitFor();
    const copy = { ...item, id: /items\/([\w-]+)/.exec(page.url())![1]! };
    expect(copy.id).to.not.equal(item.id);
    for (const language of ['en', 'de'])
      expect(await saved(copy, language)).to.deep.equal(await saved(item, language));
  });

  longJob('are duplicated without what the server refuses, which the form of the copy has', async () => {
    const name = `A name of as many characters as a name may have ${items}`.padEnd(50, 'x');
    const article = await make('article', name, {
      en: { title: 'Ferry', topics: [{ external_id: 'a term that is not there yet' }] },
      de: { title: 'Die Fähre' },
    });
    await open(article, 'en');
    let failed = 0;
    await page.route(/\/variants\//, (route, request) =>
      request.method() === 'PUT' && request.postData()?.includes('Die Fähre') && failed++ === 0
        ? route.fulfill({ status: 503, body: '' })
        : route.fallback(),
    );
    await button('Duplicate').click();
    await page.getByRole('alert').waitFor();
    await button('Duplicate').click();
    await page.getByText('a draft without what the server refused: Topics.').waitFor();
    await button('Restore them').click();
    await page.getByText('One element is not saved yet.').waitFor();
    const copy = await api<ManagedVariant>(
      'GET',
      `items/${/items\/([\w-]+)/.exec(page.url())![1]}/variants/codename/en`,
    );
    expect(copy.elements.map(({ value }) => value)).to.include('Ferry');
  });

  longJob(
    'have copies of their components when they are duplicated, each with an id of its own',
    async () => {
      /** Ids in the order of the text, and the text without them. */
      const components = async (item: string) => {
        const { elements } = await api<ManagedVariant>('GET', `items/${item}/variants/codename/en`);
        const text = JSON.stringify(elements.find((element) => element.components?.length));
        const ids = [...text.matchAll(/data-type=\\"component\\" data-id=\\"([\w-]+)/g)].map(([, id]) => id!);
        return { ids, without: ids.reduce((rest, id, index) => rest.replaceAll(id, String(index)), text) };
      };
      const trail = await api<Made>('GET', 'items/codename/source_trail');
      await open(trail, 'en');
      await button('Duplicate').click();
      await page.getByRole('heading', { name: `${trail.name} (copy)` }).waitFor();
      const original = await components(trail.id);
      const copy = await components(/items\/([\w-]+)/.exec(page.url())![1]!);
      expect(copy.without).to.equal(original.without);
      expect(new Set([...copy.ids, ...original.ids]), 'one of them in another').to.have.property('size', 4);
      // One that is copied is pasted into another item.
      const article = await make('article', `A place ${items} for what was copied`, {
        en: { title: 'Place' },
      });
      await page
        .locator('.atom:has(> [data-component])')
        .first()
        .click({ position: { x: 500, y: 20 } });
      await page.keyboard.press('Control+c');
      await page.getByRole('navigation').getByRole('link', { name: 'Content' }).click();
      await page.getByRole('link', { name: article.name }).click();
      await page.getByRole('textbox', { name: 'Body' }).click();
      await page.keyboard.press('Control+v');
      await page.locator('.atom > [data-component]').waitFor();
      await button('Save').click();
      await page.getByRole('status').filter({ hasText: 'All changes are saved.' }).first().waitFor();
      const pasted = await components(article.id);
      expect(pasted.ids).to.have.length.of.at.least(1);
      expect([...copy.ids, ...original.ids]).to.not.include(pasted.ids[0]);
    },
  );

  longJob('are duplicated only where the role permits it, in the languages that it may write', async () => {
    const toy = await robot();
    const part = await make('part', `Spoke ${items}`, { en: { title: 'Spoke' }, de: { title: 'Speiche' } });
    await become(['view-content', 'create-content', 'edit-content'], {
      'create-content': { types: ['part'], languages: null },
      'edit-content': { types: null, languages: ['de'] },
    });
    await open(toy, 'de');
    await button('Save').waitFor();
    expect(await button('Duplicate').count()).to.equal(0);
    await open(part, 'de');
    await button('Duplicate').click();
    await page.getByRole('heading', { name: `${part.name} (copy)` }).waitFor();
    expect(page.url(), 'the language that was shown').to.match(/language=de$/);
    const copy = { ...part, id: /items\/([\w-]+)/.exec(page.url())![1]! };
    expect(await saved(copy, 'de')).to.deep.equal(await saved(part, 'de'));
    const { status } = await other.request(
      'GET',
      `manage/projects/${project}/items/${copy.id}/variants/codename/en`,
    );
    expect(status).to.equal(404);
  });
});
