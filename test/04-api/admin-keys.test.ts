import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { StartError } from '../../config/start-error.ts';
import { listKeys } from '../../core/access/keys.ts';
import { createProject } from '../../core/access/projects.ts';
import { tokenHash } from '../../core/contract.ts';
import { adminToken } from '../../gateway/roles/admin-token.ts';
import { type ApiClient, createApiClient } from '../support/clients/api-client.ts';
import { open, parseAnswer, readAll } from '../support/clients/raw-http.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { runCommand, ServiceHere } from '../support/service/run-command.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly user_id: string;
  readonly expires: string | null;
}
interface ListedKey {
  readonly id: string;
  readonly kind: string;
  readonly slot: string | null;
  readonly user: string | null;
  readonly user_name: string | null;
  readonly last_used: string | null;
}

const DAY = 86_400_000;

describe('admin API: management keys (spec 3)', () => {
  let service: RunningService;
  let admin: ApiClient;
  let project: string;
  let user: string;

  const call = <Body = Record<string, never>>(method: string, path: string, body?: unknown) =>
    admin.request<Body>(method, path, body === undefined ? {} : { body: JSON.stringify(body) });
  const newKey = async (body: object = {}) =>
    (await call<MadeKey>('POST', `/projects/${project}/management-keys`, { user_id: user, ...body })).body;
  const regenerate = (key: string, body?: object, at = project) =>
    call<MadeKey>('POST', `/projects/${at}/management-keys/${key}/regenerate`, body);
  const manage = async (key: string) => {
    const answer = await fetch(`${service.url}/manage/v2/projects/${project}/languages`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const body = (await answer.json()) as { error_code?: number };
    return answer.status === 200 ? 200 : `${answer.status} ${body.error_code}`;
  };
  const listed = async () =>
    (await call<{ keys: ListedKey[] }>('GET', `/projects/${project}/keys`)).body.keys;

  before(async () => {
    service = await startService({ unlimited: true });
    admin = createApiClient(`${service.url}/admin`, {
      headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    });
    project = (await call<{ id: string }>('POST', '/projects', { name: 'Keys' })).body.id;
    const projects = [{ id: project, capabilities: ['manage-apis'] }];
    const person = { name: 'Anna', email: 'anna@example.org', projects };
    user = (await call<{ id: string }>('POST', '/users', person)).body.id;
  });
  after(() => service.stop());

  it('are regenerated: from the answer on the new one works and the old one gets 403, code 7', async () => {
    let key = await newKey({ expires_in_days: 3 });
    for (let round = 0; round < 20; round += 1) {
      expect(await manage(key.key)).to.equal(200);
      const { status, body } = await regenerate(key.id);
      expect(await Promise.all([key.key, key.key, body.key].map(manage))).to.deep.equal([
        '403 7',
        '403 7',
        200,
      ]);
      expect(status).to.equal(200);
      expect(body.user_id).to.equal(user);
      expect(body.id).to.not.equal(key.id);
      expect(Date.parse(body.expires ?? '') - Date.now()).to.be.within(3999.9 * DAY, 4000 * DAY);
      key = body;
    }
    expect(await manage(key.key)).to.equal(200);
  });

  it('do not affect other keys, and expire as requested', async () => {
    const [one, other] = [await newKey(), await newKey()];
    const { body } = await regenerate(one.id, { expires_in_days: 7 });
    expect(Date.parse(body.expires ?? '') - Date.now()).to.be.within(6.9 * DAY, 7 * DAY);
    expect(await manage(other.key)).to.equal(200);
    const keys = await listed();
    expect(keys.map(({ id }) => id))
      .to.include.members([other.id, body.id])
      .and.not.include(one.id);
  });

  it('cannot be regenerated when unknown, of another kind, revoked, or expired', async () => {
    const key = await newKey();
    const [preview] = (await listed()).filter(({ kind }) => kind === 'preview-primary');
    const elsewhere = (await call<{ id: string }>('POST', '/projects', { name: 'Else' })).body.id;
    expect((await regenerate('6f3a1c62-0000-4000-8000-000000000000')).status).to.equal(404);
    expect((await regenerate(preview?.id ?? '')).status).to.equal(404);
    expect((await regenerate(key.id, undefined, elsewhere)).status).to.equal(404);
    for (const days of [0, 1.5, 'x', 40_000])
      expect((await regenerate(key.id, { expires_in_days: days })).status).to.equal(400);
    expect(await manage(key.key)).to.equal(200);
    await call('DELETE', `/projects/${project}/management-keys/${key.id}`);
    expect((await regenerate(key.id)).status).to.equal(404);
    const old = await newKey();
    await service.core.operations.storage.write((tx) =>
      tx.run(`UPDATE api_key SET expires = '2001-01-01T00:00:00.000Z' WHERE id = ?`, [old.id]),
    );
    expect((await regenerate(old.id)).status).to.equal(409);
  });

  it('are refused with one finding for each field', async () => {
    const answer = await call<{ validation_errors: { path: string; message: string }[] }>(
      'POST',
      `/projects/${project}/management-keys`,
      { user_id: [], expires_in_days: 'x' },
    );
    expect(answer.status).to.equal(400);
    expect(answer.body.validation_errors.map(({ path }) => path)).to.deep.equal([
      'user_id',
      'expires_in_days',
    ]);
  });

  it('write nothing once revoked, also when the body began to arrive before', async () => {
    const write = async (meanwhile: (key: MadeKey) => Promise<unknown>, name: string) => {
      const key = await newKey();
      const body = JSON.stringify({ name, codename: name, terms: [] });
      const line = `POST /manage/v2/projects/${project}/taxonomies HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
      const head = `${line}Authorization: Bearer ${key.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
      const socket = await open(service.url);
      socket.write(head + body.slice(0, 9));
      await pause(50);
      await meanwhile(key);
      socket.write(body.slice(9));
      const answer = parseAnswer(await readAll(socket));
      return [answer.status, (JSON.parse(answer.body) as { error_code?: number }).error_code];
    };
    const revoke = (key: MadeKey) => call('DELETE', `/projects/${project}/management-keys/${key.id}`);
    expect(await write(revoke, 'revoked')).to.deep.equal([403, 7]);
    expect(await write((key) => regenerate(key.id), 'replaced')).to.deep.equal([403, 7]);
    expect(await write(async () => {}, 'kept')).to.deep.equal([201, undefined]);
  });

  it('are in the audit log when regenerated, without the key', async () => {
    const key = await newKey();
    const { body } = await regenerate(key.id);
    const { text } = await call('GET', `/audit?project=${project}`);
    expect(text).to.include('management-keys/:key/regenerate').and.to.include(body.id);
    for (const secret of [key.key, body.key]) expect(text).to.not.include(secret);
  });

  it('are listed with the name of their user', async () => {
    const { id } = await newKey();
    const { name } = (await call<{ name: string }>('GET', `/users/${user}`)).body;
    const keys = await listed();
    const one = keys.find((key) => key.id === id);
    expect([one?.user, one?.user_name]).to.deep.equal([user, name]);
    expect(keys.find(({ kind }) => kind === 'preview-primary')?.user_name).to.equal(null);
  });

  it('have no slot, in which delivery and preview keys are listed', async () => {
    const { id } = await newKey();
    const keys = await listed();
    expect(keys.find((key) => key.id === id)?.slot).to.equal(null);
    for (const slot of ['preview-primary', 'preview-secondary'])
      expect(keys.filter((key) => key.slot === slot)).to.have.length(1);
  });

  it('show their last use at once, without an entry in the change log', async () => {
    const [one, other] = [await newKey(), await newKey()];
    const used = async (id: string) => (await listed()).find((key) => key.id === id)?.last_used;
    expect(await used(one.id)).to.equal(null);
    const { core } = service;
    const sequence = () => core.operations.storage.sql.get('SELECT sequence FROM installation');
    const before = await sequence();
    const began = Date.now();
    await manage(one.key);
    await pause(20);
    const at = await used(one.id);
    expect(Date.parse(at ?? '')).to.be.within(began, Date.now());
    expect(await used(other.id)).to.equal(null);
    const written = () =>
      listKeys(core.operations.storage.sql, project).then(
        (keys) => keys.find(({ id }) => id === one.id)?.last_used,
      );
    // Within seconds.
    await until(async () => Boolean(await written()));
    expect(await written()).to.equal(at);
    expect(await used(other.id)).to.equal(null);
    expect(await sequence()).to.deep.equal(before);
  });

  it('keep it over a restart', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-last-use-'));
    const options = { dataDir, log: SILENT };
    const first = await openCore(options);
    const made = await first.operations.installation(null, (to) => createProject(to, { name: 'Kept' }));
    const [key] = await listKeys(first.operations.storage.sql, made.id);
    first.access.used(key?.id ?? '');
    await first.close();
    const second = await openCore(options);
    const [kept, never] = await listKeys(second.operations.storage.sql, made.id);
    expect([kept?.id, never?.last_used]).to.deep.equal([key?.id, null]);
    expect(Date.now() - Date.parse(kept?.last_used ?? '')).to.be.within(0, 20_000);
    await second.close();
    await rm(dataDir, { recursive: true });
  });

  it('that were refused count as unused', async () => {
    const key = await newKey();
    const elsewhere = (await call<{ id: string }>('POST', '/projects', { name: 'Else' })).body.id;
    await fetch(`${service.url}/manage/v2/projects/${elsewhere}/items`, {
      headers: { authorization: `Bearer ${key.key}` },
    });
    await pause(20);
    expect((await listed()).find(({ id }) => id === key.id)?.last_used).to.equal(null);
  });
});

describe('the admin token', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-admin-token-'));
  });
  let service: ServiceHere | undefined;
  after(async () => {
    await service?.stop();
    await rm(folder, { recursive: true });
  });

  it('of the settings cannot be replaced; the answer names the setting', async () => {
    const service = await startService();
    const admin = createApiClient(`${service.url}/admin`, {
      headers: { authorization: `Bearer ${service.adminToken}` },
    });
    const { status, body } = await admin.request<{ message: string }>('POST', '/token/regenerate');
    expect(status).to.equal(409);
    expect(body.message).to.include('HEADWATER_ADMIN_TOKEN');
    expect((await admin.get('/projects')).status).to.equal(200);
    expect(await readdir(service.dataDir)).to.not.include('admin-token');
    await service.stop();
  });

  /** The hash in the database, and a token of the folder that stores it there. */
  async function tokenOf(folderOfToken: string) {
    const database = { hash: null as string | null };
    const token = adminToken(folderOfToken, undefined);
    const current = async () => database.hash;
    const store = async (hash: string) => {
      database.hash = hash;
    };
    await token.replace(store, current);
    const kept = async () => (await readFile(join(folderOfToken, 'admin-token'), 'utf8')).trim();
    return { token, database, current, store, kept };
  }

  it('is valid only after it is stored, and leaves nothing when it was not', async () => {
    const { token, database, current, store, kept } = await tokenOf(folder);
    const old = await kept();
    const full = await token
      .replace(() => Promise.reject(new Error('disk full')), current)
      .catch((error: Error) => error.message);
    expect(full).to.equal('disk full');
    expect([await kept(), database.hash]).to.deep.equal([old, tokenHash(old)]);
    expect(await readdir(folder)).to.deep.equal(['admin-token']);
    const next = await token.replace(store, current);
    expect([await kept(), database.hash]).to.deep.equal([next.token, tokenHash(next.token)]);
    expect(next.token).to.not.equal(old);
    expect(await readdir(folder)).to.deep.equal(['admin-token']);
    expect((await stat(join(folder, 'admin-token'))).mode & 0o777).to.equal(0o600);
    expect(await adminToken(folder, undefined).find(null)).to.equal(tokenHash(next.token));
    for (const [text, says] of [
      ['\n', 'is empty'],
      [`two words${'x'.repeat(32)}\n`, 'holds no admin token'],
      [`one\ntwo${'x'.repeat(32)}\n`, 'holds no admin token'],
      ['x'.repeat(31), 'crypto.randomBytes(32)'],
      ['x'.repeat(1001), 'holds no admin token'],
    ] as const) {
      await writeFile(join(folder, 'admin-token'), text);
      const refused = await adminToken(folder, undefined)
        .find(null)
        .catch((error: Error) => error);
      expect(refused).to.be.instanceOf(StartError).with.property('message').that.includes(says);
    }
    await rm(join(folder, 'admin-token'));
  });

  it('in the file is the valid one, also after concurrent replacements', async () => {
    const { token, database, current, store, kept } = await tokenOf(folder);
    const refused = () => Promise.reject(new Error('refused'));
    const replaced = await Promise.allSettled([
      token.replace(store, current),
      token.replace(refused, current),
      token.replace((hash) => pause(20).then(() => store(hash)), current),
      token.replace(store, current),
    ]);
    expect(replaced.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    const last = replaced[3] as PromiseFulfilledResult<{ token: string }>;
    expect([await kept(), database.hash]).to.deep.equal([last.value.token, tokenHash(last.value.token)]);
    expect(await readdir(folder)).to.deep.equal(['admin-token']);
    await rm(join(folder, 'admin-token'));
  });

  it('is settled by the next start after a crash at any point of a replacement', async () => {
    const { database, kept } = await tokenOf(folder);
    const old = await kept();
    const beside = join(folder, 'admin-token.11111111-1111-4111-8111-111111111111.next');
    const start = () => adminToken(folder, undefined).find(database.hash);
    for (const partOfToken of ['', 'half-of-a-tok', `${'n'.repeat(43)}\n`]) {
      // Before the hash was stored.
      await writeFile(beside, partOfToken);
      expect(await start()).to.equal(tokenHash(old));
      expect(await readdir(folder)).to.deep.equal(['admin-token']);
    }
    // After that, before the file got its name.
    const next = 'n'.repeat(43);
    await writeFile(beside, `${next}\n`, { mode: 0o600 });
    database.hash = tokenHash(next);
    expect(await start()).to.equal(tokenHash(next));
    expect(await kept()).to.equal(next);
    expect(await readdir(folder)).to.deep.equal(['admin-token']);
    await rm(join(folder, 'admin-token'));
  });

  it('of a commit whose outcome was lost is kept where it was stored', async () => {
    const { token, current, store, kept } = await tokenOf(folder);
    const lost = async (hash: string) => {
      await store(hash);
      throw new Error('outcome unknown');
    };
    const error = await token.replace(lost, current).catch((thrown: Error) => thrown.message);
    expect(error).to.equal('outcome unknown');
    expect(tokenHash(await kept())).to.equal(await current());
    expect(await readdir(folder)).to.deep.equal(['admin-token']);
    // Not even readable afterwards: the next start has both files, and the database.
    const before = await kept();
    const unreadable = () => Promise.reject(new Error('no database'));
    await token.replace(lost, unreadable).catch(() => {});
    expect(await kept()).to.equal(before);
    expect(await adminToken(folder, undefined).find(await current())).to.equal(await current());
    expect(tokenHash(await kept())).to.equal(await current());
    await rm(join(folder, 'admin-token'));
  });

  it('of the data folder is replaced by call and by command; the old one is invalid at once', async () => {
    const environment = {
      HEADWATER_DATA_DIR: folder,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_SAMPLE: 'false',
    };
    const run = (...words: string[]) => runCommand(words, environment);
    const kept = async () => (await readFile(join(folder, 'admin-token'), 'utf8')).trim();
    const ask = async (token: string, method = 'GET', path = '/projects') => {
      const answer = await fetch(`${url}/admin${path}`, {
        method,
        headers: { authorization: `Bearer ${token}` },
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, string> };
    };
    service = new ServiceHere(environment);
    const [, url] = await service.printed(/delivery +(http:\/\/[^/]+)/);
    await service.printed(/admin token/);
    const first = await kept();
    const { status, body } = await ask(first, 'POST', '/token/regenerate');
    expect(status).to.equal(200);
    expect(await kept()).to.equal(body['token']);
    expect((await ask(first)).status).to.equal(401);
    expect((await ask(body['token'] ?? '')).status).to.equal(200);

    const replaced = await run('key', 'regenerate', '--admin-token');
    expect(replaced.code, replaced.err).to.equal(0);
    const { token } = JSON.parse(replaced.out) as { token: string };
    expect((await ask(body['token'] ?? '')).status).to.equal(401);
    const audit = await ask(token, 'GET', '/audit');
    expect(JSON.stringify(audit.body)).to.include('token/regenerate').and.to.include('key regenerate');
    for (const secret of [first, body['token'] ?? '', token]) {
      expect(JSON.stringify(audit.body)).to.not.include(secret);
    }

    const project = (JSON.parse((await run('project', 'create', '--name', 'Cli')).out) as { id: string }).id;
    const person = { name: 'C', email: 'c@example.org', projects: [{ id: project, capabilities: [] }] };
    const made = await fetch(`${url}/admin/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(person),
    });
    const user = ((await made.json()) as { id: string }).id;
    const create = ['key', 'create', '--project', project, '--kind', 'management', '--user', user];
    const key = JSON.parse((await run(...create)).out) as MadeKey;
    const manage = (secret: string) =>
      fetch(`${url}/manage/v2/projects/${project}/languages`, {
        headers: { authorization: `Bearer ${secret}` },
      }).then((answer) => answer.status);
    expect(await manage(key.key)).to.equal(200);
    const again = await run('key', 'regenerate', '--project', project, '--key', key.id);
    const next = JSON.parse(again.out) as MadeKey;
    expect([await manage(key.key), await manage(next.key)]).to.deep.equal([403, 200]);
    const list = await run('key', 'list', '--project', project);
    expect(list.out).to.include('LAST USED').and.to.include(next.id).and.not.to.include(next.key);
    expect(list.out.split('\n').find((line) => line.includes(next.id))).to.match(
      /20\d\d-\d\d-\d\dT.* 20\d\d-/,
    );
    await service.stop();

    const offline = await run('key', 'regenerate', '--admin-token');
    expect(offline.code, offline.err).to.equal(0);
    expect(await kept()).to.equal((JSON.parse(offline.out) as { token: string }).token);
    const configured = await runCommand(['key', 'regenerate', '--admin-token'], {
      ...environment,
      HEADWATER_ADMIN_TOKEN: 'given-0123456789-0123456789-0123456789',
    });
    expect(configured.code).to.equal(1);
    expect(configured.err).to.include('comes from the settings');
    expect((await run('key', 'regenerate', '--slot', 'preview-primary', '--admin-token')).code).to.equal(2);
  });
});
