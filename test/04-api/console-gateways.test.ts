/** Signing in through several gateways in processes of their own, and what their logs have of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FollowingBrowser } from '../support/clients/following-browser.ts';
import { CLIENT, type RunningProvider, runOpenIdProvider } from '../support/programs/run-open-id-provider.ts';
import { RoleProcesses } from '../support/service/role-processes.ts';

const SESSION = '__Secure-headwater-session';
const ATTEMPT = '__Secure-headwater-open-id';
/** What the proxy in front of the gateways says. */
const PROXIED = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'content.example.org' };
const PUBLIC = 'https://content.example.org';
const GUESS = 'a guessed password 0123456789';

describe('people behind several gateways', () => {
  const processes = new RoleProcesses();
  let provider: RunningProvider;
  let urls: readonly string[];
  before(async () => {
    provider = await runOpenIdProvider();
    provider.open([`${PUBLIC}/console/api/session/open-id/callback`]);
    provider.person = { sub: 'grace', email: 'grace@welcome.example', email_verified: true, name: 'Grace' };
    const setting = 'HEADWATER_PLUGINS__SESSION__OPEN_ID__';
    const environment = {
      [`${setting}ISSUER`]: provider.issuer,
      [`${setting}CLIENT_ID`]: CLIENT.id,
      [`${setting}CLIENT_SECRET`]: CLIENT.secret,
      [`${setting}NEW_USERS_OF`]: 'welcome.example',
      HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
      HEADWATER_ALLOWED_HOSTS: 'content.example.org',
      HEADWATER_LOG_LEVEL: 'debug',
    };
    await processes.startCore({ HEADWATER_LOG_LEVEL: 'debug' });
    const gateways = await Promise.all(
      ['one', 'two'].map((name) => processes.startGateway(name, environment)),
    );
    urls = gateways.map(({ url }) => url);
  });
  after(async () => {
    await processes.stop();
    await provider?.close();
  });

  const secrets: string[] = [CLIENT.secret, GUESS];

  it('finish at one gateway what they began at another', async () => {
    const browser = new FollowingBrowser();
    const [one = '', two = ''] = urls;
    const begun = await browser.get(`${one}/console/api/session/open-id`, PROXIED);
    const callback = await browser.follow(begun.headers.get('location')!, ({ origin }) => origin === PUBLIC);
    const attempt = browser.cookies(one).get(ATTEMPT)!;
    browser.cookies(two).set(ATTEMPT, attempt);
    const answer = await browser.get(`${two}${callback.pathname}${callback.search}`, PROXIED);
    expect(answer.headers.get('location')).to.equal(`${PUBLIC}/console/`);
    const session = browser.cookies(two).get(SESSION)!;
    secrets.push(attempt, session, callback.searchParams.get('code')!, callback.searchParams.get('state')!);
    for (const url of urls) {
      const read = await fetch(`${url}/console/api/session`, {
        headers: { ...PROXIED, cookie: `${SESSION}=${session}` },
      });
      expect(read.status).to.equal(200);
    }
    const out = await fetch(`${one}/console/api/session`, {
      method: 'DELETE',
      headers: {
        ...PROXIED,
        cookie: `${SESSION}=${session}`,
        'x-headwater-console': '1',
        'sec-fetch-site': 'same-origin',
      },
    });
    expect(out.status).to.equal(204);
    for (const url of urls) {
      const read = await fetch(`${url}/console/api/session`, {
        headers: { ...PROXIED, cookie: `${SESSION}=${session}` },
      });
      expect(read.status, 'the session after signing out').to.equal(401);
    }
  });

  it('leave no secret in a log', async () => {
    const token = 'a'.repeat(43);
    secrets.push(token);
    for (const [path, body] of [
      ['session', { email: 'grace@welcome.example', password: GUESS }],
      ['session/link', { token, password: GUESS }],
      ['session/open-id', { subject: 'grace', issuer: provider.issuer }],
    ] as const) {
      const headers = { ...PROXIED, 'content-type': 'application/json' };
      const own = { 'x-headwater-console': '1', 'sec-fetch-site': 'same-origin' };
      for (const more of [own, { ...own, 'sec-fetch-site': 'cross-site' }]) {
        const answer = await fetch(`${urls[0]}/console/api/${path}`, {
          method: 'POST',
          headers: { ...headers, ...more },
          body: JSON.stringify(body),
        });
        expect(answer.status).to.be.within(401, 404);
      }
    }
    await processes.end();
    const files = ['one.log', 'two.log']
      .map((name) => join(processes.folder, name))
      .filter((path) => existsSync(path));
    const logs = [...processes.outputs(), ...files.map((path) => readFileSync(path, 'utf8'))].join('\n');
    expect(logs, 'the requests are in the logs').to.include('/console/api/session/open-id/callback');
    expect(logs, 'a forged write is in the log').to.include('A write from another origin was refused.');
    for (const secret of secrets) expect(logs.includes(secret), secret.slice(0, 10)).to.equal(false);
  });
});
