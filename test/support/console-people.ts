/** People with roles and a session, without the password that would be hashed for each. */
import type { Page } from 'playwright-core';
import { addPerson } from '../../core/access/people.ts';
import { startSession } from '../../core/access/sessions.ts';
import { createUser, type MembershipInput } from '../../core/access/users.ts';
import { SESSION_COOKIE } from '../../core/contract.ts';
import { ConsoleBrowser } from './console-browser.ts';
import type { RunningService } from './start-service.ts';

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
  const { account, token } = await service.core.operations.installation(null, async (to) => {
    const { id } = await createUser(to, { name, email, projects });
    await addPerson(to, { account: id, email, isOperator });
    return { account: id, token: await startSession(to, id, { address: null, browser: null }) };
  });
  const browser = new ConsoleBrowser(service.url);
  browser.cookie = token;
  return { account, browser };
}

/** Signs a person in, instead of the one before, and leaves the page empty: that one's page would call on. */
export async function useSession(page: Page, { url }: RunningService, person: SignedInPerson): Promise<void> {
  const { hostname: domain } = new URL(url);
  await page.goto('about:blank');
  await page.context().clearCookies();
  await page.context().addCookies([
    {
      ...{ name: SESSION_COOKIE, value: person.browser.cookie!, domain, path: '/console' },
      ...{ secure: true, httpOnly: true, sameSite: 'Strict' },
    },
  ]);
}
