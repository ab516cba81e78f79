/** Preview URLs in archives, on both databases. */
import '../support/database/postgres-programs.ts';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { commitParticipants } from '../../core/compose/commit-participants.ts';
import { listPreviewUrls, replacePreviewUrls } from '../../core/content/preview-urls.ts';
import { createType, deleteType } from '../../core/content/types.ts';
import { openTemporaryFolders } from '../../core/storage/temporary-folders.ts';
import { inProject } from '../../core/transaction/in-project.ts';
import type { Operations } from '../../core/transaction/operations.ts';
import { importProject } from '../../core/transfer/import-project.ts';
import { archiveOf, readEntries, writeEntries } from '../support/archives/tar-entries.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { testDatabase } from '../support/database/test-database.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

const COPIES = ['5a5a5a5a-0000-4000-8000-000000000001', '5a5a5a5a-0000-4000-8000-000000000002'];

for (const [database, open] of [
  ['SQLite', testDatabase],
  ['PostgreSQL', postgresDatabase],
] as const)
  describe(`preview URLs in an archive, on ${database}`, function () {
    this.timeout(60_000);
    let bench: Workbench;
    let operations: Operations;
    before(async () => {
      bench = await openWorkbench(open);
      const { storage, blobs } = bench;
      const environment = {
        options: { newId: () => crypto.randomUUID() },
        participants: commitParticipants({ mediaType: 'service' }),
      };
      operations = {
        storage,
        blobs,
        temporary: await openTemporaryFolders(join(bench.folder, 'temporary')),
        reader: storage,
        inProject: (project, actor, work, options) =>
          inProject(storage, environment, project, actor, work, options),
        read: (project, work) => inProject(storage, environment, project, null, work),
        installation: (actor, work) =>
          storage.write((tx) => work({ tx, actor, options: environment.options })),
      };
    });
    after(() => bench?.close());
    const urlsOf = (project: string) => operations.inProject(project, null, listPreviewUrls);

    it('come with the project, in their order; an archive without them loads', async () => {
      const urls = await bench.run(async (to) => {
        const kept = await createType(to, { name: 'Kept', elements: [] });
        const gone = await createType(to, { name: 'Gone', elements: [] });
        const language = to.model.defaultLanguage.id;
        const urls = [
          { type: kept.id, language, url: 'https://b.example/{Lang}/{URLslug}' },
          { type: null, language, url: 'https://a.example/{Codename}' },
          { type: null, language: null, url: 'https://a.example/' },
        ];
        await replacePreviewUrls(to, [
          { type: gone.id, language: null, url: 'https://gone.example/' },
          ...urls,
        ]);
        await deleteType(to, { id: gone.id });
        return urls;
      });
      expect(await urlsOf(bench.project.id)).to.deep.equal(urls);
      const archive = await archiveOf(operations, bench.project.id);
      const copy = await importProject(operations, Readable.from([archive]), { project: COPIES[0]! });
      expect(await urlsOf(copy.project)).to.deep.equal(urls);
      const entries = await readEntries(archive);
      const without = entries.map(({ name, content }) => {
        if (name !== 'model.json') return { name, content };
        const { preview_urls, ...model } = JSON.parse(content.toString());
        expect(preview_urls).to.deep.equal(urls);
        return { name, content: Buffer.from(JSON.stringify(model)) };
      });
      const older = await importProject(operations, Readable.from([await writeEntries(without)]), {
        project: COPIES[1]!,
      });
      expect(await urlsOf(older.project)).to.deep.equal([]);
    });
  });
