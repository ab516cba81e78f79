/** A disk that is full: a clear answer, nothing half-written, and normal work once there is space. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import knex from 'knex';
import { migrationSource, migrationsOf } from '../../core/storage/migrations/migration-list.ts';
import { longTest } from '../support/long-form.ts';
import { SmallFolder } from '../support/programs/small-folder.ts';
import type { ManageError } from '../support/projects/manage-service.ts';
import { HeadwaterProcess, IN_PLACE } from '../support/service/run-headwater.ts';
import { namespace, type SmallDisk, startOnSmallDisk } from '../support/service/small-disk.ts';
import { ADMIN_TOKEN } from '../support/service/start-service.ts';

const BIN = join(import.meta.dirname, '../../gateway/cli/headwater.cjs');
const PROJECT = '8d1a7c5e-3f42-4b69-9c0d-6e5b1f2a7d34';
const FULL =
  'The disk of the service is full; nothing was changed. Free some space on it and send the request again.';

describe('a full disk', () => {
  let disk: SmallDisk;
  let key: string;
  const call = async (method: string, path: string, body?: unknown, token = key) => {
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(disk.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': isBytes ? 'application/octet-stream' : 'application/json',
      },
      ...(body !== undefined && { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text === '' ? {} : JSON.parse(text)) as ManageError & { key: string; id: string },
    };
  };
  const manage = (path: string) => `/manage/v2/projects/${PROJECT}${path}`;
  const upload = (mebibytes: number) =>
    call('POST', manage('/files/large.bin'), Buffer.alloc(mebibytes * 2 ** 20, Math.random().toString()));
  const upsert = (id: string) =>
    call('PUT', manage(`/items/external-id/${id}`), { name: id, type: { codename: 'article' } });

  before(async () => {
    disk = await startOnSmallDisk({ size: 40, ballast: 12 });
    const user = await call(
      'POST',
      '/admin/users',
      { name: 'Ann', email: 'ann@example.com', projects: [{ id: PROJECT, capabilities: ['manage-apis'] }] },
      ADMIN_TOKEN,
    );
    const enabled = await call(
      'PUT',
      `/admin/projects/${PROJECT}/management-api`,
      { enabled: true, user_id: user.body.id },
      ADMIN_TOKEN,
    );
    key = enabled.body.key;
  });
  after(() => disk.stop());

  it('answers an upload with 507, and keeps nothing of it', async () => {
    const refused = await upload(64);
    expect(refused.status).to.equal(507);
    expect(refused.body).to.include({ error_code: 0, message: FULL });
    // What the upload had written is free again.
    expect((await upload(2)).status).to.equal(200);
  });

  it('answers writes with 507 while reads continue, and accepts writes again once there is space', async () => {
    for (const size of [4, 1, 0.25, 0.0625, 0.01]) while ((await upload(size)).status === 200);
    let written = 0;
    let refused = await upsert('item-0');
    while (refused.status === 201 && written < 5000) {
      written += 1;
      refused = await upsert(`item-${written}`);
    }
    expect(refused.status).to.equal(507);
    expect(refused.body).to.include({ error_code: 0, message: FULL });
    const read = await fetch(`${disk.url}/delivery/${PROJECT}/items?limit=1`);
    expect(read.status).to.equal(200);
    expect((await fetch(`${disk.url}/health/ready`)).status).to.equal(200);
    expect((await call('GET', manage(`/items/external-id/item-${written}`))).status).to.equal(404);

    await disk.freeSpace();
    expect((await upsert(`item-${written}`)).status).to.equal(201);
    if (written > 0) expect((await call('GET', manage('/items/external-id/item-0'))).status).to.equal(200);
    expect((await upload(2)).status).to.equal(200);
  });
});

describe('a disk for temporary files that is full', () => {
  longTest('does not keep migrations from sorting, which is done in the data folder', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'headwater-migrated-'));
    const database = knex({
      client: 'sqlite3',
      connection: { filename: join(dataDir, 'headwater.db') },
      useNullAsDefault: true,
    });
    const before = migrationsOf('sqlite').filter(({ name }) => name < '0021');
    await database.raw('PRAGMA application_id = 0x48445752');
    await database.migrate.latest({ migrationSource: migrationSource(before) });
    await database.raw('PRAGMA foreign_keys = OFF');
    await database.raw(
      `WITH RECURSIVE one (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM one WHERE number < 400000)
       INSERT INTO version (number, variant, sequence, elements, created) SELECT number, number, number, '[]', '' FROM one`,
    );
    await database.destroy();
    const disk = await SmallFolder.make({ megabytes: 1 });
    try {
      const environment = { ...IN_PLACE, HEADWATER_DATA_DIR: dataDir, SQLITE_TMPDIR: disk.path };
      const { code, err } = await new HeadwaterProcess(['migrate'], environment, disk.through).ended;
      expect(code, err).to.equal(0);
    } finally {
      await disk.end();
      await rm(dataDir, { recursive: true });
    }
  });
});

describe('a data folder that cannot be made', () => {
  longTest('stops the start with the reason of the file system', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-read-only-'));
    const start = (dataDir: string) =>
      promisify(execFile)(
        'unshare',
        [
          ...(namespaceArguments as string[]),
          'sh',
          '-c',
          'mount -t tmpfs -o size=1m,ro none "$0" && exec "$1" "$2" serve',
          folder,
          process.execPath,
          BIN,
        ],
        {
          env: {
            PATH: process.env['PATH'],
            ...IN_PLACE,
            HEADWATER_DATA_DIR: dataDir,
            HEADWATER_PORT: '0',
            HEADWATER_TLS_PORT: '0',
          },
        },
      ).then(
        () => 'started',
        (error: { stderr: string }) => error.stderr,
      );
    const namespaceArguments = await namespace();
    try {
      expect(await start(join(folder, 'a/b'))).to.equal(`headwater: ${folder}/a is on a read-only disk.\n`);
      expect(await start('/dev/null/data')).to.equal('headwater: /dev/null/data is no folder.\n');
      expect(await start('/proc/none/data')).to.equal('headwater: /proc/none is not there.\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
