import { PassThrough, Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { archiveProject, restoreProject } from '../../core/access/projects.ts';
import { publishMany } from '../../core/publishing/publish-many.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { exportProject } from '../../core/transfer/export-project.ts';
import { type Imported, type ImportOptions, importProject } from '../../core/transfer/import-project.ts';
import { removeInterruptedImports } from '../../core/transfer/remove-import.ts';
import { PROJECT_TABLES } from '../support/archives/project-tables.ts';
import { failure } from '../support/failure.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const COPY = '5a5a5a5a-0000-4000-8000-000000000001';
const LANGUAGES = ['en', 'de', 'cs'];

async function archiveOf(service: RunningService, project: string): Promise<Buffer> {
  const into = new PassThrough();
  const chunks: Buffer[] = [];
  into.on('data', (chunk) => chunks.push(chunk));
  await exportProject(service.core.operations, project, into, {
    archive: '0f0f0f0f-0000-4000-8000-000000000001',
    created: '2030-01-01T00:00:00.0000000Z',
  });
  return Buffer.concat(chunks);
}

function importInto(service: RunningService, bytes: Buffer, options?: ImportOptions): Promise<Imported> {
  return importProject(service.core.operations, Readable.from([bytes]), options);
}

/** Tables that an import writes into, and the files under the data folder. */
const WRITTEN = [...PROJECT_TABLES, 'content_facts'];
const NOTHING = Object.fromEntries([...WRITTEN, 'files'].map((name) => [name, 0]));

async function rowCounts(service: RunningService): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of WRITTEN) {
    const row = await service.core.operations.storage.sql.get<{ count: number }>(
      `SELECT count(*) AS count FROM ${table}`,
    );
    counts[table] = row?.count ?? 0;
  }
  const files = [...(await service.storedFiles()), ...(await service.unfinishedFiles())];
  return { ...counts, files: files.length };
}

/** All delivered content, without URLs of the service. */
async function content(service: RunningService, project: string, surface: 'delivery' | 'preview', key = '') {
  const base = `${service.url}/${surface}/${project}`;
  const answers: string[] = [];
  for (const path of [
    'types',
    'taxonomies',
    'languages',
    ...LANGUAGES.map((language) => `items?depth=2&language=${language}`),
  ]) {
    const response = await fetch(`${base}/${path}`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status, path).to.equal(200);
    answers.push(await response.text());
  }
  return answers.join('\n').replaceAll(service.url, '');
}

