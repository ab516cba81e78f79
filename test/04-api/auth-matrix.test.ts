import { connect } from 'node:http2';
import { expect } from 'chai';
import { rawRequest } from '../support/clients/raw-http.ts';
import { freePort } from '../support/gateway/run-gateway.ts';
import {
  KEY_NAMES,
  type KeyedProjects,
  type KeyName,
  keyedProjects,
} from '../support/projects/keyed-projects.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const UNKNOWN = '6f3a1c62-0000-4000-8000-00000000dead';
type ProjectName = keyof KeyedProjects | 'unknown';
type Surface = 'delivery' | 'preview' | 'manage' | 'assets' | 'admin';
/** `<status> <code>` of a refusal, or the status alone. */
type Outcome = '200' | '401 3' | '403 4' | '403 7' | '404 0' | '404 1';

/** Whose key: `other management` is the management key of the project `other`; without a project, the requested one's. */
type Credential = 'none' | 'nonsense' | 'admin token' | KeyName | `other ${KeyName}` | `archived ${KeyName}`;

/**
 * Every kind of key on every surface, for the requested project. Columns: delivery with secure access off and on,
 * preview, manage, admin. S = spec, in the sections named, or the reason.
 */
const KINDS: readonly [
  why: string,
  credential: Credential,
  open: Outcome,
  secured: Outcome,
  preview: Outcome,
  manage: Outcome,
  admin: Outcome,
][] = [
  ['S5.3 S5.4 S5.5 S5.6', 'none', '200', '401 3', '401 3', '401 3', '401 3'],
  ['S5.6 S7', 'nonsense', '200', '401 3', '401 3', '401 3', '401 3'],
  ['S5.3', 'delivery-primary', '200', '200', '401 3', '401 3', '401 3'],
  ['S5.3', 'delivery-secondary', '200', '200', '401 3', '401 3', '401 3'],
  ['S3 S5.7', 'delivery-replaced', '200', '401 3', '401 3', '401 3', '401 3'],
  ['S5.4', 'preview-primary', '200', '401 3', '200', '401 3', '401 3'],
  ['S5.4', 'preview-secondary', '200', '401 3', '200', '401 3', '401 3'],
  ['S5.7', 'preview-replaced', '200', '401 3', '401 3', '401 3', '401 3'],
  ['S5.5', 'management', '200', '401 3', '401 3', '200', '401 3'],
  ['S3 S5.7 S7', 'management-replaced', '200', '401 3', '401 3', '403 7', '401 3'],
  ['S3 S5.5', 'management-expired', '200', '401 3', '401 3', '403 7', '401 3'],
  ['S5.6 S7', 'other delivery-primary', '200', '403 4', '401 3', '401 3', '401 3'],
  ['S5.7', 'other delivery-replaced', '200', '401 3', '401 3', '401 3', '401 3'],
  ['S5.6 S7', 'other preview-primary', '200', '401 3', '403 4', '401 3', '401 3'],
  ['S5.7', 'other preview-replaced', '200', '401 3', '401 3', '401 3', '401 3'],
  ['S5.5 S7', 'other management', '200', '401 3', '401 3', '403 4', '401 3'],
  ['S5.7', 'other management-replaced', '200', '401 3', '401 3', '403 7', '401 3'],
  ['S5.5', 'other management-expired', '200', '401 3', '401 3', '403 7', '401 3'],
  ['S7', 'archived delivery-primary', '200', '403 4', '401 3', '401 3', '401 3'],
  ['S7', 'archived preview-primary', '200', '401 3', '403 4', '401 3', '401 3'],
  ['S7', 'archived management', '200', '401 3', '401 3', '403 4', '401 3'],
  ['the admin API alone', 'admin token', '200', '401 3', '401 3', '401 3', '200'],
];

