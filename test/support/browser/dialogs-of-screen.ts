import type { Locator, Page } from 'playwright-core';
import { until } from '../until.ts';

export const OPEN_DIALOG = 'dialog[open]';
/** Until a button is pressed once more. */
const OPENS_MS = 3000;

/** Unfolds what matches. */
export const openAll = (page: Page, selector: string): Promise<void> =>
  page.evaluate(`for (const one of document.querySelectorAll('${selector}')) one.open = true`);

/**
 * Opens and closes each dialog of the buttons of a screen that end with three dots; those of the browser, for files, are left out.
 *
 * @param visit is called in each open dialog, with the text of its button
 * @param scope of the buttons
 */
export async function eachDialog(
  page: Page,
  visit: (button: string) => Promise<void>,
  scope = 'main',
): Promise<void> {
  const opening = page.locator(`${scope} button:visible:enabled`).filter({ hasText: /…$/ });
  for (const text of new Set(await opening.allInnerTexts())) {
    const isOfBrowser = await open(page, opening.filter({ hasText: text }).first()).catch(() => {
      throw new Error(`'${text}' opens nothing.`);
    });
    if (isOfBrowser) continue;
    await openAll(page, `${OPEN_DIALOG} details`);
    await visit(text);
    await closeDialog(page);
  }
}

/** @returns whether the browser has opened a dialog of its own */
async function open(page: Page, button: Locator): Promise<boolean> {
  let isOfBrowser = false;
  let note = () => {};
  const noted = new Promise<void>((resolve) => {
    note = () => {
      isOfBrowser = true;
      resolve();
    };
  });
  page.on('filechooser', note);
  try {
    // Again where nothing opens: a button that is drawn anew between press and release is not clicked.
    await until(async () => {
      if (!isOfBrowser && (await page.locator(OPEN_DIALOG).count()) === 0) await button.click();
      const isOpen = page.locator(OPEN_DIALOG).waitFor({ timeout: OPENS_MS });
      await Promise.race([noted, isOpen.catch(() => undefined)]);
      return isOfBrowser || (await page.locator(OPEN_DIALOG).count()) > 0;
    });
  } finally {
    page.off('filechooser', note);
  }
  return isOfBrowser;
}

/** Leaves it by Escape, and drops what was typed in it. */
export async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  const drop = page.locator(`${OPEN_DIALOG} > .notice[role=alert] button`).first();
  // Not with a wait for each of the two: the one that is left would click in a later dialog.
  await until(async () => {
    if ((await page.locator(OPEN_DIALOG).count()) === 0) return true;
    if (await drop.isVisible()) await drop.click();
    return false;
  });
}
