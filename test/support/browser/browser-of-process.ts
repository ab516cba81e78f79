/** Loaded by mocha in every process: the driver of the browser is loaded where a test opens one. */
import type { Browser } from 'playwright-core';

interface Shared {
  readonly browser: Browser;
  end(): Promise<void>;
}

let shared: Promise<Shared> | undefined;

/**
 * The browser that all tests of this process use: a start takes 0.46 s of CPU.
 * @returns one whose `close` closes its pages alone; it ends with the process
 */
export async function browserOfProcess(): Promise<Browser> {
  const latest = shared;
  const former = await latest?.catch(() => undefined);
  // Another one in place of one that has died.
  if (shared === latest && !former?.browser.isConnected()) shared = open();
  return (await shared!).browser;
}

async function open(): Promise<Shared> {
  const { openBrowser } = await import('./open-browser.ts');
  const browser = await openBrowser();
  const end = browser.close.bind(browser);
  browser.close = async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  };
  return { browser, end };
}

/** A process of a parallel run has other files after this one; where it exits, the driver ends the browser. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    if (process.env['MOCHA_WORKER_ID'] !== undefined) return;
    const former = shared;
    shared = undefined;
    await (await former?.catch(() => undefined))?.end();
  },
};
