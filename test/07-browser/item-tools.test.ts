/** What stands beside the form of an item, in a real browser: preview, site, other languages, pickers, custom elements. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { upsertVariant } from '../../core/content/variants.ts';
import { consoleJobs } from '../support/console-jobs.ts';
import { addOperator, PERSON, signedInPage } from '../support/console-person.ts';
import { openBrowser } from '../support/open-browser.ts';
import { type RunningService, startService } from '../support/start-service.ts';
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

describe('the tools of the item editor', () => {
  const site = new OtherSite();
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let errors: string[];
  let project: string;
  let item: string;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), openBrowser(), site.start()]);
    await addOperator(service);
    const opened = await signedInPage(browser, service);
    ({ page } = opened);
    errors = opened.errors as string[];
    project = service.sample!.projectId;
    site.pages.set('/element', scripted(ELEMENT, `${service.url}/console`));
    const custom = (name: string, path: string) => ({
      type: 'custom',
      name,
      source_url: site.url(path),
      json_parameters: '{"palette":3}',
    });
    await api('POST', 'types', { name: 'Part', elements: [{ type: 'text', name: 'Title' }] });
    await api('POST', 'types', {
      name: 'Toy',
      elements: [
        { type: 'text', name: 'Title', external_id: 'title' },
        { type: 'url_slug', name: 'Slug', depends_on: { element: { external_id: 'title' } } },
        custom('Colour', '/element'),
        custom('Flood', '/flood'),
        custom('Escape', '/escape'),
        {
          type: 'modular_content',
          name: 'Related',
          allowed_content_types: [{ codename: 'part' }, { codename: 'article' }],
          item_count_limit: { value: 4, condition: 'at_most' },
        },
      ],
    });
    const made = async (type: string, name: string, languages: Readonly<Record<string, string>>) => {
      const { id } = await api<{ id: string }>('POST', 'items', { name, type: { codename: type } });
      // By another one than the person of the page, whose versions of one sitting become one.
      for (const [language, title] of Object.entries(languages))
        await service.core.operations.inProject(project, null, (transaction) =>
          upsertVariant(
            transaction,
            { id },
            { codename: language },
            { elements: [{ element: { codename: 'title' }, value: title }] },
          ),
        );
      return id;
    };
    await made('toy', 'Kite', { en: 'Kite' });
    await made('part', 'Wheel', { en: 'Wheel' });
    item = await made('toy', 'Robot', { en: 'A small red robot', de: 'Ein Roboter' });
  });
  after(async () => {
    await browser.close();
    await Promise.all([service.stop(), site.stop()]);
  });
  const { job, isAccessible } = consoleJobs(() => ({ page, errors }));
  const api = <T>(method: string, path: string, body?: unknown) =>
    page.evaluate(
      `fetch('/console/api/manage/projects/${project}/${path}', {
        method: '${method}',
        headers: { 'x-headwater-console': '1', 'content-type': 'application/json' },
        body: ${body === undefined ? 'undefined' : JSON.stringify(JSON.stringify(body))},
      }).then(async (response) => {
        if (!response.ok) throw new Error(await response.text());
        return response.json();
      })`,
    ) as Promise<T>;
  const open = async (language: string, more = '') => {
    await page.goto(`${service.url}/console/projects/${project}/items/${item}?language=${language}${more}`);
    await page.getByRole('heading', { name: 'Robot' }).waitFor();
    await field('Title').waitFor();
  };
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const framed = (title: string): FrameLocator =>
    page.frameLocator(`iframe[title="${title}"]`).frameLocator('iframe');
  const saved = async (language: string) =>
    Object.fromEntries(
      (
        await api<{ elements: { element: { id: string }; value: unknown }[] }>(
          'GET',
          `items/${item}/variants/codename/${language}`,
        )
      ).elements.map(({ value }, index) => [
        ['title', 'slug', 'colour', 'flood', 'escape', 'related'][index],
        value,
      ]),
    ) as Record<string, unknown>;
  /** What a page sets arrives some time later, and is saved by itself. */
  const isSaved = (element: string, value: string) =>
    until(async () => {
      await page.waitForTimeout(100);
      return (await saved('en'))[element] === value;
    });
  /** Saves, and waits until the server has it. */
  const save = async () => {
    await field('Title').press('Control+s');
    await page.locator('.form-bar').getByText('All changes are saved.').waitFor();
  };

  job('run the page of a custom element in a frame, with the global that such pages know', async () => {
    await open('en');
    const frame = framed('Colour');
    await frame.getByText('[{"palette":3},"en","Robot"]').waitFor();
    await page.waitForFunction('document.querySelector("iframe[title=Colour]").height === "180"');
    await field('Title').fill('A small blue robot');
    await frame.getByText('A small blue robot').waitFor();
    await frame.getByLabel('Colour').fill('#ff0000');
    await isSaved('colour', '#ff0000');
    await frame.getByRole('button', { name: 'Pick items' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose an item' });
    await dialog.getByLabel('Search').fill('kite');
    await dialog.getByRole('button', { name: /^Kite/ }).click();
    await dialog.getByRole('button', { name: 'Add 1' }).click();
    await isSaved('colour', 'Kite');
    await isAccessible();
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
    site.requested.length = 0;
    await open('en');
    await page.getByText('This page sent too many messages and was stopped.').waitFor();
    expect(await page.locator('iframe[title=Flood]').count()).to.equal(0);
    await page.locator('iframe[title=Escape]').scrollIntoViewIfNeeded();
    await page.waitForFunction('document.querySelector("iframe[title=Escape]").height === "2000"');
    await field('Title').fill('Still usable');
    await field('Title').fill('A small blue robot');
    await isAccessible();
    expect(site.requested).to.include('/escape').and.not.include('/left');
    expect(page.context().pages()).to.have.length(1);
    expect(page.url()).to.include('/console/projects/');
    expect((await saved('en'))['flood']).to.equal(null);
    site.pages.delete('/flood');
    site.pages.delete('/escape');
    await open('en');
    // The browser reports what it refused.
    for (const error of errors)
      expect(error).to.match(/navigat|sandbox|Content Security Policy|cross-origin|Blocked|allow-modals/i);
    errors.length = 0;
  });

  job('find, make and order linked items, by keyboard and by dragging', async () => {
    const related = page.getByRole('group', { name: 'Related' });
    await related.getByText('Allowed types: Part, Article.').waitFor();
    await related.getByRole('button', { name: 'Add …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose an item' });
    await dialog.getByRole('button', { name: /^Wheel/ }).waitFor();
    await dialog.getByLabel('Search').fill('wheel');
    await dialog.getByRole('button', { name: /^Wheel Part en: Draft/ }).click();
    await dialog.getByLabel('Search').fill('orrach begins');
    await dialog.getByRole('button', { name: /Where the Orrach begins/ }).click();
    await isAccessible();
    await dialog.getByRole('button', { name: 'Add 2' }).click();
    await related.getByRole('button', { name: 'Add …' }).click();
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
    await page.mouse.move(...(await centre('Where the Orrach begins')), { steps: 4 });
    await page.mouse.up();
    await page.getByText('Drum is number 3 of 3.').waitFor();
    expect(await names()).to.deep.equal(['Wheel', 'Where the Orrach begins', 'Drum']);
    await save();
    expect((await saved('en'))['related']).to.have.length(3);
  });

  job('show items of the type that have the same slug', async () => {
    await field('Title').fill('Kite');
    await save();
    await page.getByText('Other items have the same slug: Kite').waitFor();
    await field('Title').fill('A small blue robot');
    await save();
    await page.getByText('Other items have the same slug').waitFor({ state: 'detached' });
  });

  job('show what the preview API answers, and again after each save', async () => {
    await button('Preview').click();
    const panel = page.getByRole('complementary', { name: 'Preview' });
    await panel.getByText('modular_content').first().waitFor();
    await isAccessible();
    await panel.getByText('elements:').click();
    await panel.getByText('title:').first().click();
    await panel.getByText('"A small blue robot"').waitFor();
    await field('Title').fill('A large robot');
    await save();
    await panel.getByText('"A large robot"').waitFor();
  });

  job('show the site by an address for the type, and load it again after each save', async () => {
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
    const inside = framed('Robot on the site');
    await inside.getByRole('heading', { name: '/site/en/a-large-robot' }).waitFor();
    await isAccessible();
    const loads = () => site.requested.filter((path) => path.startsWith('/site/')).length;
    const before = loads();
    await field('Title').fill('A huge robot');
    await save();
    await inside.getByRole('heading', { name: '/site/en/a-huge-robot' }).waitFor();
    expect(loads()).to.be.greaterThan(before);
    await panel.getByRole('button', { name: 'Close the preview' }).click();
  });

  job('show another language beside this one, what changed in it since, and copy from it', async () => {
    await open('de');
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
    const { title, colour, related } = await saved('de');
    expect([title, colour]).to.deep.equal(['A huge robot', 'Kite']);
    expect(related).to.have.length(3);
    expect(page.url()).to.include('beside=en');
  });

  job('show the item and the list as requests of the APIs, and execute them', async () => {
    await button('As an API call …').click();
    const dialog = page.getByRole('dialog', { name: 'As an API call' });
    await dialog.getByLabel('API').selectOption('Preview: the latest versions');
    expect(await dialog.getByLabel('curl').inputValue()).to.include(
      `curl '${service.url}/preview/${project}/items/robot?language=de'`,
    );
    await dialog.getByRole('button', { name: 'Execute here' }).click();
    await dialog.getByText(/^Answer 200 in \d+ ms$/).waitFor();
    await isAccessible();
    await dialog.getByLabel('Form').selectOption('Published client');
    expect(await dialog.getByLabel('Published client').inputValue()).to.include(
      '.item("robot").languageParameter("de")',
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

  job('are accessible in the other theme and language as well', async () => {
    await open('de', '&beside=en');
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
    await page.keyboard.press('Escape');
    const texts = [await saved('en'), await saved('de')];
    await button('Duplizieren').click();
    await page.getByRole('heading', { name: 'Robot (Kopie)' }).waitFor();
    item = /items\/([\w-]+)/.exec(page.url())![1]!;
    expect([await saved('en'), await saved('de')]).to.deep.equal(texts);
  });
});
