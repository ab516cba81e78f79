import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { KeyUse } from '../../core/access/key-use.ts';
import {
  createKey,
  findKey as findByHash,
  listKeys,
  regenerateKey,
  revokeKey,
} from '../../core/access/keys.ts';
import {
  archiveProject,
  createManagementKey,
  createProject,
  findProject,
  listProjects,
  restoreProject,
  setManagementApi,
  setSecureAccess,
} from '../../core/access/projects.ts';
import { tokenHash } from '../../core/access/token-hash.ts';
import { createUser, findUser, listUsers, removeUser, updateUser } from '../../core/access/users.ts';
import type { Storage } from '../../core/storage/ports.ts';
import type { Sql } from '../../core/storage/sql.ts';
import { failure } from '../support/failure.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const findKey = (sql: Sql, token: string) => findByHash(sql, tokenHash(token));

describe('projects, users and keys', () => {
  let bench: Workbench;

  beforeEach(async () => {
    bench = await openWorkbench();
  });

  afterEach(() => bench.close());

  it('store only the hash of a key', async () => {
    const token = bench.project.keys['preview-primary'];
    expect(token)
      .to.match(/^[\w-]{43}$/)
      .and.to.not.equal(bench.project.keys['preview-secondary']);
    const rows = await bench.sql.all('SELECT * FROM api_key');
    expect(JSON.stringify(rows)).to.not.contain(token);
    const facts = await findKey(bench.sql, token);
    expect(facts).to.include({
      project: bench.project.id,
      kind: 'preview-primary',
      revoked: false,
      expires: null,
    });
    expect(await findKey(bench.sql, `${token}x`)).to.equal(undefined);
    expect((await listKeys(bench.sql, bench.project.id)).map((key) => key.tail)).to.include(token.slice(-4));
  });

  it('revoke the old key when a slot is regenerated, and no other', async () => {
    const { 'preview-primary': primary, 'preview-secondary': secondary } = bench.project.keys;
    const made = await bench.installation((at) => regenerateKey(at, bench.project.id, 'preview-primary'));
    expect((await findKey(bench.sql, primary))?.revoked).to.equal(true);
    expect((await findKey(bench.sql, secondary))?.revoked).to.equal(false);
    expect((await findKey(bench.sql, made.key))?.revoked).to.equal(false);
  });

  it('create the two delivery keys when secure access is turned on and revoke them when it is turned off', async () => {
    const { id } = bench.project;
    const on = await bench.installation((at) => setSecureAccess(at, id, true));
    expect((await findKey(bench.sql, on.primary ?? ''))?.kind).to.equal('delivery-primary');
    expect((await findProject(bench.sql, id))?.secureAccess).to.equal(true);
    expect(await bench.installation((at) => setSecureAccess(at, id, true))).to.deep.equal({ enabled: true });
    await bench.installation((at) => setSecureAccess(at, id, false));
    expect((await findKey(bench.sql, on.secondary ?? ''))?.revoked).to.equal(true);
  });

  it('have one valid key in a slot, also when it was regenerated while secure access was off', async () => {
    const { id } = bench.project;
    const early = await bench.installation((at) => regenerateKey(at, id, 'delivery-primary'));
    const on = await bench.installation((at) => setSecureAccess(at, id, true));
    expect((await findKey(bench.sql, early.key))?.revoked).to.equal(true);
    expect((await findKey(bench.sql, on.primary ?? ''))?.revoked).to.equal(false);
    const kinds = (await listKeys(bench.sql, id)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'delivery-primary')).to.have.lengthOf(1);
  });

  it('are found by ids in upper and lower case', async () => {
    const id = bench.project.id.toUpperCase();
    const projects = [{ id, capabilities: ['manage-apis'] }];
    const person = { name: 'Ann', email: 'ann@example.org', projects };
    const user = await bench.installation((at) => createUser(at, person));
    expect(user.projects.map((project) => project.id)).to.deep.equal([bench.project.id]);
    const key = await bench.installation((at) => createManagementKey(at, id, user.id.toUpperCase()));
    expect(await findKey(bench.sql, key.key)).to.include({ user: user.id, project: bench.project.id });
    const twice = { ...person, projects: [...projects, { id: bench.project.id, capabilities: [] }] };
    expect((await failure(() => bench.installation((at) => createUser(at, twice)))).status).to.equal(400);
  });

  it('give management keys to users of the project, for 4000 days', async () => {
    const { id } = bench.project;
    const user = await bench.installation((at) =>
      createUser(at, {
        name: 'Ann',
        email: 'ann@example.org',
        projects: [{ id, capabilities: ['manage-apis'] }],
      }),
    );
    const otherUser = await bench.installation((at) =>
      createUser(at, { name: 'Bo', email: 'bo@example.org' }),
    );
    const { key } = await bench.installation((at) => setManagementApi(at, id, true, user.id));
    const facts = await findKey(bench.sql, key?.key ?? '');
    expect(facts?.user).to.equal(user.id);
    const days = (Date.parse(facts?.expires ?? '') - Date.parse(key?.created ?? '')) / 86_400_000;
    expect(days).to.equal(4000);
    expect(
      (await failure(() => bench.installation((at) => createManagementKey(at, id, otherUser.id)))).status,
    ).to.equal(404);
    await bench.installation((at) => revokeKey(at, id, key?.id ?? ''));
    expect((await findKey(bench.sql, key?.key ?? ''))?.revoked).to.equal(true);
    const short = await bench.installation((at) => createManagementKey(at, id, user.id, 1));
    await bench.installation((at) => removeUser(at, user.id));
    expect((await findKey(bench.sql, short.key))?.revoked).to.equal(true);
    expect((await listUsers(bench.sql)).map(({ name }) => name)).to.deep.equal(['Bo']);
  });

  it('change name, email and projects of users', async () => {
    const { id } = bench.project;
    const user = await bench.installation((at) => createUser(at, { name: 'Ann', email: 'ann@example.org' }));
    await bench.installation((at) =>
      updateUser(at, user.id, { projects: [{ id, capabilities: ['publish', 'publish'] }] }),
    );
    expect(await findUser(bench.sql, user.id)).to.deep.include({
      name: 'Ann',
      projects: [{ id, capabilities: ['publish'], roles: [] }],
    });
    const error = await failure(() =>
      bench.installation((at) =>
        createUser(at, { name: ' ', email: 'x', projects: [{ id, capabilities: ['fly'] }] }),
      ),
    );
    expect(error.validationErrors).to.have.length(3);
    for (const [wrong, message] of [
      [{ name: 5 }, 'A string is expected.'],
      [{ name: 'n'.repeat(201) }, 'The name must not be longer than 200 characters.'],
      // Of digits that cannot be compressed: too long for an index of PostgreSQL.
      [{ email: `${randomBytes(3000).toString('hex')}@example.org` }, 'A mail address is expected.'],
    ] as const) {
      const refused = await failure(() =>
        bench.installation((at) =>
          createUser(at, { name: 'Ann', email: 'ann@example.org', ...wrong } as never),
        ),
      );
      expect(refused.validationErrors?.map((issue) => issue.message)).to.deep.equal([message]);
    }
  });

  it('hide an archived project and restore it', async () => {
    const { id, keys } = bench.project;
    await bench.installation((at) => archiveProject(at, id));
    expect(await findProject(bench.sql, id)).to.equal(undefined);
    // A valid key gets 404: the project is archived, the key is not wrong.
    expect((await findKey(bench.sql, keys['preview-primary']))?.project).to.equal(id);
    expect((await failure(() => bench.run(async () => {}))).errorName).to.equal('unknownProject');
    expect(await listProjects(bench.sql)).to.have.length(1);
    await bench.installation((at) => restoreProject(at, id));
    expect(await findProject(bench.sql, id)).to.include({ name: 'Bench' });
  });

  it('keep users of an archived project and refuse new ones', async () => {
    const { id } = bench.project;
    const projects = [{ id, capabilities: ['manage-apis'] }];
    const user = await bench.installation((at) =>
      createUser(at, { name: 'Ann', email: 'ann@example.org', projects }),
    );
    const made = await bench.installation((at) => createManagementKey(at, id, user.id));
    await bench.installation((at) => archiveProject(at, id));
    await bench.installation((at) => updateUser(at, user.id, { name: 'Anne', projects: user.projects }));
    expect((await findKey(bench.sql, made.key))?.revoked).to.equal(false);
    const other = { name: 'Bo', email: 'bo@example.org', projects };
    expect((await failure(() => bench.installation((at) => createUser(at, other)))).status).to.equal(404);
  });

  it('refuse a project with an invalid body, and an id that exists', async () => {
    const wrong = { name: 5, id: 'x', default_language: { name: '', codename: 'a b' } };
    const error = await failure(() => bench.installation((at) => createProject(at, wrong as never)));
    expect(error.validationErrors?.map((issue) => issue.path)).to.deep.equal([
      'name',
      'id',
      'default_language.name',
      'default_language.codename',
    ]);
    const twice = await failure(() =>
      bench.installation((at) => createProject(at, { name: 'Again', id: bench.project.id.toUpperCase() })),
    );
    expect(twice.status).to.equal(409);
  });

  it('keep the last use of a key when it could not be written, and report it while it is being written', async () => {
    const [key] = await listKeys(bench.sql, bench.project.id);
    const { storage } = bench;
    const problems: unknown[] = [];
    let write: Storage['write'] = () => Promise.reject(new Error('The disk is full.'));
    const use = new KeyUse(
      Object.create(storage, { write: { get: () => write } }) as Storage,
      () => new Date('2026-11-20T12:00:00Z'),
      (error) => problems.push(error),
    );
    use.record(key?.id ?? '');
    await use.close();
    expect(problems).to.have.lengthOf(1);
    const reported: unknown[] = [];
    write = (work) => {
      reported.push(use.pending(key?.id ?? ''));
      return storage.write(work);
    };
    await use.close();
    const [kept] = await listKeys(bench.sql, bench.project.id);
    expect([...reported, kept?.last_used]).to.deep.equal(Array(2).fill('2026-11-20T12:00:00.0000000Z'));
  });

  it('make random keys', async () => {
    const keys = await bench.installation(async (at) => {
      const made = new Set<string>();
      for (let count = 0; count < 50; count++) {
        const row = await at.tx.get<{ number: number }>('SELECT number FROM project WHERE id = ?', [
          bench.project.id,
        ]);
        const project = { number: row?.number ?? 0, id: bench.project.id };
        made.add((await createKey(at, project, { kind: 'management' })).key);
      }
      return made;
    });
    expect(keys.size).to.equal(50);
  });
});
