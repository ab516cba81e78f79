import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { LANGUAGE, type ManagedService } from '../management/managed-service.ts';
import { compared } from '../rounds.ts';
import { p95, press } from './key-presses.ts';
import { openConsole } from './signed-in.ts';

const ELEMENTS = 200;
const RICH_TEXTS = 20;
const COMPONENTS = 50;
const KEYS = 180;
const RICH = 'rich_0';
const TEXT = 'text_0';

/** A form of 200 elements, 20 of them rich texts, with 50 components, in Chromium. */
export const itemEditor: Measure = {
  name: 'item-editor',
  about:
    'a form of 200 elements, 20 rich texts and 50 components: script, style and layout of a key ÷ the same input alone, long tasks, opening ÷ a page of as many plain inputs',
  async run({ datasets, rounds, requests }: Bench) {
    const { service, browser, url, state } = await openConsole(
      await datasets.copy(await datasets.of(1000), 'item-editor'),
    );
    const plain = await servePlainInputs();
    try {
      const items = await makeItems(service);
      const context = await browser.newContext({ storageState: state });
      await context.addInitScript(OBSERVED);
      const address = (item: string) => url.replace(/content$/, `items/${item}`);
      const keys = requests(KEYS);
      const figures: Figure[] = [];
      for (const [what, input, alone] of [
        ['text', `[data-element=${TEXT}] textarea`, items.text],
        ['rich text', `[data-element=${RICH}] [contenteditable=true]`, items.rich],
      ] as const)
        figures.push(
          ...(await keyFigures(context, {
            what,
            input,
            keys,
            rounds,
            whole: address(items.whole),
            alone: address(alone),
          })),
        );
      figures.push(
        ...(await openingFigures(context, {
          rounds,
          whole: address(items.whole),
          list: url,
          plain: plain.url,
        })),
      );
      return figures;
    } finally {
      plain.server.close();
      await browser.close();
    }
  },
  compare: { leftOut: 'an earlier version has no item editor' },
};

/** Long tasks of a page, and when it has shown a number of elements. */
const OBSERVED = `{
  window.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  window.shown = (selector, count) => new Promise((resolve) => {
    const look = () => {
      if (document.querySelectorAll(selector).length < count) return requestAnimationFrame(look);
      // The frame with the last of them is drawn.
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    };
    look();
  });
}`;

interface KeyInput {
  readonly what: string;
  /** Selector. */
  readonly input: string;
  readonly keys: number;
  readonly rounds: number;
  readonly whole: string;
  readonly alone: string;
}

async function keyFigures(
  context: BrowserContext,
  { what, input, keys, rounds, whole, alone }: KeyInput,
): Promise<Figure[]> {
  const pages = [await open(context, whole), await open(context, alone)];
  const found: [number[], number[]] = [[], []];
  let long: number[] = [];
  for (let round = -1; round < rounds; round += 1)
    for (const [side, page] of pages.entries()) {
      await page.bringToFront();
      const times = await press(page, input, keys);
      if (round >= 0) found[side]?.push(p95(times));
    }
  for (const [side, page] of pages.entries()) {
    if (side === 0) {
      await typeAndSave(page, input);
      long = await page.evaluate<number[]>('longTasks');
    }
    await page.close();
  }
  const [many, few] = found.map((times) => Math.min(...times)) as [number, number];
  return [
    {
      name: `key in ${what}, p95 ÷ alone`,
      ...compared(...found),
      unit: '×',
      // Or 1 ms more.
      target: { atMost: Math.round(Math.max(1.5, 1 + 1 / few) * 100) / 100 },
      detail: `least ${many.toFixed(2)} and ${few.toFixed(2)} ms`,
    },
    {
      name: `tasks over 50 ms while typing, ${what}`,
      value: long.length,
      unit: 'tasks',
      target: { atMost: 0 },
      detail: `longest ${Math.max(0, ...long).toFixed(0)} ms`,
    },
  ];
}

interface Opening {
  readonly rounds: number;
  readonly whole: string;
  readonly list: string;
  readonly plain: string;
}

/** Types as a person does, with pauses in which the form is saved: tasks of a save count, too. */
async function typeAndSave(page: Page, input: string): Promise<void> {
  await page.bringToFront();
  await page.unroute('**/variants/**');
  await page.locator(input).first().focus();
  for (let save = 0; save < 3; save += 1) {
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.ok());
    await page.keyboard.type('some more words ', { delay: 50 });
    await saved;
  }
}

