import type { BrowserContext } from 'playwright-core';
import type { Bench, Measure } from '../benchmark.ts';
import { compared, median } from '../rounds.ts';
import { openConsole } from './signed-in.ts';

/** How long the content list takes to be usable, against a bare page of the same server. */
export const firstLoad: Measure = {
  name: 'first-load',
  about: 'until the content list is usable ÷ a bare page, in a fresh browser profile and at the second visit',
  async run({ datasets, rounds }: Bench) {
    const { service, browser, url, state } = await openConsole(
      await datasets.copy(await datasets.of(1000), 'first-load'),
    );
    const bare = `http://127.0.0.1:${service.port}/health/live`;
    const visit = async (context: BrowserContext, address: string, usable: string) => {
      const page = await context.newPage();
      const began = performance.now();
      await page.goto(address, { waitUntil: 'commit' });
      // In each frame: a locator looks after 20, 70 and 170 ms.
      await page.waitForFunction((selector) => document.querySelector(selector) !== null, usable, {
        polling: 'raf',
      });
      const milliseconds = performance.now() - began;
      await page.close();
      return milliseconds;
    };
    const found = { first: [[], []] as [number[], number[]], second: [[], []] as [number[], number[]] };
    try {
      // The first pages warm up browser and server.
      for (let round = -2; round < 3 * rounds; round += 1) {
        const visits = [];
        for (const [address, usable] of [
          [url, '[role=grid] tbody th'],
          [bare, 'body'],
        ] as const) {
          const context = await browser.newContext({ storageState: state });
          visits.push([
            await visit(context, address, usable),
            await visit(context, address, usable),
          ] as const);
          await context.close();
        }
        if (round < 0) continue;
        for (const [side, [first, second]] of visits.entries()) {
          found.first[side]?.push(first);
          found.second[side]?.push(second);
        }
      }
    } finally {
      await browser.close();
    }
    const figure = (name: string, [list, page]: [number[], number[]], atMost: number) => ({
      name,
      ...compared(list, page),
      unit: '×' as const,
      target: { atMost },
      detail: `${median(list).toFixed(0)} ms ÷ ${median(page).toFixed(0)} ms`,
    });
    return [
      figure('fresh profile ÷ a bare page', found.first, 2.5),
      figure('second visit ÷ a bare page', found.second, 1.5),
    ];
  },
  compare: { leftOut: 'an earlier version has no content list of this kind' },
};
