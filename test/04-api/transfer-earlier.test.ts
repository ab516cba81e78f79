/** An archive that `headwater export` of an earlier version wrote, before imports were validated. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { importProject } from '../../core/transfer/import-project.ts';
import { wrongWith } from '../support/archives/served-content.ts';
import { archiveOf, readEntries, type TarEntry } from '../support/archives/tar-entries.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

type Row = Readonly<Record<string, unknown>>;

const ARCHIVE = join(import.meta.dirname, '../support/archives/earlier-version.tar.gz');

describe('an archive of an earlier version', () => {
  let service: RunningService;
  let bytes: Buffer;
  let entries: TarEntry[];

  before(async () => {
    service = await startService();
    bytes = gunzipSync(await readFile(ARCHIVE));
    entries = await readEntries(bytes);
  });
  after(() => service.stop());

  const rows = (folder: string): Row[] =>
    entries
      .filter(({ name }) => name.startsWith(folder))
      .flatMap(({ content }) => content.toString().split('\n').filter(Boolean))
      .map((line) => JSON.parse(line) as Row);

  it('contains every kind of object', () => {
    const model = JSON.parse(entries.find(({ name }) => name === 'model.json')!.content.toString());
    const kinds = [...model.types, ...model.snippets].flatMap(({ elements }) =>
      (JSON.parse(elements) as Row[]).map(({ type }) => type),
    );
    expect(new Set(kinds).size).to.equal(12);
    expect(model.languages.filter(({ fallback }: Row) => fallback !== null)).not.to.have.length(0);
    expect(model.taxonomies.filter(({ archived }: Row) => archived !== null)).not.to.have.length(0);
    const variants = rows('variants/');
    expect(variants.filter(({ versions }) => (versions as Row[]).length === 2)).not.to.have.length(0);
    expect(variants.filter(({ scheduled_to }) => scheduled_to !== null)).not.to.have.length(0);
    expect(JSON.stringify(variants)).to.match(/components.*components/);
    expect(rows('items/').filter(({ archived }) => archived !== null)).not.to.have.length(0);
    expect(entries.filter(({ name }) => name.startsWith('files/'))).not.to.have.length(0);
  });

  it('is imported and served, and exported again with the same content', async () => {
    const { operations } = service.core;
    const { project } = await importProject(operations, Readable.from([bytes]));
    const again = await readEntries(await archiveOf(operations, project));
    expect(again.map(({ name }) => name)).to.deep.equal(entries.map(({ name }) => name));
    for (const [index, { name, content }] of again.entries())
      if (name !== 'headwater.json')
        expect(content.toString(), name).to.equal(entries[index]!.content.toString());
    await operations.settled();
    expect(await wrongWith(service.core, project)).to.deep.equal([]);
  });

  it('is imported under another id', async () => {
    const id = '6d1f3c0a-0000-4000-8000-000000000001';
    const { project } = await importProject(service.core.operations, Readable.from([bytes]), { project: id });
    expect(project).to.equal(id);
    await service.core.operations.settled();
    expect(await wrongWith(service.core, id)).to.deep.equal([]);
  });
});