/** Projects that do not exist, or not for this key: 401 comes before 403 and 403 before 404. */
const PROJECTS: readonly [why: string, surface: Surface, ProjectName, Credential, Outcome][] = [
  ['S7', 'delivery', 'unknown', 'none', '404 1'],
  ['S5.3', 'delivery', 'unknown', 'other delivery-primary', '404 1'],
  ['as if it was deleted', 'delivery', 'archived', 'none', '404 1'],
  ['as if it was deleted', 'delivery', 'archived', 'delivery-primary', '404 1'],
  ['401 before 404', 'preview', 'unknown', 'none', '401 3'],
  ['401 before 404', 'preview', 'unknown', 'nonsense', '401 3'],
  ['S5.6', 'preview', 'unknown', 'other preview-primary', '403 4'],
  ['401 before 404', 'preview', 'archived', 'none', '401 3'],
  ['S5.6', 'preview', 'archived', 'other preview-primary', '403 4'],
  ['as if it was deleted', 'preview', 'archived', 'preview-primary', '404 1'],
  ['S5.7', 'preview', 'archived', 'preview-replaced', '401 3'],
  ['401 before 404', 'manage', 'unknown', 'none', '401 3'],
  ['403 before 404', 'manage', 'unknown', 'other management', '403 4'],
  ['403 before 404', 'manage', 'unknown', 'other management-replaced', '403 7'],
  ['401 before 404', 'manage', 'archived', 'none', '401 3'],
  ['403 before 404', 'manage', 'archived', 'other management', '403 4'],
  ['as if it was deleted', 'manage', 'archived', 'management', '404 0'],
  ['S5.7', 'manage', 'archived', 'management-replaced', '403 7'],
  ['S5.5', 'manage', 'unmanaged', 'management', '403 4'],
  ['S5.5', 'manage', 'unmanaged', 'none', '401 3'],
  ['S5.5', 'manage', 'unmanaged', 'management-expired', '403 7'],
  ['S5.5', 'manage', 'unmanaged', 'other management', '403 4'],
  ['S7', 'assets', 'unknown', 'none', '404 1'],
  ['as if it was deleted', 'assets', 'archived', 'none', '404 1'],
  ['S7', 'assets', 'secured', 'none', '404 1'],
];

/** Forms of the header; KEY is replaced by a valid key. RFC 9110 sections 5.5, 11.1 and 11.4. */
const HEADERS: readonly [why: string, header: string, passes: boolean][] = [
  ['S5.2', 'Bearer KEY', true],
  ['RFC 9110 11.1', 'bearer KEY', true],
  ['RFC 9110 11.1', 'BEARER KEY', true],
  ['RFC 9110 11.1', 'bEaReR KEY', true],
  ['RFC 9110 11.4', 'Bearer    KEY', true],
  ['RFC 9110 5.5', '  \t Bearer KEY \t ', true],
  ['S5.6', '', false],
  ['S5.6', 'Bearer', false],
  ['S5.6', 'Bearer ', false],
  ['S5.6', 'KEY', false],
  ['S5.6', 'BearerKEY', false],
  ['S5.6', 'Bearer\tKEY', false],
  ['S5.6', 'Bearer: KEY', false],
  ['S5.6', 'Bearer=KEY', false],
  ['S5.6', 'Bearer KEY KEY', false],
  ['S5.6', 'Bearer KEY,Bearer KEY', false],
  ['S5.6', 'Bearer KEY x', false],
  ['S5.6', 'Bearer x KEY', false],
  ['S5.6', 'Bearer KEY=', false],
  ['S5.6', 'Bearer "KEY"', false],
  ['S5.6', 'Bearer KEY\u00e9', false],
  ['S5.6', 'Bearer %20KEY', false],
  ['S5.6', 'Basic KEY', false],
  ['S5.6', 'Token KEY', false],
  ['S5.6', 'Negotiate, Bearer KEY', false],
];

/** Where keys do not belong. */
const ELSEWHERE: readonly [what: string, query: string, header?: string][] = [
  ['access_token in the query (RFC 6750 2.3)', '?access_token=KEY'],
  ['api_key in the query', '?api_key=KEY&key=KEY&token=KEY&Authorization=Bearer%20KEY'],
  ['another header', '', 'X-Authorization: Bearer KEY\r\nX-API-Key: KEY'],
  ['the header of a proxy', '', 'Proxy-Authorization: Bearer KEY'],
  ['a cookie', '', 'Cookie: authorization=Bearer KEY; Authorization=KEY'],
];

