import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { rawRequest } from '../support/clients/raw-http.ts';
import { freePort } from '../support/gateway/run-gateway.ts';
import { isLongForm } from '../support/long-form.ts';
import { runCommand } from '../support/service/run-command.ts';
import { type Ended, HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';

const ADMIN = 'an-admin-token-that-must-show-nowhere-4711';
/** In the short form, one of each kind is sent everywhere: the others differ in their text alone. */
const SENT = ['admin token', 'delivery-secondary', 'management, replaced', 'made up'];
/** Long enough not to occur by chance. */
const PIECE = 10;

interface Key {
  readonly name: string;
  readonly text: string;
}

/**
 * A service that logs all it can; every key, good, replaced and made up, in every place a client may put it, with
 * every error that can be had; then everything it wrote and answered is searched.
 */
describe('a key', () => {
  let folder: string;
  let ended: Ended;
  let base: string;
  let requests = 0;
  const keys: Key[] = [{ name: 'admin token', text: ADMIN }];
  const answers: { readonly what: string; readonly status: number; readonly text: string }[] = [];

  const admin = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const answer = await fetch(`${base}/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Body;
  };
  const remember = (name: string, text: string): string => {
    keys.push({ name, text });
    return text;
  };

  async function makeKeys(): Promise<string> {
    const made = await admin<{ id: string; keys: Record<string, string> }>('POST', 'projects', { name: 'P' });
    const { id } = made;
    for (const [slot, key] of Object.entries(made.keys)) remember(slot, key);
    const access = await admin<Record<string, string>>('PUT', `projects/${id}/secure-access`, {
      enabled: true,
    });
    remember('delivery-primary', access['primary']!);
    remember('delivery-secondary', access['secondary']!);
    for (const slot of ['delivery-primary', 'preview-secondary']) {
      const { key } = await admin<{ key: string }>('POST', `projects/${id}/keys/${slot}/regenerate`);
      remember(`new ${slot}`, key);
    }
    const person = { name: 'A', email: 'a@example.org', projects: [{ id, capabilities: ['manage-apis'] }] };
    const user_id = (await admin<{ id: string }>('POST', 'users', person)).id;
    const managed = { enabled: true, user_id };
    remember(
      'management',
      (await admin<{ key: string }>('PUT', `projects/${id}/management-api`, managed)).key,
    );
    const other = await admin<{ id: string; key: string }>('POST', `projects/${id}/management-keys`, {
      user_id,
    });
    remember('management, replaced', other.key);
    const next = await admin<{ key: string }>(
      'POST',
      `projects/${id}/management-keys/${other.id}/regenerate`,
    );
    remember('management, new', next.key);
    remember('made up', 'bm90LWEta2V5LW9mLWFueWJvZHktYnV0LWEtc2VjcmV0');
    return id;
  }

  async function send(what: string, path: string, more: RequestInit = {}): Promise<void> {
    const answer = await fetch(base + path, { redirect: 'manual', ...more });
    const headers = [...answer.headers].map((header) => header.join(': ')).join('\n');
    answers.push({
      what: `${what} ${path}`,
      status: answer.status,
      text: `${headers}\n${await answer.text()}`,
    });
    requests += 1;
  }

  async function sendRaw(what: string, bytes: string): Promise<void> {
    const answer = await rawRequest(base, bytes).catch(() => undefined);
    if (!answer) return;
    const text = `${JSON.stringify(answer.headers)}\n${answer.body}`;
    answers.push({ what, status: answer.status, text });
  }

  async function useEverywhere(project: string, { name, text: key }: Key): Promise<void> {
    const encoded = [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    for (const scheme of ['Bearer', 'bearer', 'Basic', 'Bearer Bearer', '']) {
      const headers = { authorization: `${scheme} ${key}` };
      for (const path of [
        `/delivery/${project}/items`,
        `/delivery/${project}/items/none`,
        `/delivery/${project}/items?limit=0`,
        `/preview/${project}/items`,
        `/manage/v2/projects/${project}/items`,
        `/manage/v2/projects/6f3a1c62-0000-4000-8000-000000000001/items`,
        `/assets/${project}/x/y.png`,
        '/admin/projects',
        '/admin/nothing',
        '/health',
        '/metrics',
        '/docs/openapi.json?x=1',
        '/nowhere',
      ])
        if (path !== '/docs/openapi.json?x=1' || scheme === '')
          await send(`${name} as ${scheme}`, path, { headers });
    }
    const headers = { authorization: `Bearer ${key}` };
    for (const query of [
      `access_token=${key}`,
      `limit=${key}`,
      `order=${key}`,
      `elements.a[${key}]=1`,
      `k=${encoded}`,
    ])
      await send(`${name} in the query`, `/delivery/${project}/items?${query}`);
    await send(`${name} in the query of nothing`, `/nowhere?access_token=${key}`);
    await send(`${name} in the query of admin`, `/admin/audit?after=1&token=${key}`);
    await send(`${name} in a long query`, `/delivery/${project}/items?x=${'x'.repeat(70_000)}&t=${key}`);
    await send(`${name} with a broken body`, `/manage/v2/projects/${project}/items`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{',
    });
    await send(`${name} with a wrong method`, `/delivery/${project}/items`, { method: 'DELETE', headers });
    await send(`${name} in a cookie`, `/preview/${project}/items`, { headers: { cookie: `key=${key}` } });
    await send(`${name} in its own header`, `/preview/${project}/items`, { headers: { 'x-api-key': key } });
    const line = `GET /delivery/${project}/items?token=${key} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n`;
    await sendRaw(
      `${name} twice`,
      `${line}Authorization: Bearer ${key}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    await sendRaw(
      `${name} in a header that is too long`,
      `${line}Authorization: Bearer ${key.repeat(2000)}\r\n\r\n`,
    );
    await sendRaw(`${name} in a broken header`, `${line}Authorization Bearer ${key}\r\n\r\n`);
    await sendRaw(
      `${name} in a broken line`,
      `GET /?t=${key} HTTP/9.9\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    await sendRaw(
      `${name} as a host`,
      `GET /delivery HTTP/1.1\r\nHost: u:${key}@x\r\nConnection: close\r\n\r\n`,
    );
  }

  before(async function () {
    this.timeout(120_000);
    folder = await mkdtemp(join(tmpdir(), 'headwater-key-material-'));
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    const environment = {
      ...IN_PLACE,
      HEADWATER_DATA_DIR: folder,
      HEADWATER_PORT: String(port),
      HEADWATER_TLS_PORT: '0',
      HEADWATER_SAMPLE: 'false',
      HEADWATER_ADMIN_TOKEN: ADMIN,
      HEADWATER_LOG_LEVEL: 'trace',
      HEADWATER_PLUGINS__ERROR_ENVELOPE__LOG_REFUSALS: 'true',
      HEADWATER_PLUGINS__AUTH__FAILURES__LOOPBACK: 'true',
      // Few, so that a slow machine uses them up as well.
      HEADWATER_PLUGINS__AUTH__FAILURES__PER_MINUTE: '10',
      HEADWATER_PLUGINS__ACCESS_LOG__SKIP_SURFACES: '[]',
    };
    const service = new HeadwaterProcess(['serve'], environment);
    await service.printed(/health/);
    const project = await makeKeys();
    const sent = keys.filter(({ name }) => isLongForm || SENT.includes(name));
    expect(sent.length).to.be.at.least(SENT.length);
    for (const key of sent) await useEverywhere(project, key);
    // Its own address is blocked by now, for the admin token as well.
    const unblocked = await runCommand(['unblock', '127.0.0.1'], environment);
    expect(unblocked.out, unblocked.err).to.include('was blocked');
    for (const path of [
      'audit',
      `projects/${project}/keys`,
      'users',
      'jobs',
      `projects/${project}`,
      'projects',
    ]) {
      const text = JSON.stringify(await admin('GET', path));
      answers.push({ what: `admin ${path}`, status: 200, text });
    }
    const list = await runCommand(['key', 'list', '--project', project], environment);
    const explained = await runCommand(['explain'], environment);
    for (const { out, err } of [list, explained])
      answers.push({ what: 'command', status: 0, text: out + err });
    service.signal('SIGTERM');
    ended = await service.ended;
  });
  after(() => rm(folder, { recursive: true }));

  /** Any ten characters of it, plain or as some encoder would write them. */
  function pieceIn(text: string): string | undefined {
    for (const { name, text: key } of keys) {
      for (let at = 0; at + PIECE <= key.length; at += 1) {
        const piece = key.slice(at, at + PIECE);
        if (text.includes(piece)) return `${name}: ${piece}`;
      }
      const base64 = Buffer.from(key).toString('base64');
      const hex = [...key.slice(0, PIECE)].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
      if (text.includes(base64.slice(0, 20)) || text.includes(hex)) return `${name}, encoded`;
    }
    return undefined;
  }

  it('is in no line of any log', () => {
    const lines = [...ended.out.split('\n'), ...ended.err.split('\n')].filter((line) => line !== '');
    expect(lines.filter((line) => line.includes('"log":"access"')).length).to.be.at.least(requests);
    expect(lines.filter((line) => line.includes('A request was refused.')).length).to.be.above(
      requests * 0.4,
    );
    expect(lines.some((line) => line.includes('too many wrong keys came from it'))).to.equal(true);
    for (const line of lines) expect(pieceIn(line), line).to.equal(undefined);
  });

  it('is in no header and no body of any answer, except as the invalid value of a query', () => {
    const statuses = new Set(answers.map(({ status }) => status));
    for (const status of [200, 400, 401, 403, 404, 405, 414, 429, 431])
      expect([...statuses]).to.include(status);
    for (const { what, text } of answers) {
      // What the client wrote as a value is named back to it, as for any other value.
      if (/\?(limit|order|elements)/.test(what)) continue;
      expect(pieceIn(text), `${what}\n${text.slice(0, 500)}`).to.equal(undefined);
    }
  });

  it('is in no file of the data folder', async () => {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(join(entry.parentPath, entry.name));
      for (const { name, text } of keys)
        expect(bytes.includes(text), `${name} in ${entry.name}`).to.equal(false);
    }
  });
});
