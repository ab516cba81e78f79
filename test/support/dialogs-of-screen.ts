import type { Page } from 'playwright-core';
import { until } from './until.ts';

export const OPEN_DIALOG = 'dialog[open]';

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
    const isFileChooser = page.waitForEvent('filechooser').then(() => true);
    const isDialog = page.locator(OPEN_DIALOG).waitFor();
    await opening.filter({ hasText: text }).first().click();
    isFileChooser.catch(() => undefined);
    isDialog.catch(() => undefined);
    const isOfBrowser = await Promise.race([isFileChooser, isDialog.then(() => false)]).catch(() => {
      throw new Error(`'${text}' opens nothing.`);
    });
    if (isOfBrowser) continue;
    await openAll(page, `${OPEN_DIALOG} details`);
    await visit(text);
    await closeDialog(page);
  }
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
