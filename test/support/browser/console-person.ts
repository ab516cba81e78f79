/** A person of the console in a test: an operator with a password, and a page where that person is signed in. */
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { Passwords } from '../../../core/access/passwords.ts';
import { addPerson, setPassword } from '../../../core/access/people.ts';
import { createUser } from '../../../core/access/users.ts';
import type { RunningService } from '../service/start-service.ts';
import { type LeavablePage, openPage } from './open-browser.ts';

export const PERSON = {
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  password: 'correct horse battery staple',
};

/** @returns id of the account */
export async function addOperator({ core }: Pick<RunningService, 'core'>): Promise<string> {
  const hash = await new Passwords().hash(PERSON.password);
  return core.operations.installation(null, async (to) => {
    const { id: account } = await createUser(to, { name: PERSON.name, email: PERSON.email });
    await addPerson(to, { account, email: PERSON.email, isOperator: true });
    await setPassword(to, account, hash);
    return account;
  });
}

export async function signedInPage(
  browser: Browser,
  { url }: Pick<RunningService, 'url'>,
  options?: BrowserContextOptions,
): Promise<LeavablePage> {
  const opened = await openPage(browser, options);
  const { page } = opened;
  await page.goto(`${url}/console/`);
  await page.getByLabel('Mail address').fill(PERSON.email);
  await page.getByLabel('Password').fill(PERSON.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Content' }).click();
  await page.getByRole('heading', { name: 'Content' }).waitFor();
  return opened;
}