describe('export and import of a project', () => {
  let service: RunningService;
  let other: RunningService;
  let project: string;
  let archive: Buffer;

  before(async () => {
    service = await startService({ sample: true });
    other = await startService();
    project = service.sample!.projectId;
    await service.core.operations.inProject(project, null, async (transaction) => {
      const drafts = await transaction.tx.all<{ item: string; language: string }>(
        `SELECT i.id AS item, l.id AS language FROM variant v JOIN item i ON i.number = v.item
           JOIN language l ON l.number = v.language WHERE v.draft IS NOT NULL AND v.archived IS NULL LIMIT 2`,
      );
      const variants = drafts.map(({ item, language }) => ({
        item: { id: item },
        language: { id: language },
      }));
      await publishMany(transaction, variants, '2999-01-01T00:00:00Z');
    });
    archive = await archiveOf(service, project);
  });
  after(async () => {
    await service.stop();
    await other.stop();
  });

  const previewKey = async (at: RunningService, id: string) => {
    const { regenerateKey } = await import('../../core/access/keys.ts');
    return (await at.core.operations.installation(null, (to) => regenerateKey(to, id, 'preview-primary')))
      .key;
  };

  it('is imported unchanged into another installation: published and latest versions, and files', async () => {
    const imported = await importInto(other, archive);
    await other.core.operations.settled();
    expect(imported).to.deep.include({ project, repeated: false });
    expect(await content(other, project, 'delivery')).to.equal(await content(service, project, 'delivery'));
    const keys = [await previewKey(service, project), await previewKey(other, project)];
    const latest = await content(service, project, 'preview', keys[0]);
    expect(await content(other, project, 'preview', keys[1])).to.equal(latest);
    const files = [...latest.matchAll(/"url":"(\/assets[^"]+)"/g)].map(([, path]) => path);
    expect(files.length).to.be.greaterThan(5);
    for (const path of new Set(files)) {
      const [here, there] = await Promise.all([fetch(service.url + path), fetch(other.url + path)]);
      expect(there.status).to.equal(200);
      expect(Buffer.from(await there.arrayBuffer()).equals(Buffer.from(await here.arrayBuffer()))).to.equal(
        true,
      );
    }
    const job = await other.core.operations.storage.sql.get(
      `SELECT count(*) AS variants FROM variant v JOIN job j ON j.id = v.schedule WHERE j.state = 'waiting' AND j.total = 2`,
    );
    expect(job).to.deep.equal({ variants: 2 });
  });

  it('changes nothing when it is imported again', async () => {
    const before = await other.core.operations.storage.sql.get('SELECT sequence FROM installation');
    expect(await importInto(other, archive)).to.deep.include({ project, repeated: true });
    expect(await other.core.operations.storage.sql.get('SELECT sequence FROM installation')).to.deep.equal(
      before,
    );
  });

  it('can be imported as a second project, whose external ids work', async () => {
    await importInto(service, archive, { project: COPY, name: 'Copy' });
    await service.core.operations.settled();
    const { sql } = service.core.operations.storage;
    const codenames = (text: string) =>
      [...text.matchAll(/"codename":"([^"]+)"/g)].map(([, codename]) => codename);
    expect(codenames(await content(service, COPY, 'delivery'))).to.deep.equal(
      codenames(await content(service, project, 'delivery')),
    );
    const { findItem } = await import('../../core/content/items.ts');
    const { idOfExternalId } = await import('../../core/model/external-id.ts');
    const row = await sql.get<{ external_id: string }>(
      'SELECT external_id FROM item WHERE external_id IS NOT NULL LIMIT 1',
    );
    const item = await service.core.operations.inProject(COPY, null, (transaction) =>
      findItem(transaction, { external_id: row!.external_id }),
    );
    expect(item.id).to.equal(idOfExternalId(COPY, 'item', row!.external_id));
  });

  it('leaves nothing of a truncated archive, and imports the complete one afterwards', async () => {
    const target = await startService();
    try {
      for (const part of [0.3, 0.6, 0.9]) {
        const cut = archive.subarray(0, Math.floor(archive.length * part));
        expect((await failure(() => importInto(target, cut))).status).to.equal(400);
        expect(await rowCounts(target)).to.deep.equal(NOTHING);
      }
      const log = await target.core.operations.storage.sql.all<{ sequence: number }>(
        'SELECT DISTINCT sequence FROM change ORDER BY sequence',
      );
      const sequences = log.map(({ sequence }) => sequence);
      expect(sequences, 'no gap').to.deep.equal(sequences.map((_, index) => sequences[0]! + index));
      expect((await importInto(target, archive)).repeated).to.equal(false);
      await target.core.operations.settled();
      expect(await content(target, project, 'delivery')).to.equal(
        await content(service, project, 'delivery'),
      );
      const jobs = await target.core.operations.storage.sql.all(
        `SELECT state FROM job WHERE kind = 'import' ORDER BY state`,
      );
      expect(jobs).to.deep.equal([{ state: 'done' }, ...Array(3).fill({ state: 'failed' })]);
    } finally {
      await target.stop();
    }
  });

  it('imports projects without types, without snippets or empty, also after a truncated archive', async () => {
    const { createProject } = await import('../../core/access/projects.ts');
    const { createSnippet } = await import('../../core/content/snippets.ts');
    const { createTaxonomy } = await import('../../core/content/taxonomies.ts');
    const target = await startService();
    try {
      for (const make of [
        (transaction: ProjectTransaction) =>
          createTaxonomy(transaction, { name: 'Tags', terms: [{ name: 'Red' }] }),
        (transaction: ProjectTransaction) =>
          createSnippet(transaction, { name: 'Meta', elements: [{ type: 'text', name: 'A' }] }),
        async () => {},
      ]) {
        const { operations } = service.core;
        const { id } = await operations.installation(null, (to) => createProject(to, { name: 'Small' }));
        await operations.inProject(id, null, async (transaction) => void (await make(transaction)));
        const small = await archiveOf(service, id);
        // Without end.json and the two empty blocks behind it.
        expect((await failure(() => importInto(target, small.subarray(0, -2048)))).status).to.equal(400);
        expect(await importInto(target, small)).to.deep.include({ project: id, repeated: false });
      }
    } finally {
      await target.stop();
    }
  });

  it('is canceled over the admin API, leaves nothing, and can be imported again', async () => {
    const target = await startService();
    const authorization = `Bearer ${target.adminToken}`;
    const jobs = async () => {
      const answer = await fetch(`${target.url}/admin/jobs`, { headers: { authorization } });
      return ((await answer.json()) as { jobs: { id: string; kind: string; state: string }[] }).jobs;
    };
    async function* canceledHalfWay() {
      yield archive.subarray(0, archive.length / 2);
      // The import reads more bytes than it has processed.
      let job: { readonly id: string } | undefined;
      while (!job) [job] = await jobs();
      const answer = await fetch(`${target.url}/admin/jobs/${job.id}`, {
        method: 'DELETE',
        headers: { authorization },
      });
      expect(answer.status).to.equal(204);
      yield archive.subarray(archive.length / 2);
    }
    try {
      const stopped = await failure(() => importProject(target.core.operations, canceledHalfWay()));
      expect(stopped.status).to.equal(409);
      expect((await jobs()).map(({ state }) => state)).to.deep.equal(['canceled']);
      expect(await rowCounts(target)).to.deep.equal(NOTHING);
      expect((await importInto(target, archive)).repeated).to.equal(false);
      const imports = (await jobs()).filter(({ kind }) => kind === 'import');
      expect(imports.map(({ state }) => state).sort()).to.deep.equal(['canceled', 'done']);
    } finally {
      await target.stop();
    }
  });

  it('is imported only once at a time; the next start removes the rest of a killed import', async () => {
    const target = await startService();
    const { operations } = target.core;
    const job = () => operations.storage.sql.get(`SELECT state, done, total FROM job WHERE kind = 'import'`);
    async function* withAnother() {
      yield archive.subarray(0, archive.length / 2);
      // The import reads more bytes than it has processed.
      while (!(await job())) await setTimeout(5);
      const second = await failure(() => importInto(target, archive));
      expect([second.status, second.message]).to.deep.equal([
        409,
        `The project '${project}' is being imported just now.`,
      ]);
      const early = await fetch(`${target.url}/admin/projects/${project}/restore`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${target.adminToken}` },
      });
      expect([early.status, ((await early.json()) as { message: string }).message]).to.deep.equal([
        409,
        `The project '${project}' is being imported. It can be used when the import is done.`,
      ]);
      expect((await fetch(`${target.url}/delivery/${project}/items`)).status).to.equal(404);
      yield archive.subarray(archive.length / 2);
    }
    try {
      await importProject(operations, withAnother());
      const { total } = (await job()) as { total: number };
      expect(await job()).to.deep.equal({ state: 'done', done: total, total });
      await removeInterruptedImports(operations.storage);
      expect(await job()).to.deep.include({ state: 'done' });
      // As they were while it ran.
      await operations.storage.write(async (tx) => {
        await tx.run(`UPDATE job SET state = 'running', done = 5 WHERE kind = 'import'`);
        await tx.run(`UPDATE project SET archived = (SELECT created FROM job WHERE kind = 'import')`);
      });
      await removeInterruptedImports(operations.storage);
      expect(await job()).to.deep.equal({ state: 'failed', done: 5, total });
      // The file contents are stored only at the end of an archive.
      const remaining = await rowCounts(target);
      expect({ ...remaining, files: 0, content_facts: 0 }).to.deep.equal(NOTHING);
      expect((await importInto(target, archive)).repeated).to.equal(false);
    } finally {
      await target.stop();
    }
  });

  it('is refused while four imports run', async () => {
    const target = await startService();
    const { operations } = target.core;
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    async function* waiting() {
      yield archive.subarray(0, archive.length / 2);
      await finished;
      yield archive.subarray(archive.length / 2);
    }
    const ids = Array.from({ length: 5 }, (_, index) => `5a5a5a5a-0000-4000-8000-00000000020${index}`);
    const [last = '', ...first] = ids;
    try {
      const running = first.map((id) => importProject(operations, waiting(), { project: id }));
      const count = `SELECT count(*) AS count FROM job WHERE kind = 'import'`;
      while ((await operations.storage.sql.get<{ count: number }>(count))?.count !== first.length)
        await setTimeout(5);
      const refused = await failure(() => importInto(target, archive, { project: last }));
      expect([refused.status, refused.message]).to.deep.equal([
        503,
        '4 archives are being imported just now. Import this one when one of them is done.',
      ]);
      finish();
      await Promise.all(running);
      expect((await importInto(target, archive, { project: last })).repeated).to.equal(false);
    } finally {
      finish();
      await target.stop();
    }
  });

  it('is no repeated import when its project was archived since', async () => {
    const target = await startService();
    const { operations } = target.core;
    try {
      await importInto(target, archive);
      await operations.installation(null, (to) => archiveProject(to, project));
      const refused = await failure(() => importInto(target, archive));
      expect([refused.status, refused.message]).to.deep.equal([
        409,
        `The project '${project}' came from this archive and was archived since. Restore it, or import the archive under another id.`,
      ]);
      await operations.installation(null, (to) => restoreProject(to, project));
      expect((await importInto(target, archive)).repeated).to.equal(true);
    } finally {
      await target.stop();
    }
  });

  it('does not change a project that an earlier version imported partly, and says what to do', async () => {
    const target = await startService();
    const { storage } = target.core.operations;
    try {
      await importInto(target, archive);
      // Such a project was not archived; here that happened later.
      for (const [state, archived] of [
        ['failed', null],
        ['canceled', '2030-01-01T00:00:00.0000000Z'],
      ] as const) {
        await storage.write(async (tx) => {
          await tx.run(`UPDATE job SET state = ? WHERE kind = 'import'`, [state]);
          await tx.run('UPDATE project SET archived = ?', [archived]);
        });
        const { status, message } = await failure(() => importInto(target, archive));
        expect([status, message]).to.deep.equal([
          409,
          `An earlier version imported the project '${project}' only in part; archive it. Import the archive under another id.`,
        ]);
        expect(await storage.sql.get('SELECT id FROM project')).to.deep.equal({ id: project });
        expect(await storage.sql.get('SELECT number FROM item LIMIT 1')).not.to.equal(undefined);
      }
    } finally {
      await target.stop();
    }
  });

  it('is refused when damaged, of another format, or with the id of an existing project', async () => {
    const { createProject } = await import('../../core/access/projects.ts');
    const taken = await other.core.operations.installation(null, (to) =>
      createProject(to, { name: 'Taken' }),
    );
    const refusals: readonly [Buffer, ImportOptions, number][] = [
      [archive, { project: taken.id }, 409],
      [archive, { project: 'no guid' }, 400],
      [Buffer.from('{"name": "no tar"}'), {}, 400],
      [Buffer.alloc(0), {}, 400],
      [Buffer.alloc(10_240), {}, 400],
    ];
    for (const [bytes, options, status] of refusals)
      expect((await failure(() => importInto(other, bytes, options))).status).to.equal(status);
    const spoiled = Buffer.from(archive);
    const at = spoiled.indexOf('files/');
    spoiled[at + 1000] = spoiled[at + 1000]! ^ 0xff;
    // Records of files with other words of the same length, so that the tar around them stays whole.
    const forged = (from: RegExp, to: (found: string) => string) =>
      Buffer.from(archive.toString('latin1').replace(from, to), 'latin1');
    const forgeries: readonly [Buffer, string][] = [
      [forged(/(?<="size":)[1-9]\d+(?=,"type":"image)/, (size) => '9'.repeat(size.length)), 'bytes, not'],
      [forged(/(?<="name":")[^"](?=[^"]*","hash")/, () => '/'), 'slashes'],
      [forged(/(?<="hash":")[0-9a-f](?=[0-9a-f]{63}")/, () => '/'), 'A SHA-256'],
      [forged(/(?<="type":")image\/(?=[a-z]+","width")/, () => 'image '.slice(0, 6)), 'media type'],
    ];
    const target = await startService();
    try {
      expect((await failure(() => importInto(target, spoiled))).message).to.include('is not what it was');
      const hash = spoiled.toString('latin1', at + 6, at + 70);
      expect(await target.core.operations.blobs.size(hash)).to.equal(undefined);
      expect([...(await target.storedFiles()), ...(await target.unfinishedFiles())]).to.deep.equal([]);
      for (const [index, [bytes, message]] of forgeries.entries()) {
        expect(bytes.equals(archive), message).to.equal(false);
        const options = { project: `5a5a5a5a-0000-4000-8000-0000000001${10 + index}` };
        const refused = await failure(() => importInto(target, bytes, options));
        expect(refused.status, message).to.equal(400);
        expect(JSON.stringify(refused.validationErrors ?? refused.message), refused.message).to.include(
          message,
        );
        expect(await rowCounts(target)).to.deep.equal(NOTHING);
      }
    } finally {
      await target.stop();
    }
  });
});

describe('admin API: export and import', () => {
  let service: RunningService;
  const call = (path: string, body?: Uint8Array<ArrayBuffer>) =>
    fetch(`${service.url}/admin/projects/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/x-tar' },
      ...(body && { body }),
    });

  before(async () => {
    service = await startService({ sample: true });
  });
  after(() => service.stop());

  it('exports a project as a tar and imports it as another', async () => {
    const project = service.sample!.projectId;
    const sent = await call(`${project}/export`);
    expect(sent.status).to.equal(200);
    expect(sent.headers.get('content-type')).to.equal('application/x-tar');
    const bytes = new Uint8Array(await sent.arrayBuffer());
    const made = await call(`import?id=${COPY}&name=Copy`, bytes);
    expect(made.status).to.equal(201);
    const body = (await made.json()) as { id: string; items: number; job: string };
    expect(body).to.deep.include({ id: COPY, repeated: false });
    expect(body.items).to.be.greaterThan(30);
    expect((await call(`import?id=${COPY}`, bytes)).status).to.equal(200);
    expect((await call('import', bytes)).status).to.equal(409);
    expect((await call('import', Buffer.from('no archive'))).status).to.equal(400);
    expect((await call('import')).status).to.equal(400);
    expect((await call(`${COPY.replace('5', '6')}/export`)).status).to.equal(404);
    const job = await fetch(`${service.url}/admin/jobs/${body.job}`, {
      headers: { authorization: `Bearer ${service.adminToken}` },
    });
    expect(await job.json()).to.deep.include({ kind: 'import', state: 'done', project: COPY });
  });
});
