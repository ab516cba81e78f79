import type { Browser } from 'playwright-core';
import { openBrowser } from '../../support/browser/open-browser.ts';
import type { Dataset } from '../datasets.ts';
import { type ManagedService, startManaged } from '../management/managed-service.ts';

/** What a browser keeps of a person who has signed in. */
export type SignedIn = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>;

export interface Console {
  readonly service: ManagedService;
  readonly browser: Browser;
  /** Of the content list. */
  readonly url: string;
  readonly state: SignedIn;
}

/** A service over the data, a browser, and a person of it who has signed in. */
export async function openConsole(dataset: Dataset): Promise<Console> {
  const limits = 'PLUGINS__SESSION__LIMITS__';
  const service = await startManaged(dataset, {
    [`${limits}SECOND`]: '1000',
    [`${limits}MINUTE`]: '60000',
    [`${limits}HOUR`]: '1000000',
  });
  const { id } = await service.admin('users', { name: 'Ada', email: 'ada@example.org', operator: true });
  const { token } = await service.admin(`users/${id}/sign-in-link`, {});
  const base = `http://127.0.0.1:${service.port}/console`;
  const browser = await openBrowser('chromium');
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${base}/sign-in#token=${token}`);
  await page.getByLabel('New password').fill('correct horse battery staple');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Content' }).waitFor();
  const state = await context.storageState();
  await context.close();
  return { service, browser, url: `${base}/projects/${service.project}/content`, state };
}
