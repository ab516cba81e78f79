import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openTemporaryFolders } from '../../core/storage/temporary-folders.ts';

describe('the folder of temporary files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-temporary-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made with the first folder in it', async () => {
    const root = join(folder, 'temporary');
    const { make } = await openTemporaryFolders(root);
    expect(existsSync(root)).to.equal(false);
    expect(await readdir(await make('export'))).to.deep.equal([]);
    expect((await readdir(root))[0]).to.match(/^export-/);
  });

  it('is emptied at the start, and stays: it may be a link to another disk', async () => {
    const disk = join(folder, 'disk');
    const root = join(folder, 'temporary');
    await mkdir(join(disk, 'export-killed'), { recursive: true });
    await writeFile(join(disk, 'export-killed/archive.zip'), 'left');
    await symlink(disk, root);
    const { make } = await openTemporaryFolders(root);
    expect(await readdir(disk)).to.deep.equal([]);
    expect((await lstat(root)).isSymbolicLink()).to.equal(true);
    await make('clone');
    expect((await readdir(disk)).length).to.equal(1);
  });
});
