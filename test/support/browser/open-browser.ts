/** Debian's Chromium, driven by playwright-core. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import { realProgram } from '../programs/real-program.ts';
import { FINDINGS } from '../temporary-folder.ts';
import { ReusablePage, takePage } from './reused-pages.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** WCAG 2.2 AA, and axe's own best practices. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Ends a wait for what does not come, also on a busy machine: no test measures time with it. */
const LONGEST_WAIT_MS = 90_000;
/** How many times slower pages are than this machine; their calls wait as many times `CALL_MS`. */
const SLOWDOWN = Number(process.env['HEADWATER_TEST_SLOWDOWN'] ?? 1);
const CALL_MS = 50;

/** With windows it takes a fourth more CPU; headless, none of them shows. */
type Program = 'chromium' | 'chromium-headless-shell';

export async function openBrowser(program?: Program): Promise<Browser> {
  return chromium.launch(await launchOptions(program));
}

async function launchOptions(program: Program = 'chromium-headless-shell'): Promise<LaunchOptions> {
  return {
    executablePath: await realProgram(program),
    args: ['--no-sandbox'],
    // Fields for dates have its form, whatever the language of a page.
    env: { ...process.env, LANGUAGE: 'en_US' },
  };
}

export interface KillableBrowser extends OpenedPage {
  /** As a crash or a loss of power would. */
  kill(): Promise<void>;
}

/** A browser that keeps what pages store in a folder. */
export async function openProfile(folder: string): Promise<KillableBrowser> {
  const context = await chromium.launchPersistentContext(folder, {
    ...(await launchOptions()),
    locale: 'en-GB',
  });
  const closed = new Promise<void>((resolve) => context.once('close', () => resolve()));
  const opened = watched(await pageOf(context));
  return {
    ...opened,
    async kill() {
      const session = await context.browser()!.newBrowserCDPSession();
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      process.kill(processInfo.find(({ type }) => type === 'browser')!.id, 'SIGKILL');
      await closed;
    },
  };
}

export interface OpenedPage {
  readonly page: Page;
  /** What went wrong in it: errors of scripts, and what the content security policy refused. */
  readonly errors: readonly string[];
}

/** A page whose place another job may take. */
export interface LeavablePage extends OpenedPage {
  /** Instead of closing its context: a later page of the same options is cheaper then. */
  leave(): Promise<void>;
}

/** An empty page of a browser profile that has nothing but cached files. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<LeavablePage> {
  let reusable = takePage(browser, options);
  if (reusable) await reusable.page.context().tracing.startChunk();
  else {
    const page = await pageOf(await browser.newContext({ locale: 'en-GB', ...options }));
    reusable = await ReusablePage.of(page, options);
  }
  return { ...watched(reusable.page), leave: () => reusable.leave() };
}

async function pageOf(context: BrowserContext): Promise<Page> {
  context.setDefaultTimeout(LONGEST_WAIT_MS);
  // Its calls and requests; copies of the document at each call would double the time of the tests.
  await context.tracing.start();
  if (SLOWDOWN > 1) await slowDown(context);
  return context.newPage();
}

function watched(page: Page): OpenedPage {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // The browser reports each refused answer; the page shows those.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  return { page, errors };
}

async function slowDown(context: BrowserContext): Promise<void> {
  context.on('page', async (page) => {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  });
  await context.route('**/console/api/**', async (route) => {
    await pause(SLOWDOWN * CALL_MS);
    await route.continue().catch(() => undefined);
  });
}

/**
 * What axe finds on the page, a line each, and a title of the page that does not say what it shows.
 * @param within selector of the part that is examined; the whole page if not given
 */
export async function accessibilityFindings(page: Page, within?: string): Promise<string[]> {
  // Through the debugger: the page's own policy allows no other script. Half a megabyte, so once in a document.
  if (!(await page.evaluate(`'axe' in globalThis`)))
    await page.evaluate(`(() => { ${await readFile(AXE, 'utf8')} })()`);
  const part = within === undefined ? 'document' : JSON.stringify(within);
  // It would load styles of other sites and films that start by themselves ahead: the console has neither.
  const options = { runOnly: RULES, resultTypes: ['violations'], preload: false };
  const lines = `({ violations }) => violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => id + ': ' + help + ' (' + JSON.stringify(target) + ')'))`;
  const findings = await page.evaluate<string[]>(
    `axe.run(${part}, ${JSON.stringify(options)}).then(${lines})`,
  );
  if (within === undefined) {
    // Rich text has headings of its own.
    const headings = await page.locator('h1:not([role=textbox] *)').allTextContents();
    const title = await page.title();
    if (title !== [...headings, 'Headwater'].join(' – ')) findings.push(`title: “${title}”`);
  }
  return findings;
}

/**
 * An image of the page of a failed test, and the trace of all that was done in its browser (`npx playwright-core
 * show-trace`), in the folder of temporary files; their paths are in the report.
 */
export async function withScreenshot(page: Page, name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const folder = await mkdtemp(join(tmpdir(), FINDINGS));
    const [image, trace] = [join(folder, `${name}.png`), join(folder, `${name}.zip`)];
    await page.screenshot({ path: image }).catch(() => undefined);
    await page
      .context()
      .tracing.stop({ path: trace })
      .catch(() => undefined);
    (error as Error).message += `\nThe page: ${image}\nThe trace: ${trace}`;
    throw error;
  }
}
