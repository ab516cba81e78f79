import { mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { StartError } from '../../config/start-error.ts';
import { SILENT } from '../support/service/core-settings.ts';
import { openCore } from '../support/service/open-core.ts';

describe('a database file that was emptied', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'headwater-emptied-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  const open = () => openCore({ dataDir, log: SILENT });

  it('is refused beside files of assets, and stays as it is', async () => {
    const core = await open();
    await core.operations.blobs.put(Readable.from([Buffer.from('image')]));
    await core.close();
    const file = join(dataDir, 'headwater.db');
    await truncate(file);
    const error = await open().catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(StartError);
    expect((error as StartError).message).to.match(/headwater\.db is empty, but .* restore it from a backup/);
    expect((await stat(file)).size).to.equal(0);
  });

  it('begins anew where there are none, as after a first start that was killed', async () => {
    await writeFile(join(dataDir, 'headwater.db'), '');
    await (await open()).close();
    expect((await stat(join(dataDir, 'headwater.db'))).size).to.be.above(0);
  });
});
