/** What a screen shows at once stays where it is when the answers come, so that a press meets what it was meant for. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { holdRequests } from '../support/browser/hold-requests.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { hasAllTests } from '../support/long-form.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const SCREENS = ['Content', 'Keys', 'Live requests'];
const MORE_SCREENS = ['Assets', 'Webhooks', 'Usage', 'Export', 'Projects', 'People', 'Roles', 'Jobs'];
/** Pixels that nobody misses. */
const LEAST_MOVE = 4;
/** What the browser reports of what moved since it was drawn (Layout Instability API), of what can be pressed. */
const WATCH = `
  globalThis.moved = [];
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries())
      for (const { node, previousRect: from, currentRect: to } of sources) {
        const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
        const isSeen = from.width > 0 && to.width > 0;
        const isFar = Math.abs(to.x - from.x) + Math.abs(to.y - from.y) >= ${LEAST_MOVE};
        const pressed = 'a, button, input, select, summary, textarea';
        if (isSeen && isFar && (element?.closest(pressed) ?? element?.querySelector(pressed)))
          moved.push(element.outerHTML.slice(0, 100));
      }
  }).observe({ type: 'layout-shift' });
`;

describe('a screen of the console that loads', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let account: string;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), browserOfProcess()]);
    ({ account } = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true }));
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });
  const { job, longJob } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, account);
    ({ page } = opened);
    return opened;
  });
  const twoFrames = () =>
    page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  /** @returns what moved in the screen that a link leads to, when the answers to its calls come together */
  const movedIn = async (open: () => Promise<unknown>, heading: string, calls = /\/console\/api\//) => {
    const release = await holdRequests(page, calls);
    await open();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: heading }).waitFor();
    await twoFrames();
    await page.evaluate(WATCH);
    release();
    await page.waitForLoadState('networkidle');
    await twoFrames();
    await page.unroute(calls);
    return page.evaluate<string[]>('moved');
  };

  job('moves nothing that can be pressed', async () => {
    await page.goto(`${service.url}/console/projects/${service.sample!.projectId}/home`);
    for (const screen of hasAllTests ? [...SCREENS, ...MORE_SCREENS] : SCREENS) {
      const link = page.getByRole('navigation').getByRole('link', { name: screen, exact: true });
      expect(await movedIn(() => link.click(), screen), screen).to.deep.equal([]);
    }
  });

  longJob('moves nothing that can be pressed, in the history of an item', async () => {
    const project = `${service.url}/console/projects/${service.sample!.projectId}`;
    await page.goto(`${project}/content`);
    await page.getByRole('grid').getByRole('link').first().click();
    const path = await page.getByRole('link', { name: 'History' }).getAttribute('href');
    const open = () => page.goto(service.url + path);
    expect(await movedIn(open, 'History of', /\/console\/api\/.*history/)).to.deep.equal([]);
  });
});
