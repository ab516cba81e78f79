import type { CDPSession, Page } from 'playwright-core';

/** What CDP calls the time of script, style and layout. */
const SPENT = new Set(['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration']);

/** Milliseconds of script, style and layout of each key. */
export async function press(page: Page, input: string, count: number): Promise<number[]> {
  await page.locator(input).first().focus();
  await page.keyboard.press('Control+End');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const times: number[] = [];
  for (let key = 0; key < count; key += 1) {
    const before = await spent(session);
    await page.keyboard.press('x');
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    times.push((await spent(session)) - before);
  }
  await session.detach();
  return times;
}

async function spent(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.reduce((sum, { name, value }) => (SPENT.has(name) ? sum + value * 1000 : sum), 0);
}

export function p95(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}
