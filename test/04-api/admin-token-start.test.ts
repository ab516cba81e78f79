import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { StartError } from '../../config/start-error.ts';
import { acceptAdminToken } from '../../core/access/accept-admin-token.ts';
import { storeAdminToken, storedAdminToken } from '../../core/access/admin-token.ts';
import { tokenHash } from '../../core/access/token-hash.ts';
import type { RunningCore } from '../../core/compose/create-core.ts';
import { requireSameSettings } from '../../core/read-model/compiled-settings.ts';
import { openSqlite } from '../../core/storage/sqlite/open-sqlite.ts';
import { adminToken } from '../../gateway/roles/admin-token.ts';
import { openCore } from '../support/service/open-core.ts';

const [FIRST, SECOND] = ['1', '2'].map((digit) => digit.repeat(43)) as [string, string];

describe('the admin token at the start of a core', () => {
  let folder: string;
  let core: RunningCore | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-token-start-'));
  });
  afterEach(async () => {
    await core?.close();
    core = undefined;
    await rm(folder, { recursive: true });
  });

  async function start(configured?: string, more: { readonly isCommand?: boolean } = {}) {
    await core?.close();
    core = undefined;
    core = await openCore({
      dataDir: folder,
      adminToken: adminToken(folder, configured),
      ...more,
    });
    return core.access;
  }
  const valid = async (...tokens: string[]) =>
    Promise.all(tokens.map((token) => core!.access.isAdminToken(tokenHash(token))));
  const inFile = async () => (await readFile(join(folder, 'admin-token'), 'utf8')).trim();

  it('is made where there is none: the file has the token, the database its hash', async () => {
    await start();
    const token = await inFile();
    expect(await valid(token, FIRST, '')).to.deep.equal([true, false, false]);
    expect(await storedAdminToken(core!.operations.storage.sql)).to.equal(tokenHash(token));
    await start();
    expect(await inFile()).to.equal(token);
    expect(await valid(token)).to.deep.equal([true]);
  });

  it('is the new one after a crash between its storage and the name of its file', async () => {
    await start();
    const old = await inFile();
    await core!.operations.storage.write((tx) => storeAdminToken(tx, tokenHash(FIRST)));
    await writeFile(join(folder, 'admin-token.11111111-1111-4111-8111-111111111111.next'), `${FIRST}\n`);
    await start();
    expect(await valid(FIRST, old)).to.deep.equal([true, false]);
    expect(await inFile()).to.equal(FIRST);
  });

  it('of the settings or of another file replaces the stored one where the core is alone', async () => {
    await start(FIRST);
    expect(await valid(FIRST, SECOND)).to.deep.equal([true, false]);
    expect(await readdir(folder)).to.not.include('admin-token');
    await start(SECOND);
    expect(await valid(FIRST, SECOND)).to.deep.equal([false, true]);
    await writeFile(join(folder, 'admin-token'), `${FIRST}\n`);
    await start();
    expect(await valid(FIRST, SECOND)).to.deep.equal([true, false]);
  });

  it('is not touched by a command with other settings', async () => {
    await start(FIRST);
    await start(SECOND, { isCommand: true });
    await start(undefined, { isCommand: true });
    expect(await valid(FIRST, SECOND)).to.deep.equal([true, false]);
    expect(await readdir(folder)).to.not.include('admin-token');
  });

  it('that was unknown to the database, as that of an earlier version, stays valid', async () => {
    await writeFile(join(folder, 'admin-token'), `${FIRST}\n`);
    await start();
    expect(await valid(FIRST)).to.deep.equal([true]);
    expect(await inFile()).to.equal(FIRST);
  });

  describe('while another core runs', () => {
    const refusal = async (work: Promise<void>) => {
      const error = await work.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).to.be.instanceOf(StartError);
      const { message } = error as Error;
      expect(message).to.match(/^Another core of this installation runs with another [^.]*(\.\w[^.]*)*\.$/);
      for (const token of [FIRST, SECOND, tokenHash(FIRST)]) expect(message).to.not.include(token);
      return message;
    };

    it('is refused where it differs or is missing, and nothing changes', async () => {
      const storage = await openSqlite({ file: join(folder, 'headwater.db') });
      await acceptAdminToken(storage, adminToken(folder, FIRST), true);
      expect(await storedAdminToken(storage.sql)).to.equal(tokenHash(FIRST));
      const before = await readdir(folder);
      for (const token of [SECOND, undefined]) {
        const message = await refusal(acceptAdminToken(storage, adminToken(folder, token), true));
        expect(message).to.include('HEADWATER_ADMIN_TOKEN');
      }
      expect(await storedAdminToken(storage.sql)).to.equal(tokenHash(FIRST));
      expect(await readdir(folder)).to.deep.equal(before);
      await acceptAdminToken(storage, adminToken(folder, FIRST), true);
      await storage.close();
    });

    it('goes for settings that are part of compiled documents, too', async () => {
      await start(FIRST);
      await core!.close();
      core = undefined;
      const storage = await openSqlite({ file: join(folder, 'headwater.db') });
      await requireSameSettings(storage, { mediaType: 'service' });
      const message = await refusal(requireSameSettings(storage, { mediaType: 'other' }));
      expect(message).to.include('vendor.mediaType');
      await storage.close();
    });
  });
});
