import { randomUUID } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '../../support/browser/open-browser.ts';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { p95, press } from '../console/key-presses.ts';
import { median } from '../rounds.ts';
import type { Product, WebApplication } from './product.ts';
import { startProducts } from './products.ts';

const KEYS = 100;
/** An element in the middle of the form, and those that the editors change. */
const TYPED = 20;
const [FIRST_EDITOR, SECOND_EDITOR, BOTH] = [1, 2, 3];
/** Whoever has no input after this time is not let in. */
const LOCKED_MS = 8000;

type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>;

type Measured = Product & { readonly application: WebApplication };

const hasApplication = (product: Product): product is Measured => product.application !== undefined;

/** The web applications of the products, in one Chromium. */
export const inBrowser: Measure = {
  name: 'in-browser',
  about:
    'web applications beside ours: list of 5,000 items, a key in a form of 50 elements, an unedited rich text, two editors',
  async run(bench: Bench) {
    const { products: all, figure } = await startProducts(bench);
    const products = all.filter(hasApplication);
    const browser = await openBrowser('chromium');
    try {
      const figures: Figure[] = [figure];
      const states = new Map<Measured, SignedIn>();
      for (const product of products) states.set(product, await signedIn(browser, product.application));
      bench.progress('list');
      figures.push(...(await listFigures(bench, browser, states)));
      for (const [product, state] of states) {
        bench.progress(`form: ${product.name}`);
        figures.push(...(await formFigures(bench, browser, product, state)));
        figures.push(...(await editorFigures(browser, product, state)));
      }
      return figures;
    } finally {
      await browser.close();
    }
  },
  compare: { leftOut: 'it compares with other products' },
};

async function signedIn(browser: Browser, application: WebApplication): Promise<SignedIn> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await application.signIn(page);
  const state = await context.storageState();
  await context.close();
  return state;
}

interface Visit {
  readonly milliseconds: number;
  readonly bytes: number;
  readonly requests: number;
}

async function listFigures(
  { rounds }: Bench,
  browser: Browser,
  states: ReadonlyMap<Measured, SignedIn>,
): Promise<Figure[]> {
  const found = new Map<string, Visit[]>();
  // The first round warms up browser and servers.
  for (let round = -1; round < rounds; round += 1)
    for (const [{ name, application }, storageState] of states) {
      const context = await browser.newContext({ storageState });
      for (const what of ['in a fresh profile', 'at the second visit']) {
        const seen = await visit(context, application);
        const key = `list of 5,000 ${what}: ${name}`;
        if (round >= 0) found.set(key, [...(found.get(key) ?? []), seen]);
      }
      await context.close();
    }
  return [...found].map(([name, visits]) => {
    const times = visits.map(({ milliseconds }) => milliseconds);
    const kilobytes = median(visits.map(({ bytes }) => bytes)) / 1000;
    return {
      name,
      value: median(times),
      unit: 'ms',
      spread: [Math.min(...times), Math.max(...times)],
      detail: `${kilobytes.toFixed(0)} kB, ${median(visits.map(({ requests }) => requests))} requests`,
    };
  });
}

/** Until the first row is shown; with what the network carried until it was idle. */
async function visit(context: BrowserContext, { list, row }: WebApplication): Promise<Visit> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  let requests = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    if (encodedDataLength > 0) requests += 1;
  });
  const began = performance.now();
  await page.goto(list, { waitUntil: 'commit' });
  await page.waitForFunction((selector) => document.querySelector(selector) !== null, row, {
    polling: 'raf',
  });
  const milliseconds = performance.now() - began;
  await page.waitForLoadState('networkidle');
  await page.close();
  return { milliseconds, bytes, requests };
}

async function formFigures(
  { requests }: Bench,
  browser: Browser,
  { name, application }: Measured,
  storageState: SignedIn,
): Promise<Figure[]> {
  const before = await application.stored();
  const context = await browser.newContext({ storageState });
  const page = await openForm(context, application);
  await page.locator(application.body).waitFor();
  // Another text than an earlier run left.
  await page.locator(application.text(TYPED)).fill(randomUUID());
  const times = await press(page, application.text(TYPED), requests(KEYS));
  await application.save(page);
  const after = await application.stored();
  if (!after.text(TYPED).endsWith('x')) throw new Error(`${name} did not save what was typed.`);
  const untouched = same(before.paragraphs, after.paragraphs);
  await press(page, application.body, 1);
  await application.save(page);
  const edited = await application.stored();
  await context.close();
  return [
    {
      name: `key in a form of 50 elements: ${name}`,
      value: median(times),
      unit: 'ms',
      spread: [Math.min(...times), Math.max(...times)],
      detail: `p95 ${p95(times).toFixed(1)} ms of script, style and layout`,
    },
    {
      name: `paragraphs unchanged where another element is saved: ${name}`,
      value: untouched / before.paragraphs.length,
      unit: '×',
    },
    {
      name: `paragraphs unchanged where one is edited: ${name}`,
      value: same(after.paragraphs, edited.paragraphs) / (after.paragraphs.length - 1),
      unit: '×',
    },
  ];
}

const same = (one: readonly string[], other: readonly string[]) =>
  one.filter((paragraph, index) => paragraph === other[index]).length;

/** Two people open the form; each changes an element and both change one. */
async function editorFigures(
  browser: Browser,
  { name, application }: Measured,
  storageState: SignedIn,
): Promise<Figure[]> {
  const contexts = [
    await browser.newContext({ storageState }),
    await browser.newContext({ storageState: await signedIn(browser, application) }),
  ];
  try {
    const [one, other] = (await Promise.all(contexts.map((context) => openForm(context, application)))) as [
      Page,
      Page,
    ];
    // Data may be kept from an earlier run.
    const run = randomUUID();
    const words = { first: `first ${run}`, second: `second ${run}` };
    const type = (page: Page, index: number, text: string) =>
      page.locator(application.text(index)).fill(text, { timeout: LOCKED_MS });
    let note = '';
    const attempt = async (what: string, work: () => Promise<void>) => {
      try {
        await work();
      } catch {
        note += `${note && ', '}${what}`;
      }
    };
    // Both type before either saves.
    await attempt('the second editor is not let in', () => type(other, SECOND_EDITOR, words.second));
    await type(one, FIRST_EDITOR, words.first);
    await attempt('the second editor is not let in', () => type(other, BOTH, words.second));
    await type(one, BOTH, words.first);
    await attempt('the first save waits for a decision or fails', () => application.save(one));
    await attempt('the second save waits for a decision or fails', () => application.save(other));
    await other.waitForTimeout(3000);
    const { text } = await application.stored();
    const both = text(BOTH);
    const kept = [text(FIRST_EDITOR) === words.first, text(SECOND_EDITOR) === words.second];
    return [
      {
        name: `two editors, changes kept: ${name}`,
        value: kept.filter(Boolean).length / kept.length,
        unit: '×',
        detail: `the element of both has ${both === words.first ? "the first's" : both === words.second ? "the second's" : 'another'} text${note && `; ${note}`}`,
      },
    ];
  } finally {
    for (const context of contexts) await context.close();
  }
}

async function openForm(context: BrowserContext, { form, text }: WebApplication): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(form);
  await page.locator(text(0)).waitFor();
  await page.waitForTimeout(2000);
  return page;
}
