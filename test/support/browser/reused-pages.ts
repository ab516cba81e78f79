/**
 * Pages that a job leaves and a later one gets, emptied, with a browser profile that was emptied as well. What it loads is
 * in its cache, and compiled: a job that loads a list and no more takes 0.49 s of CPU, with a new profile 0.81.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Browser, BrowserContextOptions, CDPSession, Disposable, Page } from 'playwright-core';

type Method = (...words: unknown[]) => unknown;

/** What stays in a page and in its context for good: one that had such a call is closed. */
const LASTING = {
  page: ['emulateMedia', 'exposeBinding', 'exposeFunction', 'setExtraHTTPHeaders'],
  clock: ['install', 'pauseAt', 'setFixedTime', 'setSystemTime'],
  context: [
    ...['addInitScript', 'exposeBinding', 'exposeFunction', 'grantPermissions', 'on', 'once', 'route'],
    ...['setExtraHTTPHeaders', 'setGeolocation', 'setHTTPCredentials'],
  ],
};

/** What a tab keeps over its documents; an empty page has no storage. */
const CLEAR_TAB = `{
  window.name = '';
  if (origin !== 'null') sessionStorage.clear();
}`;

/** Pages that were left, of each browser, by the options of their contexts. */
const left = new WeakMap<Browser, Map<string, ReusablePage[]>>();

/** @returns an empty page that was left, if there is one */
export function takePage(browser: Browser, options: BrowserContextOptions): ReusablePage | undefined {
  const pages = left.get(browser)?.get(JSON.stringify(options)) ?? [];
  for (let one = pages.pop(); one; one = pages.pop()) if (!one.page.isClosed()) return one;
  return undefined;
}

export class ReusablePage {
  readonly page: Page;
  readonly #options: string;
  readonly #session: CDPSession;
  readonly #viewport: ReturnType<Page['viewportSize']>;
  /** Those that are not of a job, by event. */
  readonly #listeners: ReadonlyMap<string | symbol, ReadonlySet<unknown>>;
  /** That may have stored something. */
  readonly #origins = new Set<string>();
  readonly #scripts: Promise<Disposable>[] = [];
  #heldKeys = 0;
  #isSpent = false;

  static async of(page: Page, options: BrowserContextOptions): Promise<ReusablePage> {
    return new ReusablePage(page, JSON.stringify(options), await page.context().newCDPSession(page));
  }

  private constructor(page: Page, options: string, session: CDPSession) {
    this.page = page;
    this.#options = options;
    this.#session = session;
    this.#viewport = page.viewportSize();
    const context = page.context();
    const note = (one: Page) =>
      one.on('framenavigated', (frame) => {
        const { origin } = new URL(frame.url());
        if (origin !== 'null') this.#origins.add(origin);
      });
    note(page);
    context.on('page', note);
    const spend = () => {
      this.#isSpent = true;
    };
    afterCalls(page, LASTING.page, spend);
    afterCalls(page.clock, LASTING.clock, spend);
    afterCalls(context, LASTING.context, spend);
    afterCalls(page.keyboard, ['down'], () => {
      this.#heldKeys += 1;
    });
    afterCalls(page.keyboard, ['up'], () => {
      this.#heldKeys -= 1;
    });
    afterCalls(page, ['addInitScript'], (script) => this.#scripts.push(script as Promise<Disposable>));
    this.#listeners = new Map([...listenersOf(page)].map(([event, own]) => [event, new Set(own)]));
  }

  /** Empties it for `takePage`, or closes it where that cannot be done. */
  async leave(): Promise<void> {
    const { page } = this;
    const context = page.context();
    const browser = context.browser();
    // The trace of a page whose job has failed is ended.
    const isTraced = await context.tracing.stopChunk().then(
      () => true,
      () => false,
    );
    if (!browser || !isTraced || !this.#canBeEmptied()) return context.close();
    try {
      await this.#empty();
    } catch {
      return context.close();
    }
    const pages = left.get(browser) ?? new Map<string, ReusablePage[]>();
    left.set(browser, pages);
    pages.set(this.#options, [...(pages.get(this.#options) ?? []), this]);
  }

  #canBeEmptied(): boolean {
    if (this.#isSpent || this.page.isClosed() || this.#heldKeys > 0) return false;
    // A tab keeps `sessionStorage` of each origin, which only a document of that origin can clear.
    const { origin } = new URL(this.page.url());
    return [...this.#origins].every((one) => one === origin);
  }

  async #empty(): Promise<void> {
    const { page } = this;
    const context = page.context();
    const others = context.pages().filter((one) => one !== page);
    await Promise.all(others.map((one) => one.close()));
    for (const [event, listeners] of listenersOf(page))
      for (const listener of listeners)
        if (!this.#listeners.get(event)?.has(listener)) emitter(page).off(event, listener);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await Promise.all(this.#scripts.splice(0).map(async (script) => (await script).dispose()));
    await context.setOffline(false);
    await page.evaluate(CLEAR_TAB);
    // What is stored while a document ends is there by then.
    await page.goto('about:blank');
    await context.clearCookies();
    for (const origin of this.#origins)
      await this.#session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    this.#origins.clear();
    await this.#session.send('Page.resetNavigationHistory');
    if (this.#viewport && !isDeepStrictEqual(page.viewportSize(), this.#viewport))
      await page.setViewportSize(this.#viewport);
  }
}

type Listener = (...words: unknown[]) => void;

/** What pages have beside their documented methods, as every emitter of Node. */
interface Emitter {
  eventNames(): (string | symbol)[];
  listeners(event: string | symbol): Listener[];
  off(event: string | symbol, listener: Listener): void;
}

const emitter = (page: Page) => page as unknown as Emitter;

function listenersOf(page: Page): Map<string | symbol, Listener[]> {
  const events = emitter(page).eventNames();
  return new Map(events.map((event) => [event, emitter(page).listeners(event)]));
}

/** Calls `then` with what each call of the methods answered. */
function afterCalls(owner: object, names: readonly string[], then: (answer: unknown) => void): void {
  const methods = owner as Record<string, Method>;
  for (const name of names) {
    const method = methods[name]!;
    methods[name] = function (this: unknown, ...words) {
      const answer = method.apply(this, words);
      then(answer);
      return answer;
    };
  }
}