async function openingFigures(
  context: BrowserContext,
  { rounds, whole, list, plain }: Opening,
): Promise<Figure[]> {
  const sides = {
    list: () => fromList(context, list, whole),
    address: () => load(context, whole, '[data-element]'),
    plain: () => load(context, plain, 'textarea'),
  };
  const found: Record<keyof typeof sides, number[]> = { list: [], address: [], plain: [] };
  for (let round = -1; round < 3 * rounds; round += 1)
    for (const [side, run] of Object.entries(sides) as [keyof typeof sides, () => Promise<number>][]) {
      const milliseconds = await run();
      if (round >= 0) found[side].push(milliseconds);
    }
  const least = (times: readonly number[]) => Math.min(...times).toFixed(0);
  return [
    {
      name: 'opening from the list ÷ plain inputs',
      ...compared(found.list, found.plain),
      unit: '×',
      target: { atMost: 3 },
      detail: `least ${least(found.list)} and ${least(found.plain)} ms`,
    },
    {
      name: 'loading the application with it ÷ plain inputs',
      ...compared(found.address, found.plain),
      unit: '×',
      detail: `least ${least(found.address)} ms`,
    },
  ];
}

async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  // Saves are no part of a key press.
  await page.route('**/variants/**', (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  );
  await page.goto(address);
  await page.locator('[data-element]').first().waitFor();
  // What is made once the page is idle is there.
  await page.waitForTimeout(2000);
  await page.evaluate('void (longTasks.length = 0)');
  return page;
}

/** Milliseconds from the navigation until all inputs are shown. */
async function load(context: BrowserContext, address: string, inputs: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'commit' });
  const milliseconds = await page.evaluate<number>(`shown(${JSON.stringify(inputs)}, ${ELEMENTS})`);
  await page.close();
  return milliseconds;
}

/** The same from a page that has the application, as a link of the content list leads to the form. */
async function fromList(context: BrowserContext, list: string, address: string): Promise<number> {
  const page = await context.newPage();
  await page.goto(list);
  await page.locator('[role=grid] tbody th').first().waitFor();
  await page.waitForTimeout(200);
  const milliseconds = await page.evaluate<number>(`(async () => {
    const began = performance.now();
    history.pushState(null, '', ${JSON.stringify(new URL(address).pathname)});
    return (await shown('[data-element]', ${ELEMENTS})) - began;
  })()`);
  await page.close();
  return milliseconds;
}

/** A page of as many labels and inputs, which the browser reads from HTML. */
async function servePlainInputs(): Promise<{ readonly server: Server; readonly url: string }> {
  const inputs = Array.from(
    { length: ELEMENTS },
    (_, index) =>
      `<p><label>Text ${index} <textarea>Some words that were typed before.</textarea></label></p>`,
  ).join('');
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Plain</title>${inputs}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function makeItems({ call }: ManagedService) {
  const post = async (path: string, body: unknown) =>
    (await call('POST', `/${path}`, body)) as { readonly id: string };
  const quote = await post('types', {
    name: 'Bench quote',
    codename: 'bench_quote',
    elements: [{ type: 'text', name: 'Words', codename: 'words' }],
  });
  const indices = (count: number) => Array.from({ length: count }, (_, index) => index);
  const text = (index: number) => ({ type: 'text', name: `Text ${index}`, codename: `text_${index}` });
  const rich = (index: number) => ({ type: 'rich_text', name: `Rich ${index}`, codename: `rich_${index}` });

  /** Components of the rich text at an index: 3 in the first ones, so that there are 50 in all. */
  const components = (index: number) => {
    const each = Math.ceil(COMPONENTS / RICH_TEXTS);
    return indices(Math.max(0, Math.min(each, COMPONENTS - index * each))).map(
      (at) => `00000000-0000-4000-8000-${String(index * each + at).padStart(12, '0')}`,
    );
  };
  const value = ({ type, codename }: ReturnType<typeof text>) => {
    if (type === 'text') return { element: { codename }, value: 'Some words that were typed before.' };
    const ids = components(Number(codename.slice('rich_'.length)));
    const html = ids.map(
      (id) =>
        `<p>A paragraph of some length, with a few more words in it.</p><object type="application/service" data-type="component" data-id="${id}"></object>`,
    );
    return {
      element: { codename },
      value: `<p>First.</p>${html.join('')}<p>Last.</p>`,
      components: ids.map((id) => ({
        id,
        type: { id: quote.id },
        elements: [{ element: { codename: 'words' }, value: 'Quoted' }],
      })),
    };
  };
  const item = async (name: string, elements: readonly ReturnType<typeof text>[]) => {
    const type = await post('types', { name, codename: name.toLowerCase().replaceAll(' ', '_'), elements });
    const { id } = await post('items', { name, type: { id: type.id }, sitemap_locations: [] });
    await call('PUT', `/items/${id}/variants/${LANGUAGE}`, { elements: elements.map(value) });
    return id;
  };
  return {
    // Rich texts among the others.
    whole: await item(
      'Bench form',
      indices(ELEMENTS).map((index) =>
        index % (ELEMENTS / RICH_TEXTS) === 1
          ? rich(Math.floor(index / (ELEMENTS / RICH_TEXTS)))
          : text(index),
      ),
    ),
    text: await item('Bench text', [text(0)]),
    rich: await item('Bench rich', [rich(0)]),
  };
}
