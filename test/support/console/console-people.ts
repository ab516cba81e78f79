/** People with roles and a session, without the password that would be hashed for each. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { addPerson } from '../../../core/access/people.ts';
import { startSession } from '../../../core/access/sessions.ts';
import { createUser, type MembershipInput } from '../../../core/access/users.ts';
import { type LeavablePage, openPage } from '../browser/open-browser.ts';
import type { RunningService } from '../service/start-service.ts';
import { ConsoleBrowser, SESSION_COOKIE } from './console-browser.ts';

export interface SignedInPerson {
  readonly account: string;
  readonly browser: ConsoleBrowser;
}

export async function signInPerson(
  service: RunningService,
  person: {
    readonly name: string;
    readonly isOperator?: boolean;
    readonly projects?: readonly MembershipInput[];
  },
): Promise<SignedInPerson> {
  const { name, isOperator = false, projects = [] } = person;
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.org`;
  const account = await service.core.operations.installation(null, async (to) => {
    const { id } = await createUser(to, { name, email, projects });
    await addPerson(to, { account: id, email, isOperator });
    return id;
  });
  return sessionOf(service, account);
}

/** A new session of a person. */
export async function sessionOf(service: RunningService, account: string): Promise<SignedInPerson> {
  const browser = new ConsoleBrowser(service.url);
  browser.cookie = await service.core.operations.installation(null, (to) =>
    startSession(to, account, { address: null, browser: null }),
  );
  return { account, browser };
}

/** An empty page of a new browser profile that has a session of the person. */
export async function pageWithSession(
  browser: Browser,
  service: RunningService,
  account: string,
  options?: BrowserContextOptions,
): Promise<LeavablePage> {
  const [opened, person] = await Promise.all([openPage(browser, options), sessionOf(service, account)]);
  await useSession(opened.page, service, person);
  return opened;
}

/** Signs a person in, instead of the one before, and leaves the page empty: that one's page would call on. */
export async function useSession(page: Page, service: RunningService, person: SignedInPerson): Promise<void> {
  if (page.url() !== 'about:blank') await page.goto('about:blank');
  await signInElsewhere(page, service, person);
}

/** As if a person had signed in in another tab. */
export async function signInElsewhere(
  page: Page,
  { url }: RunningService,
  person: SignedInPerson,
): Promise<void> {
  const { hostname: domain } = new URL(url);
  await page.context().clearCookies();
  await page.context().addCookies([
    {
      ...{ name: SESSION_COOKIE, value: person.browser.cookie!, domain, path: '/console' },
      ...{ httpOnly: true, sameSite: 'Strict' },
    },
  ]);
}
