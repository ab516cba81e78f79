/** The disk of a real PostgreSQL server becomes full, its data and its write-ahead log. */
import '../support/database/postgres-programs.ts';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ServiceError } from '../../core/errors.ts';
import { diskFullOr } from '../../core/storage/full-disk.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { openPostgres } from '../../core/storage/postgres/open-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/database/postgres.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';
import { addAccount, names } from './account-rows.ts';
import { entry } from './change-entry.ts';

/** Characters that hardly compress: many pages. */
const LARGE = 200_000;
const LOG_FILES = 100;

function randomText(): string {
  return randomBytes(LARGE / 2).toString('hex');
}

describe('a PostgreSQL server whose disk is full', () => {
  let server: PostgresServer;
  let storage: Storage;
  const acknowledged: string[] = [];

  /** @returns what a caller of the API gets */
  const attempt = async (name: string, text = ''): Promise<ServiceError | undefined> => {
    try {
      await storage.write(async (tx) => {
        await addAccount(tx, name);
        tx.change(entry(name));
        if (text !== '') await tx.run('UPDATE account SET created = ? WHERE id = ?', [text, name]);
      });
      acknowledged.push(name);
      return undefined;
    } catch (error) {
      return diskFullOr(error) as ServiceError;
    }
  };
  beforeEach(async () => {
    acknowledged.length = 0;
    server = await startPostgres({ hasDisk: true });
    storage = await openPostgres({ url: server.url(await server.create()) });
    await attempt('before');
  });
  afterEach(async () => {
    await storage.close();
    await server.end();
  });

  longTest(
    'answers writes with 507 and reads as always, and takes writes again once there is space',
    async () => {
      await server.disk!.fill();
      let error: ServiceError | undefined;
      for (let index = 0; error === undefined && index < 1000; index += 1)
        error = await attempt(`large ${index}`, randomText());
      expect(error?.status, String(error?.stack)).to.equal(507);
      for (const scope of ['lookup', 'delivery', 'management', 'background'] as const)
        expect(await storage.reader({ class: scope }).sql.get('SELECT 1 AS one')).to.deep.equal({ one: 1 });
      expect(await names(storage)).to.have.members(acknowledged);
      await server.disk!.free();
      expect(await attempt('after')).to.equal(undefined);
      expect(await names(storage)).to.have.members(acknowledged);
    },
  );

  it('and that ends because its log is full, loses nothing, and serves again once it runs', async () => {
    await server.disk!.fill();
    const refused: ServiceError[] = [];
    let isUp = true;
    for (let files = 0; isUp && files < LOG_FILES; files += 1) {
      const error = await attempt(`in file ${files}`);
      if (error) refused.push(error);
      isUp = await server.run('SELECT pg_switch_wal()').then(
        () => true,
        () => false,
      );
    }
    expect(await server.log()).to.match(/PANIC.*No space left on device/);
    const down = await attempt('while it is down');
    for (const error of [...refused, down])
      expect(error?.status, String(error?.stack)).to.be.oneOf([503, 507]);
    await server.disk!.free();
    await server.revive();
    await until(async () => (await attempt(`after ${acknowledged.length}`)) === undefined, 15_000);
    expect(await names(storage)).to.include.members(acknowledged);
    expect(storage.sequence).to.be.at.least(acknowledged.length);
  });
});
