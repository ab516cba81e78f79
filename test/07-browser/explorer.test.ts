/** The explorer of the documentation in a real browser, in front of a core that answers what a test says. */

import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { coreOpenapi } from '../../core/compose/openapi.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { type LeavablePage, openPage } from '../support/browser/open-browser.ts';
import { SESSION_COOKIE } from '../support/console/console-browser.ts';
import { json, PROJECTS } from '../support/gateway/fake-core.ts';
import { runGateway, type TestGateway } from '../support/gateway/run-gateway.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';

/** One of as many operations is shown; those of one kind of object are next to each other. */
const ONE_OF = isLongForm ? 1 : 12;

describe('the explorer', () => {
  let browser: Browser;
  let gateway: TestGateway;
  let opened: LeavablePage;
  let page: Page;
  before(async () => {
    browser = await browserOfProcess();
  });
  after(() => browser?.close());
  beforeEach(async () => {
    gateway = await runGateway();
    gateway.core.openapi = async () => coreOpenapi({ header: 'SVC', mediaType: 'service' });
    opened = await openPage(browser);
    ({ page } = opened);
  });
  afterEach(async () => {
    expect(opened.errors).to.deep.equal([]);
    await opened.leave();
    await gateway.end();
  });

  const open = async (operation: string) => {
    await page.goto(`${gateway.urls.http}/docs?project=${PROJECTS.open}#${operation}`);
    await page.getByRole('button', { name: 'Send' }).waitFor();
  };
  const answer = () => page.getByRole('region', { name: 'Answer' });
  const send = () => page.getByRole('button', { name: 'Send' }).click();
  const sent = () => gateway.core.requests.at(-1)!;

  it('shows each operation', async () => {
    await open('');
    const { paths } = coreOpenapi({ header: 'SVC', mediaType: 'service' }) as {
      paths: Record<string, Record<string, { operationId?: string; summary?: string }>>;
    };
    const operations = Object.values(paths).flatMap((item) =>
      Object.values(item).filter(({ operationId }) => operationId !== undefined),
    );
    expect(operations.length).to.be.above(300);
    const shown = operations.filter((_, at) => at % ONE_OF === 0);
    const wrong = await page.evaluate(async (all) => {
      const found: unknown[] = [];
      for (const { operationId, summary } of all) {
        const changed = new Promise((resolve) =>
          window.addEventListener('hashchange', resolve, { once: true }),
        );
        location.hash = operationId!;
        await changed;
        if (document.querySelector('h1')?.textContent !== summary) found.push(operationId);
      }
      return found;
    }, shown);
    expect(wrong).to.deep.equal([]);
  });

  longTest('works where the browser stores nothing for it', async () => {
    // No other test may get this page.
    const own = await browser.newPage();
    await own.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    });
    await own.goto(`${gateway.urls.http}/docs`);
    await own.getByRole('button', { name: 'Theme: system' }).click();
    await own.getByRole('button', { name: 'Theme: light' }).waitFor();
    await own.getByRole('button', { name: 'Send' }).waitFor();
    await own.close();
  });

  it('goes on to the next page of a listing', async () => {
    gateway.core.answer = ({ path, query, headers, bases }) => {
      if (query.includes('token-2') || headers['x-continuation'] === 'token-2')
        return json({ items: ['last'], pagination: { continuation_token: null, next_page: null } });
      return json(
        {
          items: ['first'],
          pagination: {
            continuation_token: 'token-2',
            next_page: `${bases.self}${path}?continuationToken=token-2`,
          },
        },
        { headers: { 'content-type': 'application/json', 'x-continuation': 'token-2' } },
      );
    };
    await open('manageV2ListItems');
    await page.getByLabel('Key').fill('open-management');
    await send();
    await answer().getByText('"first"').waitFor();
    await answer().getByRole('button', { name: /^Next/ }).click();
    await answer().getByText('"last"').waitFor();
  });

  longTest('names the button that copies as before once it has copied, also twice', async () => {
    await open('listItems');
    const copy = page.locator('.send button.quiet');
    await copy.click();
    await page.getByRole('button', { name: /^(Copied|Could not copy)$/ }).click();
    // Each click ends with its former name.
    await page.waitForTimeout(2000);
    expect(await copy.textContent()).to.equal('Copy as curl');
  });

  longTest('shows an answer beside its own call only', async () => {
    const releases: (() => void)[] = [];
    gateway.core.answer = async ({ query }) => {
      if (query.includes('limit=1')) await new Promise<void>((resolve) => releases.push(resolve));
      return json({ items: [query] });
    };
    const sendSlow = async (count: number) => {
      await page.getByLabel('limit').fill('1');
      await send();
      await until(() => releases.length === count);
    };
    const ended = () =>
      Promise.any([page.waitForEvent('requestfailed'), page.waitForEvent('requestfinished')]);
    await open('listItems');
    await sendSlow(1);
    await page.getByLabel('limit').fill('2');
    await send();
    await answer().getByText('"limit=2"').waitFor();
    await sendSlow(2);
    const slow = ended();
    await page.evaluate(() => location.assign('#listTypes'));
    await answer().getByText('appears here').waitFor();
    for (const release of releases) release();
    await slow;
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await answer().textContent()).to.include('appears here');
  });

  it('calls the console as the person who has signed in there', async () => {
    const { hostname: domain } = new URL(gateway.urls.http);
    await page.context().addCookies([
      {
        ...{ name: SESSION_COOKIE, value: 'a'.repeat(43), domain, path: '/console' },
        ...{ secure: true, httpOnly: true, sameSite: 'Strict' },
      },
    ]);
    await open('consoleGetSession');
    await send();
    await answer().getByText('200 OK').waitFor();
    expect(sent().principal.kind).to.equal('session');
  });

  it('sends a body that is optional only where one was written', async () => {
    const bodies: string[] = [];
    gateway.core.answer = async ({ body }) => {
      let text = '';
      for await (const piece of body ?? []) text += Buffer.from(piece).toString();
      bodies.push(text);
      return json({});
    };
    await open('manageV2Publish');
    await page.getByLabel('Key').fill('open-management');
    for (const name of ['item_id', 'language_id']) await page.getByLabel(name).fill(PROJECTS.open);
    await send();
    await answer().getByText('200 OK').waitFor();
    await page.getByLabel('Body (').fill('{"scheduled_to": "2030-01-01T00:00:00Z"}');
    await send();
    await answer().getByText('200 OK').waitFor();
    expect(bodies).to.deep.equal(['', '{"scheduled_to": "2030-01-01T00:00:00Z"}']);
  });
});
