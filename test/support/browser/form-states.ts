import type { Page } from 'playwright-core';

/**
 * Follows what the bar of an item's form says about saving, which may be there for a moment only.
 * @returns what it has said since, in its order
 */
export async function formStates(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(`{
    const bar = document.querySelector('.form-bar [role=status]');
    globalThis.formStates = [];
    new MutationObserver(() => formStates.push(bar.textContent))
      .observe(bar, { subtree: true, childList: true, characterData: true });
  }`);
  return () => page.evaluate('formStates') as Promise<string[]>;
}