describe('the whole matrix of access', () => {
  let service: RunningService;
  let projects: KeyedProjects;

  before(async () => {
    service = await startService({
      unlimited: true,
      environment: { HEADWATER_TLS_PORT: String(await freePort()) },
    });
    projects = await keyedProjects(service.core);
  });
  after(() => service.stop());

  const idOf = (project: ProjectName) => (project === 'unknown' ? UNKNOWN : projects[project].id);
  const pathOf = (surface: Surface, project: ProjectName) =>
    ({
      delivery: `/delivery/${idOf(project)}/items`,
      preview: `/preview/${idOf(project)}/items`,
      manage: `/manage/v2/projects/${idOf(project)}/languages`,
      assets: `/assets/${idOf(project)}/6f3a1c62-0000-4000-8000-000000000001/a.png`,
      admin: `/admin/projects/${idOf(project)}`,
    })[surface];

  function keyFor(credential: Credential, project: ProjectName): string | undefined {
    if (credential === 'none') return undefined;
    if (credential === 'nonsense') return 'nonsense-0123456789-nonsense-0123456789-abc';
    if (credential === 'admin token') return service.adminToken;
    const [, owner, name] = /^(?:(other|archived) )?(.*)$/.exec(credential) ?? [];
    const from = (owner as 'other' | 'archived' | undefined) ?? project;
    return from === 'unknown' ? 'nonsense' : projects[from].keys[name as KeyName];
  }

  async function ask(path: string, key: string | undefined, method = 'GET') {
    const answer = await fetch(service.url + path, {
      method,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
    const text = await answer.text();
    return { answer, text, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  }

  function outcomeOf({ answer, body }: Awaited<ReturnType<typeof ask>>): string {
    return answer.status === 200 ? '200' : `${answer.status} ${body['error_code']}`;
  }

  /** The documented body, and nothing of the key in it. */
  function checkRefusal(path: string, key: string | undefined, got: Awaited<ReturnType<typeof ask>>): void {
    if (got.answer.status === 200) return;
    const isManagement = /^\/(manage|admin)/.test(path);
    expect(Object.keys(got.body)).to.have.members(
      isManagement
        ? ['request_id', 'error_code', 'message']
        : ['message', 'request_id', 'error_code', 'specific_code'],
    );
    expect(got.answer.headers.get('cache-control')).to.equal('no-store');
    if (got.answer.status === 401) expect(got.answer.headers.get('www-authenticate')).to.equal('Bearer');
    if (key !== undefined) expect(got.text).to.not.include(key);
  }

  describe('every kind of key on every surface', () => {
    it('names every kind there is', () => {
      const tried = KINDS.map(([, credential]) => credential);
      for (const name of KEY_NAMES) expect(tried).to.include(name);
    });

    const columns: readonly [Surface, ProjectName][] = [
      ['delivery', 'open'],
      ['delivery', 'secured'],
      ['preview', 'secured'],
      ['manage', 'secured'],
      ['admin', 'secured'],
    ];
    for (const [why, credential, ...outcomes] of KINDS) {
      it(`${credential}: ${outcomes.join(', ')} (${why})`, async () => {
        for (const [at, [surface, project]] of columns.entries()) {
          const path = pathOf(surface, project);
          const key = keyFor(credential, project);
          // Twice, because a cached key must have the same result.
          for (let round = 0; round < 2; round += 1) {
            const got = await ask(path, key);
            expect(outcomeOf(got), `${path} ${got.text}`).to.equal(outcomes[at]);
            checkRefusal(path, key, got);
          }
        }
      });
    }
  });

  describe('projects that do not exist, or not for this key', () => {
    for (const [why, surface, project, credential, outcome] of PROJECTS) {
      it(`${surface}, ${project} project, ${credential}: ${outcome} (${why})`, async () => {
        const path = pathOf(surface, project);
        const key = keyFor(credential, project);
        const got = await ask(path, key);
        expect(outcomeOf(got), got.text).to.equal(outcome);
        checkRefusal(path, key, got);
      });
    }

    it('a client without the right key cannot find out which projects exist', async () => {
      for (const surface of ['preview', 'manage'] as const) {
        for (const credential of ['none', 'nonsense', 'other preview-primary', 'other management'] as const) {
          const messages = new Set<unknown>();
          for (const project of ['open', 'secured', 'archived', 'unmanaged', 'unknown'] as const) {
            const { answer, body } = await ask(pathOf(surface, project), keyFor(credential, project));
            messages.add(`${answer.status} ${body['error_code']} ${body['message']}`);
          }
          expect([...messages], `${surface} ${credential}`).to.have.lengthOf(1);
        }
      }
    });

    it('all paths and methods of a surface ask for the same key (S5.4, S5.5)', async () => {
      const { id } = projects.secured;
      for (const path of [
        '/items/any',
        '/types',
        '/taxonomies/x',
        '/nothing',
        '',
        '/items-feed',
        '/languages',
      ]) {
        for (const surface of ['delivery', 'preview'])
          expect((await ask(`/${surface}/${id}${path}`, undefined)).answer.status, path).to.equal(401);
      }
      for (const base of ['v2/', 'v1/', 'v1.0/', '']) {
        for (const method of ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'HEAD']) {
          const { answer } = await ask(`/manage/${base}projects/${id}/items/codename/x`, undefined, method);
          expect(answer.status, `${method} ${base}`).to.equal(401);
        }
      }
      for (const method of ['GET', 'PUT', 'POST', 'DELETE'])
        expect((await ask('/admin/nothing', undefined, method)).answer.status).to.equal(401);
    });
  });

  const raw = (path: string, lines: string) =>
    rawRequest(service.url, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n`);

  describe('forms of the header', () => {
    const places: readonly [Surface, KeyName][] = [
      ['delivery', 'delivery-secondary'],
      ['preview', 'preview-primary'],
      ['manage', 'management'],
    ];
    for (const [why, header, passes] of HEADERS) {
      it(`${JSON.stringify(header)} ${passes ? 'passes' : 'does not pass'} (${why})`, async () => {
        for (const [surface, name] of places) {
          const value = header.replaceAll('KEY', projects.secured.keys[name]);
          const { status } = await raw(pathOf(surface, 'secured'), `Authorization: ${value}\r\n`);
          expect(status, surface).to.equal(passes ? 200 : 401);
        }
        const value = header.replaceAll('KEY', service.adminToken);
        expect((await raw('/admin/projects', `aUTHORIZATION: ${value}\r\n`)).status).to.equal(
          passes ? 200 : 401,
        );
      });
    }

    it('a key with a letter in the other case, one too few or one too many is none (S5.6)', async () => {
      const key = projects.secured.keys.management;
      const swapped = key.replace(/[a-z]/, (letter) => letter.toUpperCase());
      for (const wrong of [swapped, key.slice(1), key.slice(0, -1), `${key}A`, `A${key}`, key + key]) {
        expect((await ask(pathOf('manage', 'secured'), wrong)).answer.status, wrong).to.equal(401);
      }
    });

    it('several of them are refused, whichever is the good one (RFC 9110 5.3)', async () => {
      const good = `Authorization: Bearer ${projects.secured.keys.management}\r\n`;
      const bad = 'authorization: Bearer nonsense\r\n';
      const path = pathOf('manage', 'secured');
      for (const lines of [good + bad, bad + good, good + good, `${good}X-Other: 1\r\n${good}`]) {
        expect((await raw(path, lines)).status, lines).to.equal(401);
      }
      expect((await raw(pathOf('delivery', 'open'), bad + good)).status).to.equal(200);
    });

    it('passes over HTTP/2 as over HTTP/1.1', async () => {
      const session = connect(service.httpsUrl ?? '', { rejectUnauthorized: false });
      const status = (authorization: string) =>
        new Promise((resolve, reject) => {
          const stream = session.request({ ':path': pathOf('preview', 'secured'), authorization });
          stream.on('response', (headers) => resolve(headers[':status']));
          stream.on('error', reject);
          stream.resume().end();
        });
      expect(await status(`bearer ${projects.secured.keys['preview-primary']}`)).to.equal(200);
      expect(await status(`bearer ${projects.secured.keys['preview-replaced']}`)).to.equal(401);
      await new Promise<void>((resolve) => session.close(resolve));
    });

    it('of a megabyte is refused and affects no other request', async () => {
      const path = pathOf('manage', 'secured');
      for (const size of [1100, 8000, 60_000, 1_048_576]) {
        const value = `Bearer ${'k'.repeat(size)}`;
        const status = await raw(path, `Authorization: ${value}\r\n`).then(
          (answer) => answer.status,
          // The rest of it meets a closed connection.
          () => 'closed',
        );
        expect(status, String(size)).to.be.oneOf(size < 10_000 ? [401] : [431, 'closed']);
      }
      expect((await ask(path, projects.secured.keys.management)).answer.status).to.equal(200);
    });
  });

  describe('a key in another place', () => {
    for (const [what, query, header] of ELSEWHERE) {
      it(`is not read: ${what}`, async () => {
        for (const [surface, name] of [
          ['delivery', 'delivery-primary'],
          ['preview', 'preview-primary'],
          ['manage', 'management'],
        ] as const) {
          const key = projects.secured.keys[name];
          const fill = (text: string) => text.replaceAll('KEY', key);
          const lines = header === undefined ? '' : `${fill(header)}\r\n`;
          const { status, body } = await raw(pathOf(surface, 'secured') + fill(query), lines);
          expect(status, surface).to.equal(401);
          expect(body).to.not.include(key);
        }
      });
    }
  });
});
