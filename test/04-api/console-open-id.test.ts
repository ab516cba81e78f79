/** Signing in at the console through a real OpenID Connect provider. */
import { expect } from 'chai';
import { addPerson } from '../../core/access/people.ts';
import { createUser } from '../../core/access/users.ts';
import { FollowingBrowser } from '../support/clients/following-browser.ts';
import { ConsoleBrowser, SESSION_COOKIE } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { longTest } from '../support/long-form.ts';
import { CLIENT, type RunningProvider, runOpenIdProvider } from '../support/programs/run-open-id-provider.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const ATTEMPT = 'headwater-open-id';

describe('signing in through an OpenID Connect provider', () => {
  let provider: RunningProvider;
  let service: RunningService;
  let operator: ConsoleBrowser;
  before(async () => {
    provider = await runOpenIdProvider();
    const setting = 'HEADWATER_PLUGINS__SESSION__OPEN_ID__';
    service = await startService({
      environment: {
        [`${setting}ISSUER`]: provider.issuer,
        [`${setting}CLIENT_ID`]: CLIENT.id,
        [`${setting}CLIENT_SECRET`]: CLIENT.secret,
        [`${setting}NAME`]: 'Example login',
        [`${setting}NEW_USERS_OF`]: 'welcome.example',
        [`${setting}TIMEOUT_SECONDS`]: '2',
        HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
        HEADWATER_ALLOWED_HOSTS: 'content.example.org',
      },
    });
    provider.open([
      `${service.url}/console/api/session/open-id/callback`,
      'https://content.example.org/console/api/session/open-id/callback',
    ]);
    ({ browser: operator } = await signInPerson(service, { name: 'Operator', isOperator: true }));
    await service.core.operations.installation(null, async (to) => {
      const { id } = await createUser(to, { name: 'Grace', email: 'Grace@Example.org' });
      await addPerson(to, { account: id, email: 'grace@example.org', isOperator: false });
    });
  });
  after(async () => {
    await service?.stop();
    await provider.close();
  });
  afterEach(() => {
    provider.tamper = undefined;
    provider.isSilent = false;
  });

  const GRACE = { sub: 'grace-1', email: 'grace@example.org', email_verified: true, name: 'Grace' };
  const start = () => `${service.url}/console/api/session/open-id`;
  const isCallback = (url: URL) => url.pathname.endsWith('/open-id/callback');
  /** @returns where the person is led to, below the console */
  const signIn = async (query = '', browser = new FollowingBrowser()) => {
    const end = await browser.follow(
      start() + query,
      (url) => url.href.startsWith(`${service.url}/console/`) && !url.pathname.startsWith('/console/api/'),
    );
    const person = new ConsoleBrowser(service.url);
    person.cookie = browser.cookies(service.url).get(SESSION_COOKIE);
    return { to: end.pathname.slice('/console'.length) + end.search, person, browser };
  };
  const whoIs = async (person: ConsoleBrowser) =>
    (
      await person.request<{ person: { name: string; email: string }; is_confirmed: boolean }>(
        'GET',
        'session',
      )
    ).body;
  const audit = async () =>
    (
      await operator.request<{ audit: { act: string; actor: string; subject: string }[] }>(
        'GET',
        'admin/audit',
      )
    ).body.audit;
  const refused = async (query = '') => {
    const { to, person } = await signIn(query);
    expect(person.cookie).to.equal(undefined);
    const [newest] = await audit();
    return { to, act: newest!.act, subject: newest!.subject };
  };

  it('is offered by its name', async () => {
    const { body } = await new ConsoleBrowser(service.url).request('GET', 'session/methods');
    expect(body).to.deep.equal({ open_id: { name: 'Example login' } });
  });

  it('finds the user by the verified mail address, and from then on by the subject', async () => {
    provider.person = GRACE;
    const { to, person, browser } = await signIn('?to=/projects?x=1');
    expect(to).to.equal('/projects?x=1');
    const session = await whoIs(person);
    expect(session.person).to.include({ name: 'Grace' });
    expect(session.is_confirmed, 'the provider may have asked for no password').to.equal(false);
    expect(browser.cookies(service.url).has(ATTEMPT)).to.equal(false);
    expect((await audit())[0]).to.include({ act: 'sign in by OpenID Connect' });
    provider.person = { ...GRACE, email: 'hopper@example.org' };
    expect((await whoIs((await signIn()).person)).person).to.include({ name: 'Grace' });
  });

  it('counts as a fresh sign-in where the provider had to ask for the password', async () => {
    provider.person = GRACE;
    expect((await whoIs((await signIn('?fresh=true')).person)).is_confirmed).to.equal(true);
  });

  it('makes a user of a permitted domain, without roles, and no other', async () => {
    provider.person = {
      sub: 'new-1',
      email: 'new@welcome.example',
      email_verified: true,
      name: 'New person',
    };
    const { person } = await signIn();
    const { body } = await person.request<{ person: object; projects: object[] }>('GET', 'session');
    expect(body.person).to.include({ name: 'New person', is_operator: false });
    expect(body.projects).to.deep.equal([]);
    provider.person = { ...provider.person, sub: 'new-2', email: 'new@welcome.example.evil.example' };
    expect(await refused()).to.deep.include({
      to: '/sign-in?refused=user',
      act: 'refused: sign in by OpenID Connect',
    });
  });

  it('refuses another subject with the mail address of a known one', async () => {
    provider.person = { ...GRACE, sub: 'grace-2' };
    expect((await refused()).to).to.equal('/sign-in?refused=user');
  });

  for (const [what, person] of [
    ['no mail address', { sub: 'a' }],
    ['a mail address that is not verified', { ...GRACE, email_verified: false }],
    ['a mail address about which it says nothing', { sub: 'b', email: 'grace@example.org' }],
  ] as const)
    it(`refuses ${what}`, async () => {
      provider.person = person;
      expect(await refused()).to.deep.equal({
        to: '/sign-in?refused=mail',
        act: 'refused: sign in by OpenID Connect',
        subject: 'session (mail)',
      });
    });

  for (const [what, change] of [
    ['nonce', { nonce: 'another' }],
    ['issuer', { iss: 'https://evil.example' }],
    ['audience', { aud: 'another' }],
    ['time', { exp: 1_000_000_000 }],
  ] as const)
    it(`refuses an ID token with a wrong ${what}`, async () => {
      provider.person = GRACE;
      provider.tamper = (claims) => ({ ...claims, ...change });
      expect(await refused()).to.deep.equal({
        to: '/sign-in?refused=provider',
        act: 'refused: sign in by OpenID Connect',
        subject: 'session (provider)',
      });
    });

  it('accepts the same ID token unchanged, so that the refusals are about what was changed', async () => {
    provider.person = GRACE;
    provider.tamper = (claims) => claims;
    expect((await whoIs((await signIn()).person)).person).to.include({ name: 'Grace' });
  });

  it('refuses an answer with a wrong state, in another browser, or used twice', async () => {
    provider.person = GRACE;
    const browser = new FollowingBrowser();
    const callback = await browser.follow(start(), isCallback);
    const at = async (url: URL | string, by = browser) => {
      const response = await by.get(String(url));
      return response.headers.get('location')?.slice(`${service.url}/console`.length);
    };
    const wrong = new URL(callback);
    wrong.searchParams.set('state', 'another');
    expect(await at(callback, new FollowingBrowser()), 'another browser').to.equal(
      '/sign-in?refused=attempt',
    );
    const forged = new FollowingBrowser();
    const sealed = browser.cookies(service.url).get(ATTEMPT)!;
    forged.cookies(service.url).set(ATTEMPT, `${sealed.slice(0, 20)}x${sealed.slice(21)}`);
    expect(await at(callback, forged), 'a changed cookie').to.equal('/sign-in?refused=attempt');
    const kept = new Map(browser.cookies(service.url));
    expect(await at(wrong)).to.equal('/sign-in?refused=attempt');
    for (const [name, value] of kept) browser.cookies(service.url).set(name, value);
    expect(await at(callback)).to.equal('/');
    for (const [name, value] of kept) browser.cookies(service.url).set(name, value);
    expect(await at(callback), 'used twice').to.equal('/sign-in?refused=provider');
    const acts = (await audit()).slice(0, 5).map(({ act, subject }) => `${act}, ${subject}`);
    expect(acts.filter((act) => act.startsWith('refused: '))).to.have.length(4);
  });

  it('leads to no other site', async () => {
    provider.person = GRACE;
    for (const to of ['https://evil.example/', '//evil.example/', '/\\evil.example', '@evil.example'])
      expect((await signIn(`?to=${encodeURIComponent(to)}`)).to, to).to.match(/^\//);
  });

  it('cannot be claimed by a request', async () => {
    const body = { issuer: provider.issuer, subject: 'grace-1', email: 'grace@example.org' };
    const { status } = await new ConsoleBrowser(service.url).request('POST', 'session/open-id', body);
    expect(status).to.equal(404);
  });

  it('sends people back to the address that they use, behind a proxy as well', async () => {
    const response = await new FollowingBrowser().get(start(), {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'content.example.org',
    });
    const url = new URL(response.headers.get('location')!);
    expect(url.searchParams.get('redirect_uri')).to.equal(
      'https://content.example.org/console/api/session/open-id/callback',
    );
    expect(url.searchParams.get('code_challenge_method')).to.equal('S256');
  });

  longTest('says that the provider does not answer; the password still works', async () => {
    provider.person = GRACE;
    const browser = new FollowingBrowser();
    const callback = await browser.follow(start(), isCallback);
    provider.isSilent = true;
    const response = await browser.get(callback.href);
    expect(response.headers.get('location')).to.equal(`${service.url}/console/sign-in?refused=unavailable`);
    const wrong = { email: 'grace@example.org', password: 'not the password' };
    const { status } = await new ConsoleBrowser(service.url).request('POST', 'session', wrong);
    expect(status, 'a password is checked').to.equal(401);
  });

  it('asks the provider for nothing but what signing in needs', () => {
    const paths = new Set(provider.requests.map((path) => path.replace(/\/(auth|interaction)\/.*/, '/$1/…')));
    expect([...paths].sort()).to.deep.equal([
      '/.well-known/openid-configuration',
      '/auth',
      '/auth/…',
      '/interaction/…',
      '/jwks',
      '/me',
      '/token',
    ]);
  });
});

describe('an OpenID Connect provider that was never there', () => {
  let service: RunningService;
  before(async () => {
    const provider = await runOpenIdProvider();
    await provider.close();
    const setting = 'HEADWATER_PLUGINS__SESSION__OPEN_ID__';
    service = await startService({
      environment: {
        [`${setting}ISSUER`]: provider.issuer,
        [`${setting}CLIENT_ID`]: CLIENT.id,
        [`${setting}CLIENT_SECRET`]: CLIENT.secret,
      },
    });
  });
  after(() => service?.stop());

  it('does not keep the service from starting; the sign-in page says so', async () => {
    const response = await new FollowingBrowser().get(`${service.url}/console/api/session/open-id`);
    expect(response.status).to.equal(303);
    expect(response.headers.get('location')).to.equal(`${service.url}/console/sign-in?refused=unavailable`);
  });
});
