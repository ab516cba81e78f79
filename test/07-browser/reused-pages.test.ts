/**
 * Pages that a job leaves and the next one gets: nothing of the job before is there. Pages are compared as booleans: of a
 * failure mocha would send all that a page is made of, and break it.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { type LeavablePage, openPage } from '../support/browser/open-browser.ts';
import { hasAllTests } from '../support/long-form.ts';

/** What the page finds in its origin, and how it was opened. */
const FOUND = `(async () => ({
  cookie: document.cookie,
  local: { ...localStorage },
  session: { ...sessionStorage },
  databases: (await indexedDB.databases()).map(({ name }) => name),
  caches: await caches.keys(),
  workers: (await navigator.serviceWorker.getRegistrations()).length,
  files: await (async () => {
    const names = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
    return names;
  })(),
  history: history.length,
  state: history.state,
  name: window.name,
  opener: window.opener,
  size: [innerWidth, innerHeight],
  isOnline: navigator.onLine,
  hovered: document.querySelector('main:hover') !== null,
  added: window.added,
  greeting: document.querySelector('main').textContent,
}))()`;

const STORED = `(async () => {
  document.cookie = 'kept=1; max-age=1000';
  localStorage.setItem('kept', '1');
  sessionStorage.setItem('kept', '1');
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open('kept', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('kept').put(1, 1);
    opening.onsuccess = resolve;
    opening.onerror = reject;
  });
  await (await caches.open('kept')).put('/kept', new Response('kept'));
  await navigator.serviceWorker.register('/worker.js');
  await navigator.serviceWorker.ready;
  await (await navigator.storage.getDirectory()).getFileHandle('kept', { create: true });
  history.pushState({ kept: true }, '', '/other');
  window.name = 'kept';
})()`;

describe('a page that a job leaves and the next one gets', () => {
  let server: Server;
  let url: string;
  let browser: Browser;
  const requested: string[] = [];
  before(async () => {
    server = createServer((request, response) => {
      requested.push(request.url ?? '');
      if (request.url === '/worker.js')
        return response.setHeader('content-type', 'text/javascript').end('onfetch = () => {};');
      response.setHeader('content-type', 'text/html');
      return response.end(
        '<!doctype html><title>Page</title><style>main { height: 100vh }</style><main>as it is</main>',
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await browserOfProcess();
  });
  after(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
  });

  const find = async (page: Page) => {
    await page.goto(url);
    return page.evaluate(FOUND);
  };
  /** Opens the page of a job, lets it work, and leaves the page to the next one. */
  async function twoJobs(job: (page: Page) => Promise<unknown>): Promise<[first: Page, next: LeavablePage]> {
    const first = await openPage(browser);
    await first.page.goto(url);
    await job(first.page);
    await first.leave();
    return [first.page, await openPage(browser)];
  }

  it('has nothing of what was stored, opened, resized or pointed at', async () => {
    const fresh = await openPage(browser);
    const asNew = await find(fresh.page);
    await fresh.page.context().close();
    const [first, next] = await twoJobs(async (page) => {
      await page.evaluate(STORED);
      expect(await page.evaluate(FOUND)).to.not.deep.equal(asNew);
      await page.mouse.move(100, 100);
      await page.setViewportSize({ width: 400, height: 300 });
      await page.context().setOffline(true);
      await page.context().newPage();
    });
    expect(next.page === first).to.equal(true);
    expect(await find(next.page)).to.deep.equal(asNew);
    expect(
      next.page
        .context()
        .pages()
        .map((page) => page === first),
    ).to.deep.equal([true]);
    await next.leave();
  });

  it('has its size again where only the height was another', async () => {
    const fresh = await openPage(browser);
    const asNew = fresh.page.viewportSize();
    await fresh.page.context().close();
    const [first, next] = await twoJobs((page) => page.setViewportSize({ ...asNew!, height: 300 }));
    expect(next.page === first).to.equal(true);
    expect(next.page.viewportSize()).to.deep.equal(asNew);
    expect(await next.page.evaluate('innerHeight')).to.equal(asNew!.height);
    await next.leave();
  });

  it('has no listener, route or script of the job before, and reports none of its errors', async () => {
    const heard: string[] = [];
    const [first, next] = await twoJobs(async (page) => {
      for (const event of ['request', 'framenavigated', 'requestfinished', 'domcontentloaded'] as const)
        page.on(event as 'request', () => heard.push(event));
      page.once('websocket', () => heard.push('websocket'));
      page.on('dialog', (dialog) => void dialog.accept());
      await page.route('**/*', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<main>routed</main>' }),
      );
      await page.addInitScript('window.added = true; console.error("of the script")');
      expect(await find(page)).to.include({ added: true, greeting: 'routed' });
    });
    heard.length = 0;
    expect(next.page === first).to.equal(true);
    expect(await find(next.page)).to.include({ added: undefined, greeting: 'as it is' });
    // A question that nobody listens to is answered at once, with no.
    expect(await next.page.evaluate('confirm("?")')).to.equal(false);
    await next.page.evaluate(`new WebSocket(location.href.replace('http', 'ws'))`);
    expect([heard, next.errors]).to.deep.equal([[], []]);
    await next.leave();
  });

  it('asks the server for what a page of another profile would ask for', async () => {
    const [, next] = await twoJobs(async (page) => {
      await page.evaluate(STORED);
    });
    requested.length = 0;
    await find(next.page);
    expect(requested).to.include('/');
    await next.leave();
  });

  const LASTING: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    'another colour scheme': (page) => page.emulateMedia({ colorScheme: 'dark' }),
    'a clock of its own': (page) => page.clock.install(),
    'a function for the page': (page) => page.exposeFunction('kept', () => 1),
    headers: (page) => page.setExtraHTTPHeaders({ 'x-kept': '1' }),
    'a permission': (page) => page.context().grantPermissions(['clipboard-read']),
    'a place on earth': (page) => page.context().setGeolocation({ latitude: 1, longitude: 1 }),
    'a script of all pages': (page) => page.context().addInitScript('window.added = true'),
    'a route of all pages': (page) => page.context().route('**/kept', (route) => route.abort()),
    'a listener of all pages': async (page) => page.context().on('request', () => {}),
    'a page that was closed': (page) => page.close(),
    'a key that is held down': (page) => page.keyboard.down('Shift'),
    // Its tab keeps what documents of each origin have stored for it.
    'documents of two origins': (page) => page.goto(url.replace('127.0.0.1', 'localhost')),
    'an empty document': (page) => page.goto('about:blank'),
  };
  // Of the short form: what the page, its context and its tab keep.
  const SHORT = ['a clock of its own', 'a route of all pages', 'documents of two origins'];
  for (const [what, job] of Object.entries(LASTING).filter(([what]) => hasAllTests || SHORT.includes(what)))
    it(`is a new one after ${what}`, async () => {
      const [first, next] = await twoJobs(job);
      expect(next.page === first).to.equal(false);
      expect(first.isClosed()).to.equal(true);
      await next.leave();
    });

  it('is a new one where the options differ', async () => {
    const one = await openPage(browser, { locale: 'de-DE' });
    await one.leave();
    const other = await openPage(browser, { locale: 'en-GB', colorScheme: 'dark' });
    expect(other.page === one.page).to.equal(false);
    expect(await other.page.evaluate('navigator.language')).to.equal('en-GB');
    const same = await openPage(browser, { locale: 'de-DE' });
    expect(same.page === one.page).to.equal(true);
    await Promise.all([other.leave(), same.leave()]);
  });
});
