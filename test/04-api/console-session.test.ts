/** Signing in at the console over HTTP: links, passwords, sessions, and writes from elsewhere. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Passwords } from '../../core/access/passwords.ts';
import { addPerson, setPassword } from '../../core/access/people.ts';
import { listSessions } from '../../core/access/sessions.ts';
import { createLink } from '../../core/access/sign-in-links.ts';
import { createUser } from '../../core/access/users.ts';
import { ConsoleBrowser, SESSION_COOKIE } from '../support/console/console-browser.ts';
import { sessionOf, signInPerson } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const PASSWORD = 'correct horse battery staple';

describe('signing in at the console', () => {
  let service: RunningService;
  let operator: ConsoleBrowser;
  before(async () => {
    const limits = 'HEADWATER_PLUGINS__SESSION__LIMITS__';
    service = await startService({ sample: true, environment: { [`${limits}SECOND`]: '500' } });
    operator = new ConsoleBrowser(service.url);
  });
  after(() => service.stop());

  const link = (account: string | null) =>
    service.core.operations.installation(null, (to) => createLink(to, account));
  const signIn = async (email: string, password = PASSWORD) => {
    const browser = new ConsoleBrowser(service.url);
    const { status } = await browser.request('POST', 'session', { email, password });
    return { status, browser };
  };
  const accountOf = async (email: string) => {
    const { users } = (
      await operator.request<{ users: { id: string; email: string }[] }>('GET', 'admin/users')
    ).body;
    return users.find((user) => user.email.toLowerCase() === email)!.id;
  };
  const audit = async () =>
    (await operator.request<{ audit: { act: string; actor: string }[] }>('GET', 'admin/audit')).body.audit;

  it('begins with a link that makes the first user, an operator', async () => {
    const [token, other] = [await link(null), await link(null)];
    const browser = new ConsoleBrowser(service.url);
    expect((await browser.request('GET', 'session/link')).body).to.deep.equal({ first_user: true });
    const first = { name: 'Ada', email: 'Ada@Example.org', password: PASSWORD };
    expect(
      (await browser.request('POST', 'session/link', { ...first, token, password: 'short' })).status,
    ).to.equal(400);
    const made = await operator.request('POST', 'session/link', { ...first, token });
    expect(made.status).to.equal(201);
    const cookie = made.headers.get('set-cookie');
    for (const part of ['Path=/console', 'HttpOnly', 'SameSite=Strict']) expect(cookie).to.include(part);
    const { body } = await operator.request<{ person: object }>('GET', 'session');
    expect(body.person).to.include({ name: 'Ada', email: 'Ada@Example.org', is_operator: true });
    const again = await browser.request('POST', 'session/link', { ...first, token });
    expect(again.status).to.equal(401);
    const late = await browser.request('POST', 'session/link', { ...first, token: other });
    expect(late.status).to.equal(401);
    expect(late.body).to.have.property('message').that.includes("'headwater user sign-in-link --email ");
    expect((await audit()).map(({ act }) => act)).to.include('refused: sign in by link');
  });

  it('has a token of its own, whatever cookie was planted before', async () => {
    const who = async (cookie: string) => {
      const planter = new ConsoleBrowser(service.url);
      planter.cookie = cookie;
      const { status, body } = await planter.request<{ person?: { name: string } }>('GET', 'session');
      return body.person?.name ?? status;
    };
    const stranger = await signInPerson(service, { name: 'Mallory' });
    const own = { email: 'ada@example.org', password: PASSWORD };
    const account = await accountOf('ada@example.org');
    for (const [planted, owner, short] of [
      ['planted-by-someone-else-0123456789abcdefghi', 401, 'session/link'],
      [stranger.browser.cookie!, 'Mallory', 'session'],
    ] as const) {
      expect(await who(planted)).to.equal(owner);
      for (const path of isLongForm ? (['session', 'session/link'] as const) : [short]) {
        const given = path === 'session' ? own : { token: await link(account), password: PASSWORD };
        const browser = new ConsoleBrowser(service.url);
        browser.cookie = planted;
        const signedIn = await browser.request('POST', path, given);
        expect(signedIn.status, path).to.equal(201);
        expect(browser.cookie, path)
          .to.match(/^[\w-]{43}$/)
          .and.not.equal(planted);
        expect(await who(browser.cookie!), path).to.equal('Ada');
        // What was planted does not become a session of the person.
        expect(await who(planted), path).to.equal(owner);
      }
    }
    // A link with a password ends the other sessions.
    await operator.request('POST', 'session', own);
  });

  it('works with the mail address in any case and the password, and with nothing else', async () => {
    expect((await signIn('ada@example.ORG')).status).to.equal(201);
    for (const [email, password] of [
      ['ada@example.org', 'correct horse battery'],
      ['nobody@example.org', PASSWORD],
      ["' OR 1=1 --", PASSWORD],
    ])
      expect((await signIn(email!, password)).status).to.equal(401);
    expect((await audit()).filter(({ act }) => act === 'refused: sign in')).to.have.length(3);
  });

  it('gives an operator the admin and the management API, and names the person in the audit log', async () => {
    const { id } = service.sample!.projectId ? { id: service.sample!.projectId } : { id: '' };
    const projects = await operator.request<{ projects: { id: string }[] }>('GET', 'admin/projects');
    expect(projects.body.projects.map((project) => project.id)).to.include(id);
    expect((await operator.request('GET', `manage/projects/${id}/items`)).status).to.equal(200);
    const { body: session } = await operator.request<{ person: { id: string } }>('GET', 'session');
    const { status } = await operator.request('PUT', `admin/projects/${id}/secure-access`, {
      enabled: false,
    });
    expect(status).to.equal(200);
    expect((await audit())[0]).to.include({ actor: session.person.id });
  });

  it('refuses calls of a page that was made for another person', async () => {
    const { body: session } = await operator.request<{ person: { id: string } }>('GET', 'session');
    const id = service.sample!.projectId;
    const status = async (method: string, path: string, user: string) =>
      (await operator.request(method, path, method === 'GET' ? undefined : {}, { 'x-headwater-user': user }))
        .status;
    const paths = [
      ['GET', `manage/projects/${id}/items`],
      ['GET', `delivery/${id}/items?limit=1`],
      ['GET', 'admin/projects'],
    ] as const;
    for (const [method, path] of paths)
      expect([
        await status(method, path, session.person.id),
        await status(method, path, 'another'),
      ]).to.deep.equal([200, 401]);
    expect(await status('POST', `manage/projects/${id}/items`, 'another')).to.equal(401);
    expect(await status('POST', `manage/projects/${id}/items`, session.person.id)).to.equal(400);
    // The page finds out who is signed in.
    expect(await status('GET', 'session', 'another')).to.equal(200);
    expect(await status('PUT', 'presence', 'another')).to.equal(401);
    expect(await status('PUT', 'presence', session.person.id)).to.equal(400);
    expect(await status('DELETE', 'session', 'another')).to.equal(401);
    expect(await status('GET', 'session', session.person.id)).to.equal(200);
  });

  it('gives a person without a role nothing, and says so', async () => {
    const account = await service.core.operations.installation(null, async (to) => {
      const { id } = await createUser(to, { name: 'Grace', email: 'grace@example.org' });
      await addPerson(to, { account: id, email: 'grace@example.org', isOperator: false });
      await setPassword(to, id, await new Passwords().hash(PASSWORD));
      return id;
    });
    const { browser } = await signIn('grace@example.org');
    const { body } = await browser.request<{ person: object; projects: object[] }>('GET', 'session');
    expect(body).to.deep.include({ projects: [] });
    expect(body.person).to.include({ id: account, is_operator: false });
    for (const path of ['admin/projects', `manage/projects/${service.sample!.projectId}/items`])
      expect((await browser.request('GET', path)).status, path).to.equal(403);
  });

  it('lets a person do what the roles permit, in the projects of the roles only', async () => {
    const { projectId } = service.sample!;
    const { roles } = (
      await operator.request<{ roles: { id: string; codename: string }[] }>('GET', 'admin/roles')
    ).body;
    const { users } = (
      await operator.request<{ users: { id: string; name: string }[] }>('GET', 'admin/users')
    ).body;
    const grace = users.find(({ name }) => name === 'Grace')!.id;
    const { id: other } = (
      await operator.request<{ id: string }>('POST', 'admin/projects', { name: 'Other' })
    ).body;
    const { browser } = await signIn('grace@example.org');
    const give = async (...codenames: string[]) => {
      const given = roles.filter(({ codename }) => codenames.includes(codename)).map(({ id }) => id);
      const projects = [{ id: projectId, roles: given }];
      expect((await operator.request('PATCH', `admin/users/${grace}`, { projects })).status).to.equal(200);
    };
    const calls = {
      read: ['GET', `manage/projects/${projectId}/items`],
      create: ['POST', `manage/projects/${projectId}/items`],
      publish: ['POST', `admin/projects/${projectId}/publish?plan=true`],
      types: ['POST', `manage/projects/${projectId}/types`],
      keys: ['GET', `admin/projects/${projectId}/keys`],
      other: ['GET', `manage/projects/${other}/items`],
      people: ['GET', 'admin/users'],
    } as const;
    const permitted = async () => {
      const found: string[] = [];
      for (const [name, [method, path]] of Object.entries(calls)) {
        const { status } = await browser.request(method, path, method === 'GET' ? undefined : {});
        if (status !== 403) found.push(name);
      }
      return found;
    };
    expect(await permitted()).to.deep.equal([]);
    for (const [role, expected] of [
      ['reader', ['read']],
      ['translator', ['read']],
      ['contributor', ['read', 'create']],
      ['editor', ['read', 'create', 'publish']],
      ['developer', ['read', 'types', 'keys']],
      ['project_manager', ['read', 'create', 'publish', 'types', 'keys']],
    ] as const) {
      await give(role);
      expect(await permitted(), role).to.deep.equal(expected);
    }
    await give();
    expect(await permitted()).to.deep.equal([]);
  });

  it('keeps roles that are in use, and the one that has every permission', async () => {
    const role = { codename: 'proof_reader', name: 'Proof reader', permissions: ['view-content', 'publish'] };
    const made = await operator.request<{ id: string }>('POST', 'admin/roles', role);
    expect(made.status).to.equal(201);
    expect((await operator.request('POST', 'admin/roles', role)).status).to.equal(409);
    const wrong = { ...role, codename: 'wrong', permissions: ['everything'] };
    expect((await operator.request('POST', 'admin/roles', wrong)).status).to.equal(400);
    const user = (roles: string[]) => ({
      name: 'Joan',
      email: 'joan@example.org',
      projects: [{ id: service.sample!.projectId, roles }],
    });
    expect((await operator.request('POST', 'admin/users', user(['no-such-role']))).status).to.equal(400);
    const joan = await operator.request<{ id: string }>('POST', 'admin/users', user([made.body.id]));
    expect(joan.status).to.equal(201);
    expect((await operator.request('DELETE', `admin/roles/${made.body.id}`)).status).to.equal(409);
    expect((await operator.request('DELETE', `admin/users/${joan.body.id}`)).status).to.equal(204);
    expect((await operator.request('DELETE', `admin/roles/${made.body.id}`)).status).to.equal(204);
    const manager = '6f1c7a52-3d0e-4b7e-9a61-000000000001';
    expect((await operator.request('PATCH', `admin/roles/${manager}`, { name: 'Nobody' })).status).to.equal(
      409,
    );
  });

  it('makes operators, never takes the last one away, and asks for the password first', async () => {
    const { users } = (
      await operator.request<{ users: { id: string; name: string }[] }>('GET', 'admin/users')
    ).body;
    const [ada, grace] = ['Ada', 'Grace'].map((name) => users.find((user) => user.name === name)!.id);
    const change = (user: string, isOperator: boolean) =>
      operator.request('PUT', `admin/users/${user}/operator`, { operator: isOperator });
    expect((await change(ada!, false)).status).to.equal(409);
    expect((await operator.request('DELETE', `admin/users/${ada}`)).status).to.equal(409);
    expect((await change(grace!, true)).body).to.include({ is_operator: true, can_sign_in: true });
    expect((await change(grace!, false)).status).to.equal(200);
    const keyOnly = await operator.request<{ id: string }>('POST', 'admin/users', {
      name: 'Script',
      email: 'script@example.org',
    });
    expect((await change(keyOnly.body.id, false)).body).to.include({
      is_operator: false,
      can_sign_in: false,
    });
    const long = new Date(Date.now() - 3_600_000).toISOString();
    await service.core.operations.storage.write((tx) => tx.run('UPDATE session SET confirmed = ?', [long]));
    const refused = await change(grace!, true);
    expect([refused.status, refused.headers.get('x-confirm-password')]).to.deep.equal([403, '1']);
    expect((await operator.request('POST', 'session/confirm', { password: PASSWORD })).status).to.equal(204);
    expect((await change(grace!, false)).status).to.equal(200);
  });

  it('sets a new password by a link, and ends the sessions of the old one', async () => {
    const { browser } = await signIn('grace@example.org');
    const { body } = await browser.request<{ person: { id: string } }>('GET', 'session');
    const renewed = new ConsoleBrowser(service.url);
    const token = await link(body.person.id);
    const password = 'another long password';
    expect((await renewed.request('POST', 'session/link', { token, password })).status).to.equal(201);
    expect((await browser.request('GET', 'session')).status).to.equal(401);
    expect((await renewed.request('GET', 'session')).status).to.equal(200);
    expect((await signIn('grace@example.org')).status).to.equal(401);
    expect((await signIn('grace@example.org', password)).status).to.equal(201);
  });

  it('keeps the 200 sessions of a person that were used last', async () => {
    const { account, browser: oldest } = await signInPerson(service, { name: 'Many Sessions' });
    const { core } = service;
    for (let at = 0; at < 199; at += 1) await sessionOf(service, account);
    expect((await oldest.request('GET', 'session')).status).to.equal(200);
    const { browser: newest } = await sessionOf(service, account);
    expect((await oldest.request('GET', 'session')).status).to.equal(401);
    expect((await newest.request('GET', 'session')).status).to.equal(200);
    expect(await listSessions(core.operations.reader.sql, account, new Date())).to.have.length(200);
  });

  it('removes sessions that ended long ago, also of a person who does not sign in again', async () => {
    const { account } = await signInPerson(service, { name: 'Once' });
    const { storage } = service.core.operations;
    const before = '2020-01-01T00:00:00.0000000Z';
    await storage.write((tx) =>
      tx.run('UPDATE session SET created = ?, seen = ? WHERE account = ?', [before, before, account]),
    );
    await signInPerson(service, { name: 'Later' });
    expect(await storage.sql.all('SELECT id FROM session WHERE account = ?', [account])).to.deep.equal([]);
  });

  it('lists the own sessions, ends one at once, and forgets the session at sign-out', async () => {
    const { browser: other } = await signIn('ada@example.org');
    const { body } = await other.request<{ sessions: { id: string; is_current: boolean }[] }>(
      'GET',
      'sessions',
    );
    const current = body.sessions.find(({ is_current }) => is_current)!;
    expect((await operator.request('DELETE', `sessions/${current.id}`)).status).to.equal(204);
    expect((await other.request('GET', 'session')).status).to.equal(401);
    expect((await operator.request('DELETE', `sessions/${current.id}`)).status).to.equal(404);
    const { browser } = await signIn('ada@example.org');
    const stolen = browser.cookie;
    expect((await browser.request('DELETE', 'session')).status).to.equal(204);
    expect(browser.cookie).to.equal(undefined);
    browser.cookie = stolen;
    expect((await browser.request('GET', 'session')).status).to.equal(401);
  });

  it('refuses a write whose body arrives after the end of the session', async () => {
    const { browser } = await signIn('ada@example.org');
    const list = () => operator.request<{ users: object[] }>('GET', 'admin/users');
    const before = (await list()).body.users.length;
    const call = request(`${service.url}/console/api/admin/users`, {
      method: 'POST',
      headers: {
        ...{ 'x-headwater-console': '1', 'sec-fetch-site': 'same-origin' },
        ...{ cookie: `${SESSION_COOKIE}=${browser.cookie}`, 'content-type': 'application/json' },
      },
    });
    const answered = once(call, 'response') as Promise<[IncomingMessage]>;
    call.write('{"name": "Late", ');
    // It reaches core, which reads the session.
    await pause(500);
    expect((await browser.request('DELETE', 'session')).status).to.equal(204);
    call.end('"email": "late@example.org"}');
    const [answer] = await answered;
    answer.resume();
    expect(answer.statusCode).to.equal(401);
    expect((await list()).body.users.length).to.equal(before);
  });

  it('confirms and changes the password', async () => {
    const { browser } = await signIn('ada@example.org');
    expect((await browser.request('POST', 'session/confirm', { password: 'wrong' })).status).to.equal(403);
    expect((await browser.request('POST', 'session/confirm', { password: PASSWORD })).status).to.equal(204);
    const change = { current: PASSWORD, password: `${PASSWORD}!` };
    expect((await browser.request('PUT', 'password', { ...change, current: 'wrong' })).status).to.equal(403);
    expect((await browser.request('PUT', 'password', change)).status).to.equal(204);
    expect((await browser.request('GET', 'session')).status).to.equal(200);
    expect((await operator.request('GET', 'session')).status).to.equal(401);
    const again = await signIn('ada@example.org', change.password);
    operator.cookie = again.browser.cookie;
  });

  it('refuses writes from other origins and from forms, and reads the cookie on its own surface only', async () => {
    const from = (headers: Record<string, string>) =>
      operator.request('POST', 'admin/projects', { name: 'forged' }, headers);
    for (const site of ['cross-site', 'same-site', 'none'])
      expect((await from({ 'sec-fetch-site': site })).status, site).to.equal(403);
    const cookie = `${SESSION_COOKIE}=${operator.cookie}`;
    const form = await fetch(`${service.url}/console/api/admin/projects`, {
      method: 'POST',
      headers: { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: '{"name":"forged"}',
    });
    expect(form.status).to.equal(403);
    expect((await fetch(`${service.url}/admin/projects`, { headers: { cookie } })).status).to.equal(401);
    const anonymous = await fetch(`${service.url}/console/api/admin/projects`, {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(anonymous.status).to.equal(403);
    type Entry = { act: string; subject: string; actor: string; origin: string; detail: string };
    const { body } = await operator.request<{ audit: Entry[] }>('GET', 'admin/audit');
    const refused = body.audit.filter(({ act }) => act === 'refused: write from another origin');
    const who = await operator.request<{ person: { id: string } }>('GET', 'session');
    expect(refused.map(({ actor }) => actor)).to.deep.equal([
      'unknown',
      ...Array(4).fill(who.body.person.id),
    ]);
    expect(refused[0]).to.deep.include({
      subject: 'POST /api/admin/projects',
      origin: '127.0.0.1',
      detail: '{"origin":"https://evil.example"}',
    });
    const claimed = { method: 'POST', path: '/', origin: null, session: null };
    expect((await operator.request('POST', 'refused-writes', claimed)).status).to.equal(404);
    const twice = { cookie: `${cookie}; ${cookie}` };
    expect((await fetch(`${service.url}/console/api/session`, { headers: twice })).status).to.equal(401);
  });

  it('blocks an address that guesses passwords', async () => {
    const strict = await startService({
      environment: {
        HEADWATER_TRUSTED_PROXIES: '127.0.0.1',
        HEADWATER_PLUGINS__AUTH__FAILURES__PER_MINUTE: '3',
      },
    });
    try {
      const from = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' };
      const browser = new ConsoleBrowser(strict.url);
      const seen: number[] = [];
      for (let guess = 0; guess < 5; guess += 1) {
        const given = { email: 'ada@example.org', password: `guess ${guess}` };
        seen.push((await browser.request('POST', 'session', given, from)).status);
      }
      expect(seen).to.deep.equal([401, 401, 401, 429, 429]);
      const given = { email: 'ada@example.org', password: PASSWORD };
      const blocked = await browser.request<{ message: string }>('POST', 'session', given, from);
      expect(blocked.body.message).to.match(
        /^Too many wrong passwords, .* so signing in is not accepted from it/,
      );
      // Core decodes paths, so an encoded one must not get there uncounted.
      const encoded = await browser.request(
        'POST',
        'sessio%6e',
        { email: 'a@example.org', password: 'x' },
        from,
      );
      expect(encoded.status).to.equal(404);
    } finally {
      await strict.stop();
    }
  });

  it('limits the calls of a session, not its pages and files', async () => {
    const strict = await startService({ environment: { HEADWATER_PLUGINS__SESSION__LIMITS__SECOND: '3' } });
    try {
      const browser = new ConsoleBrowser(strict.url);
      browser.cookie = 'a'.repeat(43);
      const calls = Array.from({ length: 8 }, () => browser.request('GET', 'session'));
      const seen = (await Promise.all(calls)).map(({ status }) => status);
      expect([...new Set(seen)].sort()).to.deep.equal([401, 429]);
      const headers = { cookie: `${SESSION_COOKIE}=${browser.cookie}` };
      // A framed page is read from core.
      const frame = `${strict.url}/console/frame/x?url=https://a.example`;
      const frames = Array.from({ length: 8 }, () => fetch(frame, { headers }));
      expect((await Promise.all(frames)).map(({ status }) => status)).to.include(429);
      const page = await (await fetch(`${strict.url}/console/`, { headers })).text();
      const [script] = /(?<=type="module" src="\/console\/)files\/[^"]+\.js/.exec(page)!;
      const paths = Array.from({ length: 8 }, (_, at) => (at % 2 ? script : ''));
      const opened = await Promise.all(
        paths.map((path) => fetch(`${strict.url}/console/${path}`, { headers })),
      );
      expect(opened.map(({ status }) => status)).to.deep.equal(paths.map(() => 200));
    } finally {
      await strict.stop();
    }
  });

  it('keeps passwords and tokens out of the audit log', async () => {
    const text = JSON.stringify(await audit());
    for (const secret of [PASSWORD, 'another long password', operator.cookie!])
      expect(text).not.to.include(secret);
  });
});
