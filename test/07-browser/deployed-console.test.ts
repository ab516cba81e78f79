/** The console as it is deployed: behind nginx as shipped, with an OpenID Connect provider, in a real browser. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { addPerson } from '../../core/access/people.ts';
import { createUser } from '../../core/access/users.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { addOperator, PERSON } from '../support/browser/console-person.ts';
import { openPage, withScreenshot } from '../support/browser/open-browser.ts';
import { longTest } from '../support/long-form.ts';
import { type RunningNginx, runNginx } from '../support/programs/run-nginx.ts';
import { CLIENT, type RunningProvider, runOpenIdProvider } from '../support/programs/run-open-id-provider.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const LARGE = 24 * 1024 * 1024;

describe('the console as it is deployed', () => {
  let provider: RunningProvider;
  let service: RunningService;
  let nginx: RunningNginx;
  let browser: Browser;
  /** Names a role, another one when the test is run again. */
  let made = 0;
  before(async function () {
    // nginx may have to be installed.
    this.timeout(300_000);
    provider = await runOpenIdProvider();
    const setting = 'HEADWATER_PLUGINS__SESSION__OPEN_ID__';
    [service, browser] = await Promise.all([
      startService({
        sample: true,
        environment: {
          [`${setting}ISSUER`]: provider.issuer,
          [`${setting}CLIENT_ID`]: CLIENT.id,
          [`${setting}CLIENT_SECRET`]: CLIENT.secret,
          [`${setting}NAME`]: 'Example login',
          HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
        },
      }),
      browserOfProcess(),
    ]);
    nginx = await runNginx(new URL(service.url).host);
    // Another site than that of the provider, which is at 127.0.0.1: the browser sends no strict cookie from there.
    provider.open([`${nginx.https}/console/api/session/open-id/callback`]);
    await addOperator(service);
    await service.core.operations.installation(null, async (to) => {
      const { id } = await createUser(to, { name: 'Grace', email: 'grace@example.org' });
      await addPerson(to, { account: id, email: 'grace@example.org', isOperator: true });
    });
  });
  after(async () => {
    await browser?.close();
    await nginx?.end();
    await service?.stop();
    await provider?.close();
  });
  const opened = async (work: (page: Page) => Promise<void>) => {
    const { page, errors } = await openPage(browser, { ignoreHTTPSErrors: true });
    try {
      await withScreenshot(page, 'deployed', () => work(page));
      expect(errors).to.deep.equal([]);
    } finally {
      await page.context().close();
    }
  };

  longTest('signs in through the button of the provider, and over a page whose session has ended', () =>
    opened(async (page) => {
      provider.person = { sub: 'grace-1', email: 'grace@example.org', email_verified: true, name: 'Grace' };
      const path = `/console/projects/${service.sample!.projectId}/content?text=kingfisher`;
      await page.goto(nginx.https + path);
      await page.getByRole('link', { name: 'Sign in with Example login' }).click();
      await page.getByRole('link', { name: 'Return of the kingfisher' }).waitFor();
      expect(page.url()).to.equal(nginx.https + path);

      await service.core.operations.storage.write((tx) => tx.run('DELETE FROM session', []));
      await page.getByRole('searchbox', { name: 'Search' }).fill('orrach');
      const dialog = page.getByRole('dialog', { name: 'Sign in' });
      const tab = page.context().waitForEvent('page');
      await dialog.getByRole('link', { name: 'Sign in with Example login' }).click();
      await (await tab).getByRole('heading', { name: 'Home' }).waitFor();
      await (await tab).close();
      await page.evaluate(`dispatchEvent(new Event('focus'))`);
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Where the Orrach begins' }).waitFor();
      expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).to.equal('orrach');
    }),
  );

  it('works behind nginx: cookie, origin, events as they happen, large uploads', () =>
    opened(async (page) => {
      await page.goto(`${nginx.https}/console/`);
      await page.getByLabel('Mail address').fill(PERSON.email);
      await page.getByLabel('Password').fill(PERSON.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Roles' }).click();
      await page.getByRole('row', { name: /^Reader/ }).waitFor();
      const cookies = await page.context().cookies();
      const session = cookies.find(({ name }) => name === '__Secure-headwater-session')!;
      expect(session).to.include({ path: '/console', secure: true, httpOnly: true, sameSite: 'Strict' });

      // Within the time of a test an event arrives only where nothing holds the stream back.
      made += 1;
      const name = `Seen at once ${made}`;
      const role = { name, codename: `seen_${made}`, permissions: ['view-content'] };
      const answer = await fetch(`${service.url}/admin/roles`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(role),
      });
      expect(answer.status).to.equal(201);
      await page.getByRole('row', { name: new RegExp(`^${name} `) }).waitFor();

      const uploaded = await page.evaluate(
        async ([project, size]) => {
          const response = await fetch(`/console/api/manage/projects/${project}/files/large.bin`, {
            method: 'POST',
            headers: { 'x-headwater-console': '1', 'content-type': 'application/octet-stream' },
            body: new Blob([new Uint8Array(size as number)]),
          });
          return { status: response.status, text: await response.text() };
        },
        [service.sample!.projectId, LARGE] as const,
      );
      expect(uploaded.status, uploaded.text).to.equal(200);

      // As a browser without Fetch Metadata sends it.
      const writeFrom = async (origin: string) => {
        const call = request(`${nginx.https}/console/api/admin/roles`, {
          method: 'POST',
          ca: nginx.ca,
          headers: {
            cookie: `${session.name}=${session.value}`,
            'x-headwater-console': '1',
            'content-type': 'application/json',
            origin,
          },
        }).end('{}');
        const [answer] = (await once(call, 'response')) as [IncomingMessage];
        answer.resume();
        return answer.statusCode;
      };
      expect(await writeFrom('https://evil.example')).to.equal(403);
      expect(await writeFrom(nginx.http)).to.equal(403);
      expect(await writeFrom(nginx.https), 'the body is refused, not the origin').to.equal(400);
    }));
});
