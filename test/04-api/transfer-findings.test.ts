import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { importProject } from '../../core/transfer/import-project.ts';
import { archiveProject } from '../support/archives/archive-project.ts';
import { archiveOf, readEntries, type TarEntry, writeEntries } from '../support/archives/tar-entries.ts';
import { failure } from '../support/failure.ts';
import { mainThreadCpu } from '../support/measure/cpu.mjs';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

type Row = Record<string, unknown>;

describe('findings of an import', () => {
  let service: RunningService;
  let entries: TarEntry[];

  before(async () => {
    service = await startService();
    const project = await archiveProject(service.core, 5);
    entries = await readEntries(await archiveOf(service.core.operations, project));
  });
  after(() => service.stop());

  /** The archive with other rows of a kind, under an id of its own. */
  const changed = async (folder: string, change: (rows: Row[]) => void): Promise<Buffer> =>
    writeEntries(
      entries.map((entry) => {
        if (!entry.name.startsWith(folder)) return entry;
        const rows = entry.content
          .toString()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Row);
        change(rows);
        return { ...entry, content: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')) };
      }),
    );
  const withModel = (change: (model: Row) => void): Promise<Buffer> => {
    const model = JSON.parse(entries.find(({ name }) => name === 'model.json')!.content.toString()) as Row;
    change(model);
    const content = Buffer.from(JSON.stringify(model));
    return writeEntries(
      entries.map((entry) => (entry.name === 'model.json' ? { ...entry, content } : entry)),
    );
  };
  const post = async (bytes: Buffer) => {
    const response = await fetch(
      `${service.url}/admin/projects/import?id=5a5a5a5a-0000-4000-8000-000000000001`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/x-tar' },
        body: new Uint8Array(bytes),
      },
    );
    return { status: response.status, body: (await response.json()) as Row };
  };
  const countOf = async (table: string) =>
    (
      await service.core.operations.storage.sql.get<{ count: number }>(
        `SELECT count(*) AS count FROM ${table}`,
      )
    )?.count;
  const findings = async (bytes: Buffer): Promise<Row[]> => {
    const before = await Promise.all(['project', 'item', 'version', 'document', 'asset'].map(countOf));
    const { status, body } = await post(bytes);
    expect(status, JSON.stringify(body)).to.equal(400);
    expect(await Promise.all(['project', 'item', 'version', 'document', 'asset'].map(countOf))).to.deep.equal(
      before,
    );
    return body['validation_errors'] as Row[];
  };
  /** Puts a value into the rich text of the first variant that has one. */
  const withHtml = (html: string) =>
    changed('variants/', (rows) => {
      for (const row of rows)
        for (const version of row['versions'] as Row[]) {
          const elements = JSON.parse(String(version['elements'])) as Record<string, Row>;
          const text = Object.values(elements).find((value) => value?.['html'] !== undefined);
          if (!text) continue;
          text['html'] = html;
          text['components'] = [];
          version['elements'] = JSON.stringify(elements);
          return;
        }
    });

  it('are reported with file, row and path, in one answer', async () => {
    const bytes = await changed('items/', (rows) => {
      rows[0]!['codename'] = 'x"><script>';
      rows[1]!['id'] = 'no guid';
      rows[2]!['last_modified'] = 'garbage';
      rows[3]!['type'] = '6f3a1c62-0000-4000-8000-000000000000';
    });
    const found = await findings(bytes);
    const places = found.map(({ file, row, path }) => `${file} ${row} ${path}`);
    expect(places.slice(0, 4)).to.deep.equal([
      'items/000001.ndjson 1 codename',
      'items/000001.ndjson 2 id',
      'items/000001.ndjson 3 last_modified',
      'items/000001.ndjson 4 type',
    ]);
    // The variants of these items have nothing wrong with them; those of the one without an id point to nothing.
    expect(found.slice(4).every(({ message }) => String(message).startsWith('There is no item'))).to.equal(
      true,
    );
  });

  it('include rich text that the management API refuses', async () => {
    for (const html of [
      '<p onclick="a">b</p>',
      '<script>alert(1)</script>',
      '<p>a</p><p><iframe></iframe></p>',
    ]) {
      const [first] = await findings(await withHtml(html));
      expect(first).to.include({ file: 'variants/000001.ndjson' });
      expect(first?.['path']).to.match(/^versions\[\d\]\.elements\.[0-9a-f-]{36}\.value$/);
    }
  });

  it('do not include URLs that are sanitised, as by the management API', async () => {
    const { status, body } = await post(await withHtml('<p><a href="javascript:alert(1)">a</a></p>'));
    expect(status, JSON.stringify(body)).to.equal(201);
    const rows = await service.core.operations.storage.sql.all<{ elements: string }>(
      'SELECT elements FROM version',
    );
    const written = rows.filter(({ elements }) => elements.includes('javascript:'));
    expect(written.map(({ elements }) => /href=\\"(.*?)\\"/.exec(elements)?.[1])).to.deep.equal([
      'http://javascript:alert(1)',
    ]);
    await removed();
  });

  it('do not include what assets may have: descriptions of 500 characters, also beyond U+FFFF', async () => {
    const language = (
      JSON.parse(entries.find(({ name }) => name === 'model.json')!.content.toString()) as {
        readonly languages: readonly { readonly id: string }[];
      }
    ).languages[0]!.id;
    const described = (description: string) =>
      changed('assets/', (rows) => {
        for (const row of rows.filter(({ file }) => file !== null))
          row['descriptions'] = JSON.stringify({ [language]: description });
      });
    const [first] = await findings(await described('\u{1f600}'.repeat(501)));
    expect(first).to.include({ path: 'descriptions' });
    const { status, body } = await post(await described('\u{1f600}'.repeat(500)));
    expect(status, JSON.stringify(body)).to.equal(201);
    await removed();
  });

  it('include times, states and references', async () => {
    const cases: readonly [(row: Row) => void, string][] = [
      [(row) => Object.assign(row, { scheduled_to: 'garbage' }), 'scheduled_to'],
      [(row) => Object.assign(row, { draft: null, published: null }), 'versions'],
      [(row) => Object.assign(row, { draft: 7 }), 'versions'],
      [(row) => Object.assign(row, { language: '6f3a1c62-0000-4000-8000-000000000000' }), 'language'],
      [(row) => Object.assign(row, { was_published: 2 }), 'was_published'],
    ];
    for (const [change, path] of cases) {
      const found = await findings(await changed('variants/', (rows) => change(rows[0]!)));
      expect(found[0]).to.include({ file: 'variants/000001.ndjson', row: 1, path });
    }
  });

  it('include the model, such as a taxonomy element without a group', async () => {
    let at = 0;
    const id = '6f3a1c62-0000-4000-8000-000000000000';
    const found = await findings(
      await withModel(({ types }) => {
        const [type] = types as { elements: string }[];
        const elements = JSON.parse(type!.elements) as Row[];
        at = elements.push({
          id,
          name: 'Tags',
          codename: 'own_tags',
          type: 'taxonomy',
          guidelines: null,
          is_required: false,
        });
        type!.elements = JSON.stringify(elements);
      }),
    );
    const path = `types[0].elements[${at - 1}].taxonomy_group`;
    expect(found).to.have.length(1);
    expect(found[0]).to.include({ file: 'model.json', path });
  });

  it('include preview URLs', async () => {
    const id = '6f3a1c62-0000-4000-8000-000000000000';
    const of = (preview_urls: unknown) => withModel((model) => Object.assign(model, { preview_urls }));
    const all = { type: null, language: null };
    const cases: readonly [unknown, string][] = [
      ['none', 'preview_urls'],
      [[{ ...all, url: 7 }], 'preview_urls[0].url'],
      [[{ ...all, url: 'javascript:alert(1)' }], 'preview_urls[0].url'],
      [[{ ...all, url: `https://a.example/${'x'.repeat(2000)}` }], 'preview_urls[0].url'],
      [[{ ...all, type: id, url: 'https://a.example/' }], 'preview_urls[0].type'],
    ];
    for (const [urls, path] of cases)
      expect((await findings(await of(urls)))[0]).to.include({ file: 'model.json', path });
  });

  it('include a folder tree with thousands of levels', async () => {
    const levels = 3000;
    let tree = '';
    for (let level = 0; level < levels; level += 1) {
      const id = `6f3a1c62-0000-4000-8000-${String(level).padStart(12, '0')}`;
      tree += `[{"id":"${id}","name":"n","folders":`;
    }
    tree += `[]${'}]'.repeat(levels)}`;
    // A long text is read in pieces, a short one is not.
    for (const text of [tree, tree.replaceAll(/"id":"[^"]+","name":"n",/g, '')]) {
      const found = await findings(await withModel((model) => Object.assign(model, { asset_folders: text })));
      expect(found[0]).to.include({ file: 'model.json' });
      expect(found[0]?.['message']).to.match(/levels/);
    }
  });

  it('include more rows or files than the head announces, which ends the reading', async () => {
    const more = await changed('items/', (rows) => {
      for (let count = 0; count < 1000; count += 1) {
        const id = `6f3a1c62-0000-4000-8000-${String(count).padStart(12, '0')}`;
        rows.push({ ...rows[0], id, codename: `more_${count}`, external_id: null });
      }
    });
    const rows = await post(more);
    expect([rows.status, rows.body['message']]).to.deep.equal([
      400,
      'The archive is damaged or no archive of a project: it has more items than headwater.json says.',
    ]);
    const extra = Array.from({ length: 20 }, (_, index) => {
      const content = Buffer.from(`file ${index}`);
      return { name: `files/${createHash('sha256').update(content).digest('hex')}`, content };
    });
    const files = await post(await writeEntries([...entries.slice(0, 2), ...extra, ...entries.slice(2)]));
    expect(files.status).to.equal(400);
    expect(files.body['message']).to.include('more files than assets');
    expect(await service.unfinishedFiles()).to.deep.equal([]);
  });

  it('do not block the service for an archive of millions of empty lines', async () => {
    const lines = Buffer.alloc(8 * 2 ** 20, '\n');
    const bytes = await writeEntries(
      entries.map((entry) =>
        entry.name.startsWith('items/')
          ? { ...entry, content: Buffer.concat([lines, entry.content]) }
          : entry,
      ),
    );
    const before = mainThreadCpu();
    const { status, body } = await post(bytes);
    expect(status, JSON.stringify(body)).to.equal(201);
    await removed();
    // It took 2.9 s.
    expect(mainThreadCpu() - before).to.be.lessThan(1000);
  });

  it('are limited in number, with a count of the rest', async () => {
    const bytes = await changed('items/', (rows) => {
      const row = rows[0]!;
      for (let count = 0; count < 500; count += 1) rows.push({ ...row, created: 'garbage' });
    });
    const found = await findings(bytes);
    expect(found).to.have.length(101);
    expect(found[100]?.['message']).to.match(/^… and at least \d+ more\.$/);
  });

  it('do not include limits and required elements, which a successful import reports', async () => {
    const { status, body } = await post(await writeEntries(entries));
    expect(status).to.equal(201);
    const violations = body['violations'] as Row[];
    expect(violations.map(({ path }) => path)).to.include('versions[0].elements.files');
    expect(violations.some(({ message }) => String(message).includes('at most 3 are expected'))).to.equal(
      true,
    );
    for (const violation of violations) expect(violation).to.include.keys('file', 'row', 'path', 'message');
    await removed();
  });

  it('are followed by the removal of everything imported, also at shutdown', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-import-'));
    const open = () => openCore({ dataDir, log: SILENT });
    const bytes = await writeEntries(entries);
    const core = await open();
    const { storage } = core.operations;
    // A client that stalls half way.
    async function* stalling() {
      yield bytes.subarray(0, bytes.length - 4096);
      await new Promise(() => {});
    }
    try {
      const refused = failure(() => importProject(core.operations, stalling()));
      while (!(await storage.sql.get('SELECT number FROM item LIMIT 1'))) await setTimeout(5);
      const [error] = await Promise.all([refused, core.close()]);
      expect(error.status).to.equal(503);
      const again = await open();
      for (const table of ['project', 'item', 'version', 'document', 'asset', 'file', 'language', 'api_key'])
        expect(await again.operations.storage.sql.get(`SELECT * FROM ${table}`), table).to.equal(undefined);
      const job = await again.operations.storage.sql.get(
        `SELECT state, error FROM job WHERE kind = 'import'`,
      );
      expect(job).to.include({ state: 'failed' });
      expect(await readdir(join(dataDir, 'files', 'unfinished'))).to.deep.equal([]);
      await again.close();
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });

  /** Removes the imported project, so that the next one can have its id. */
  async function removed(): Promise<void> {
    const { removeImport } = await import('../../core/transfer/remove-import.ts');
    const { storage } = service.core.operations;
    const id = '5a5a5a5a-0000-4000-8000-000000000001';
    const job = await storage.sql.get<{ id: string }>(
      'SELECT j.id AS id FROM job j JOIN project p ON p.number = j.project WHERE p.id = ? AND j.kind = ?',
      [id, 'import'],
    );
    await storage.write(async (tx) => {
      await tx.run(`UPDATE job SET state = 'running' WHERE id = ?`, [job?.id ?? '']);
      await tx.run('UPDATE project SET archived = (SELECT created FROM job WHERE id = ?) WHERE id = ?', [
        job?.id ?? '',
        id,
      ]);
    });
    await removeImport(storage, job?.id ?? '', 'removed');
  }
});
