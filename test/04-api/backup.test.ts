import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { regenerateKey } from '../../core/access/keys.ts';
import { createProject } from '../../core/access/projects.ts';
import { backUp } from '../../core/backup/back-up.ts';
import { DATABASE, placeOf, readManifest } from '../../core/backup/manifest.ts';
import { restore } from '../../core/backup/restore.ts';
import { createItem, updateItem } from '../../core/content/items.ts';
import { createType, updateType } from '../../core/content/types.ts';
import { failure } from '../support/failure.ts';
import { type RunningService, startService } from '../support/start-service.ts';

describe('backup and restore of the installation', function () {
  this.timeout(60_000);
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

  it('brings everything back as it was, while the service runs', async () => {
    const before = await read(service);
    const types = await read(service, 'types');
    const { operations } = service.core;
    const done = await backUp(operations, place, { created });
    expect(done.files).to.be.greaterThan(5);
    expect(await readdir(folder)).to.deep.equal(['backup']);

    const key = await operations.installation(null, (to) => regenerateKey(to, project, 'preview-primary'));
    const later = await operations.installation(null, (to) => createProject(to, { name: 'Later' }));
    await operations.inProject(project, null, async (session) => {
      await updateType(session, { id: session.model.types[0]!.id }, { name: 'Renamed' });
      for (const { id, name } of await session.tx.all<{ id: string; name: string }>(
        'SELECT id, name FROM item WHERE project = 1',
      ))
        await updateItem(session, { id }, { name: `${name.slice(0, 40)} later` });
    });
    const changed = await read(service);
    expect(changed.text).not.to.equal(before.text);
    expect(changed.etag).not.to.equal(before.etag);
    const preview = () =>
      fetch(`${service.url}/preview/${project}/types`, { headers: { authorization: `Bearer ${key.key}` } });
    expect((await preview()).status).to.equal(200);

    await restore(operations, place);
    const after = await read(service);
    expect(after.text).to.equal(before.text);
    expect(after.etag).to.equal(before.etag);
    expect((await read(service, 'types')).text).to.equal(types.text);
    expect((await preview()).status).to.equal(401);
    expect((await fetch(`${service.url}/delivery/${later.id}/items`)).status).to.equal(404);

    // And everything goes on from there: new rows get numbers of their own.
    await operations.inProject(project, null, async (session) => {
      await createType(session, { name: 'Brand new', elements: [{ type: 'text', name: 'Text' }] });
      await createItem(session, { name: 'Brand new', type: { codename: 'brand_new' } });
    });
    expect((await read(service, 'types/brand_new')).status).to.equal(200);
  });

  it('comes up in another installation, files included', async () => {
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

  it('is whole although content is written meanwhile', async () => {
    const { operations } = service.core;
    const type = await operations.read(project, async ({ model }) => model.types[0]!.id);
    let writing = true;
    let written = 0;
    const writer = (async () => {
      while (writing) {
        written += 1;
        await operations.inProject(project, null, (session) =>
          createItem(session, { name: `Item ${written}`, type: { id: type } }),
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
    const [check] = await operations.storage.sql.all<{ integrity_check: string }>('PRAGMA integrity_check');
    expect(check).to.deep.equal({ integrity_check: 'ok' });
  });

  it('changes nothing where the backup is damaged or no backup', async () => {
    const { operations } = service.core;
    await backUp(operations, place, { created });
    expect((await failure(() => backUp(operations, place, { created }))).status).to.equal(409);
    const before = await read(service);
    expect((await failure(() => restore(operations, folder))).message).to.include('is no backup');
    const [file] = (await readManifest(place)).files;
    await appendFile(placeOf(place, file!), 'x');
    expect((await failure(() => restore(operations, place))).message).to.include(`the file ${file}`);
    await appendFile(join(place, DATABASE), 'x');
    expect((await failure(() => restore(operations, place))).message).to.include('its database');
    expect(await read(service)).to.deep.equal(before);
  });
});
