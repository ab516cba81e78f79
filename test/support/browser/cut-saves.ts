import type { Page } from 'playwright-core';

/**
 * Saves of the item editor get no answer from now on, also those of pages that are loaded later.
 * @returns ends it
 */
export async function cutSaves(page: Page): Promise<() => Promise<void>> {
  const saves = '**/variants/**';
  await page.route(saves, (route) =>
    'if-match' in route.request().headers() ? route.abort() : route.continue(),
  );
  // What a page sends while it is left passes by the routes.
  await page.evaluate(`{
    const { fetch } = window;
    window.areSavesCut = true;
    window.fetch = (url, init) =>
      window.areSavesCut && init?.headers?.['if-match']
        ? Promise.reject(new TypeError('Failed to fetch'))
        : fetch(url, init);
  }`);
  return async () => {
    await page.unroute(saves);
    await page.evaluate('window.areSavesCut = false');
  };
}
