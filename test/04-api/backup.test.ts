import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sqlite3 from 'sqlite3';
import { regenerateKey } from '../../core/access/keys.ts';
import { addPerson } from '../../core/access/people.ts';
import { createProject } from '../../core/access/projects.ts';
import { findPerson, startSession } from '../../core/access/sessions.ts';
import { createLink, takeLink } from '../../core/access/sign-in-links.ts';
import { tokenHash } from '../../core/access/token-hash.ts';
import { createUser } from '../../core/access/users.ts';
import { checkFiles } from '../../core/assets/check-files.ts';
import { backUp } from '../../core/backup/back-up.ts';
import { DATABASE, hashFile, pathOf, readManifest } from '../../core/backup/manifest.ts';
import { moveFiles } from '../../core/backup/move-files.ts';
import { restore } from '../../core/backup/restore.ts';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createType, updateType } from '../../core/content/types.ts';
import { loadModel } from '../../core/model/load-model.ts';
import { loadSample } from '../../core/sample/load-sample.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { importProject } from '../../core/transfer/import-project.ts';
import { endImport } from '../../core/transfer/running-imports.ts';
import { archiveOf } from '../support/archives/tar-entries.ts';
import { failure } from '../support/failure.ts';
import { Random } from '../support/random/random.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

describe('backup and restore of the installation', () => {
  let service: RunningService;
  let project: string;
  let folder: string;
  let place: string;
  const created = '2030-01-01T00:00:00.000Z';

  const read = async (at: RunningService, path = 'items?language=de') => {
    const response = await fetch(`${at.url}/delivery/${project}/${path}`);
    return {
      status: response.status,
      etag: response.headers.get('etag'),
      text: (await response.text()).replaceAll(at.url, ''),
    };
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-backup-'));
    place = join(folder, 'backup');
    service = await startService({ sample: true });
    project = service.sample!.projectId;
  });
  afterEach(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  it('restores everything while the service runs', async () => {
    const before = await read(service);
    const types = await read(service, 'types');
    const { operations } = service.core;
    const done = await backUp(operations, place, { created });
    expect(done.files).to.be.greaterThan(5);
    expect(await readdir(folder)).to.deep.equal(['backup']);

    const key = await operations.installation(null, (to) => regenerateKey(to, project, 'preview-primary'));
    const later = await operations.installation(null, (to) => createProject(to, { name: 'Later' }));
    await operations.inProject(project, null, async (transaction) => {
      await updateType(transaction, { id: transaction.model.types[0]!.id }, { name: 'Renamed' });
      for (const { id, name } of await transaction.tx.all<{ id: string; name: string }>(
        'SELECT id, name FROM item WHERE project = 1',
      ))
        await updateItem(transaction, { id }, { name: `${name.slice(0, 40)} later` });
    });
    const changed = await read(service);
    expect(changed.text).not.to.equal(before.text);
    expect(changed.etag).not.to.equal(before.etag);
    const preview = () =>
      fetch(`${service.url}/preview/${project}/types`, { headers: { authorization: `Bearer ${key.key}` } });
    expect((await preview()).status).to.equal(200);

    const epochOfModel = async () =>
      (await operations.storage.snapshot((sql) => loadModel(sql, project))).epoch;
    const epoch = await epochOfModel();
    expect(epoch).to.equal(operations.storage.epoch);
    await restore(operations, place);
    expect(await epochOfModel())
      .to.equal(operations.storage.epoch)
      .and.not.equal(epoch);
    const after = await read(service);
    expect(after.text).to.equal(before.text);
    expect(after.etag).to.equal(before.etag);
    expect((await read(service, 'types')).text).to.equal(types.text);
    expect((await preview()).status).to.equal(401);
    expect((await fetch(`${service.url}/delivery/${later.id}/items`)).status).to.equal(404);

    // New rows get new numbers.
    await operations.inProject(project, null, async (transaction) => {
      await createType(transaction, { name: 'Brand new', elements: [{ type: 'text', name: 'Text' }] });
      await createItem(transaction, { name: 'Brand new', type: { codename: 'brand_new' } });
    });
    expect((await read(service, 'types/brand_new')).status).to.equal(200);
  });

  it('refuses a second backup into the folder while the first is written, which stays whole', async () => {
    const { operations } = service.core;
    const backups = [1, 2, 3].map(() => backUp(operations, place, { created }));
    const results = await Promise.allSettled(backups);
    expect(results.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason.message).to.be.oneOf([
          `Another backup is being written to ${place}; wait for it, or name another folder.`,
          // It waited until the first one had ended.
          `${place} is not empty; name a folder that does not exist yet.`,
        ]);
    expect(await readdir(folder)).to.deep.equal(['backup']);
    expect(await readdir(place)).to.deep.equal(['backup.json', 'files', 'headwater.db']);
    await restore(operations, place);
  });

  it('can be restored in another installation, files included', async () => {
    const { text } = await read(service);
    await backUp(service.core.operations, place, { created });
    const other = await startService();
    try {
      await restore(other.core.operations, place);
      expect((await read(other)).text).to.equal(text);
      const path = /"url":"(\/assets[^"]+)"/.exec(text)![1]!;
      expect((await fetch(other.url + path)).status).to.equal(200);
    } finally {
      await other.stop();
    }
  });

  it('keeps the admin token of the running service, and the note that it had the sample', async () => {
    const token = 'the-token-of-the-other-installation-012345';
    const status = (from: RunningService, presented: string) =>
      fetch(`${from.url}/admin/projects`, { headers: { authorization: `Bearer ${presented}` } }).then(
        (answer) => answer.status,
      );
    const other = await startService({ environment: { HEADWATER_ADMIN_TOKEN: token } });
    try {
      await backUp(other.core.operations, place, { created });
      const { operations } = service.core;
      await restore(operations, place);
      expect(await status(service, service.adminToken)).to.equal(200);
      expect(await status(service, token)).to.equal(401);
      await loadSample(operations);
      expect(await operations.storage.sql.all('SELECT id FROM project')).to.deep.equal([]);
    } finally {
      await other.stop();
    }
  });

  it('ends the sessions of people and the open links to sign in, those in the backup and those since', async () => {
    const { operations } = service.core;
    const account = await operations.installation(null, async (to) => {
      const { id } = await createUser(to, { name: 'Ada Lovelace', email: 'ada@example.org' });
      await addPerson(to, { account: id, email: 'ada@example.org', isOperator: true });
      return id;
    });
    const begin = () =>
      operations.installation(null, async (to) => {
        const session = await startSession(to, account, { address: null, browser: null });
        return { session: tokenHash(session), link: await createLink(to, account) };
      });
    const before = await begin();
    await backUp(operations, place, { created });
    const since = await begin();
    await restore(operations, place);
    const { sql } = operations.storage;
    for (const { session, link } of [before, since]) {
      expect(await findPerson(sql, session, new Date())).to.equal(undefined);
      const use = () => operations.installation(null, (to) => takeLink(to, link));
      expect(await failure(use)).to.include({ status: 401 });
    }
    expect(await sql.all('SELECT account FROM person')).to.deep.equal([{ account }]);
  });

  it('is consistent although content is written during it', async () => {
    const { operations } = service.core;
    const type = await operations.read(project, async ({ model }) => model.types[0]!.id);
    let writing = true;
    let written = 0;
    const writer = (async () => {
      while (writing) {
        written += 1;
        await operations.inProject(project, null, (transaction) =>
          createItem(transaction, { name: `Item ${written}`, type: { id: type } }),
        );
      }
    })();
    await backUp(operations, place, { created });
    writing = false;
    await writer;
    await restore(operations, place);
    const { count } = (await operations.storage.sql.get<{ count: number }>(
      `SELECT count(*) AS count FROM item WHERE name LIKE 'Item %'`,
    ))!;
    expect(count).to.be.within(0, written);
    await service.database.check(operations.storage);
  });

  it('leaves out what is being imported, whether that ends meanwhile or not', async () => {
    const archive = await archiveOf(service.core.operations, project);
    const other = await startService();
    try {
      const { operations } = other.core;
      const { storage, blobs } = operations;
      async function* stalling() {
        yield archive.subarray(0, archive.length - 4096);
        await new Promise(() => {});
      }
      const files = async () => (await storage.sql.all('SELECT id FROM file')).length;
      const ended = failure(() => importProject(operations, stalling()));
      await until(async () => (await storage.sql.all('SELECT number FROM item LIMIT 1')).length > 0);
      expect(await files()).to.be.above(5);
      expect((await checkFiles(storage.sql, blobs)).missing).to.deep.equal([]);
      expect((await moveFiles(storage.sql, blobs, blobs)).missing).to.deep.equal([]);
      expect((await backUp(operations, place, { created })).files).to.equal(0);
      const copyTo = async (file: string) => {
        await storage.copyTo(file);
        await endImport(storage, project);
        expect(await files()).to.equal(0);
      };
      const second = join(folder, 'second');
      await backUp({ storage: { sql: storage.sql, copyTo } as Storage, blobs }, second, { created });
      expect((await ended).status).to.equal(409);
      for (const backup of [place, second]) {
        await restore(operations, backup);
        await until(async () => (await files()) === 0);
      }
    } finally {
      await other.stop();
    }
  });

  it('changes nothing when the backup is damaged or no backup', async () => {
    const { operations } = service.core;
    await backUp(operations, place, { created });
    expect((await failure(() => backUp(operations, place, { created }))).status).to.equal(409);
    const before = await read(service);
    expect((await failure(() => restore(operations, folder))).message).to.include('is no backup');
    const [file] = (await readManifest(place)).files;
    await appendFile(pathOf(place, file!), 'x');
    expect((await failure(() => restore(operations, place))).message).to.include(`the file ${file}`);
    await appendFile(join(place, DATABASE), 'x');
    expect((await failure(() => restore(operations, place))).message).to.include('its database');
    expect(await read(service)).to.deep.equal(before);
  });

  it('changes nothing, whichever byte of the backup is changed', async () => {
    const { operations } = service.core;
    await backUp(operations, place, { created });
    const before = await read(service);
    const kept = await operations.storage.sql.get('SELECT epoch FROM installation');
    const { files } = await readManifest(place);
    const random = new Random(7);
    const names = [join(place, DATABASE), join(place, 'backup.json'), pathOf(place, files[0]!)];
    for (const file of names.flatMap((name) => Array<string>(12).fill(name))) {
      const bytes = await readFile(file);
      const spoiled = Buffer.from(bytes);
      // When it was made is for people.
      const head = file.endsWith('.json') ? bytes.indexOf('"hash"') : 0;
      const at = random.int(head, bytes.length - 3);
      spoiled[at] = spoiled[at]! ^ (1 << random.int(0, 4));
      await writeFile(file, random.chance(0.2) ? bytes.subarray(0, at) : spoiled);
      const refused = await failure(() => restore(operations, place));
      expect(refused.status, `byte ${at} of ${file}`).to.equal(400);
      expect(refused.message).to.match(/^[^\n]{1,400}\.$/);
      await writeFile(file, bytes);
    }
    expect(await read(service)).to.deep.equal(before);
    expect(await operations.storage.sql.get('SELECT epoch FROM installation')).to.deep.equal(kept);
    await restore(operations, place);
  });

  it('has only the hashes of files that stay in their store, which a restore compares with them', async () => {
    const { operations } = service.core;
    const before = await read(service);
    const done = await backUp(operations, place, { created, withFiles: false });
    expect(await readdir(place)).to.have.members(['backup.json', 'headwater.db']);
    const { files } = await readManifest(place);
    expect([files.length, done.files]).to.deep.equal([done.files, files.length]);
    expect(files).to.have.length.greaterThan(5);
    await operations.inProject(project, null, async (transaction) => {
      await updateType(transaction, { id: transaction.model.types[0]!.id }, { name: 'Renamed' });
    });
    const types = await read(service, 'types');
    const stored = join(service.dataDir, 'files', files[2]!.slice(0, 2), files[2]!.slice(2));
    const content = await readFile(stored);
    const reason = `${place} has no files, and the file ${files[2]} is missing or not what it was in the store of this installation (filesUrl, filesDir). Nothing was changed.`;
    for (const damage of [() => appendFile(stored, 'x'), () => rm(stored)]) {
      await damage();
      const refused = await failure(() => restore(operations, place));
      expect([refused.status, refused.message]).to.deep.equal([400, reason]);
    }
    const incomplete = await failure(() => backUp(operations, `${place}-2`, { created, withFiles: false }));
    expect(incomplete.message).to.equal(
      `The stored file ${files[2]} is missing or has another size; the backup was cancelled.`,
    );
    expect((await read(service, 'types')).text).to.equal(types.text);
    await writeFile(stored, content);
    await restore(operations, place);
    expect((await read(service)).text).to.equal(before.text);
  });

  it('replaces a stored file of another size by that of the backup', async () => {
    const { operations } = service.core;
    await backUp(operations, place, { created });
    const [file = ''] = (await readManifest(place)).files;
    const stored = join(service.dataDir, 'files', file.slice(0, 2), file.slice(2));
    const content = await readFile(stored);
    await writeFile(stored, content.subarray(1));
    await restore(operations, place);
    expect(await readFile(stored)).to.deep.equal(content);
  });

  it('reports damage also when the digests match', async () => {
    const { operations } = service.core;
    await backUp(operations, place, { created });
    const before = await read(service);
    const whole = await readFile(join(place, DATABASE));
    const manifest = JSON.parse(await readFile(join(place, 'backup.json'), 'utf8')) as { files: string[] };
    const forge = async (bytes: Buffer, more: object = {}) => {
      await writeFile(join(place, DATABASE), bytes);
      const { hash, size } = await hashFile(join(place, DATABASE));
      await writeFile(join(place, 'backup.json'), JSON.stringify({ ...manifest, hash, size, ...more }));
      return (await failure(() => restore(operations, place))).message;
    };
    const spoiled = await filesOfDamage(whole, join(folder, 'forged.db'));
    const messages: string[] = [];
    for (const [bytes] of spoiled) messages.push(await forge(bytes));
    messages.push(
      await forge(whole, { files: manifest.files.slice(1) }),
      await forge(whole, { files: null }),
      await forge(whole, { format: 3 }),
    );
    const expected = [
      ...spoiled.map(([, what]) => what),
      'not in its list',
      'list of files',
      'another version',
    ];
    for (const [index, what] of expected.entries())
      expect(messages[index]).to.include(what).and.include(place);
    expect(await read(service)).to.deep.equal(before);
  });
});

/** The file of a backup, damaged in several ways, and what is reported of each. */
async function filesOfDamage(whole: Buffer, file: string): Promise<(readonly [Buffer, string])[]> {
  const changed = async (statement: string) => {
    await writeFile(file, whole);
    const database = new sqlite3.Database(file);
    await new Promise<void>((resolve, reject) =>
      database.exec(statement, (error) => (error ? reject(error) : resolve())),
    );
    await new Promise((resolve) => database.close(resolve));
    return readFile(file);
  };
  return [
    [await changed(`INSERT INTO knex_migrations (name) VALUES ('9999-later')`), 'newer version'],
    [await changed('DROP TABLE usage_count'), 'the tables'],
    [await changed('DELETE FROM installation'), 'no installation'],
    [await changed('PRAGMA application_id = 5'), 'another program'],
    [Buffer.alloc(0), 'no installation'],
    [Buffer.concat([whole.subarray(0, whole.length / 2), Buffer.alloc(whole.length / 2, 7)]), 'damaged'],
  ];
}
