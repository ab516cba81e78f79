import type { Bench, Figure, Measure } from '../benchmark.ts';
import { openConsole } from './signed-in.ts';

const JUMPS = 200;

/** What the page does itself; its answer is what it found. */
const SCROLLED = `(async () => {
  const grid = document.querySelector('[role=grid]');
  const long = [];
  new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' });
  const frame = () => new Promise(requestAnimationFrame);
  const height = grid.scrollHeight - grid.clientHeight;
  let rows = 0;
  const isThere = () => {
    const drawn = grid.querySelectorAll('tbody tr');
    rows = Math.max(rows, drawn.length);
    const { top, bottom } = grid.getBoundingClientRect();
    const seen = [...drawn].filter((row) => {
      const box = row.getBoundingClientRect();
      return box.bottom > top + 40 && box.top < bottom;
    });
    return seen.length > 0 && seen.every((row) => row.querySelector('input'));
  };
  // Scrolling: a fifth of the window each frame, from several places on.
  for (let part = 0; part < 10; part += 1) {
    grid.scrollTop = (height * part) / 10;
    for (let step = 0; step < 60; step += 1) {
      grid.scrollTop += grid.clientHeight / 5;
      await frame();
      rows = Math.max(rows, grid.querySelectorAll('tbody tr').length);
    }
  }
  const waits = [];
  for (let jump = 0; jump < ${JUMPS}; jump += 1) {
    // Far from the jumps before, in an order that repeats.
    const place = ((jump * 7919) % ${JUMPS}) / ${JUMPS};
    const began = performance.now();
    grid.scrollTop = Math.round(place * height);
    do await frame();
    while (!isThere() && performance.now() - began < 10000);
    waits.push(performance.now() - began);
  }
  return { long, rows, waits };
})()`;

interface Scrolled {
  readonly long: readonly number[];
  readonly rows: number;
  readonly waits: readonly number[];
}

/** Scrolling a long list, in Chromium. */
export const contentListScroll: Measure = {
  name: 'content-list-scroll',
  about: 'the content list of the large project: scrolling, and 200 jumps',
  async run({ datasets, large }: Bench) {
    const { service, browser, url, state } = await openConsole(
      await datasets.copy(await datasets.of(large), 'content-list'),
    );
    try {
      await service.settled();
      const page = await (await browser.newContext({ storageState: state })).newPage();
      await page.goto(url);
      await page.locator('[role=grid] tbody th').first().waitFor();
      const debug = await page.context().newCDPSession(page);
      const heap = async () => {
        await debug.send('HeapProfiler.collectGarbage');
        const { usedSize } = await debug.send('Runtime.getHeapUsage');
        return usedSize / 1e6;
      };
      const before = await heap();
      const { long, rows, waits } = await page.evaluate<Scrolled>(SCROLLED);
      const after = await heap();
      const sorted = [...waits].sort((one, other) => one - other);
      const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
      const figures: Figure[] = [
        {
          name: 'tasks over 50 ms',
          value: long.length,
          unit: 'tasks',
          target: { atMost: 0 },
          detail: `longest ${Math.max(0, ...long).toFixed(0)} ms`,
        },
        {
          name: 'rows present after a jump, p95',
          value: at(0.95),
          unit: 'ms',
          target: { atMost: 150 },
          detail: `p50 ${at(0.5).toFixed(0)} ms, longest ${at(1).toFixed(0)} ms`,
        },
        { name: 'rows in the document', value: rows, unit: 'rows', target: { atMost: 150 } },
        {
          name: 'growth of the heap',
          value: Math.max(0, after - before),
          unit: 'MB',
          target: { atMost: 30 },
          detail: `${before.toFixed(1)} MB, then ${after.toFixed(1)} MB`,
        },
      ];
      return figures;
    } finally {
      await browser.close();
    }
  },
  compare: { leftOut: 'needs a browser, and the version before has no such list' },
};
