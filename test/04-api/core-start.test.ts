import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openCore } from '../support/service/open-core.ts';

/** Files below the folder that this process has open. */
async function openFilesOf(folder: string): Promise<string[]> {
  const links = (await readdir('/proc/self/fd')).map((number) =>
    readlink(`/proc/self/fd/${number}`).catch(() => ''),
  );
  return (await Promise.all(links)).filter((file) => file.startsWith(folder));
}

describe('a start of core that fails', () => {
  it('closes the database where the folder of files cannot be used, and the next start works', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headwater-core-start-'));
    const taken = join(folder, 'taken');
    await writeFile(taken, 'a file, no folder');
    const options = {
      dataDir: join(folder, 'data'),
    };
    try {
      const error = await openCore({ ...options, filesDir: taken }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(Error);
      expect(await openFilesOf(folder)).to.deep.equal([]);
      const core = await openCore(options);
      expect(await openFilesOf(folder)).to.not.deep.equal([]);
      await core.close();
      expect(await openFilesOf(folder)).to.deep.equal([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
