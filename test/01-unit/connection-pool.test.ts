import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { ConnectionPool } from '../../core/storage/connection-pool.ts';
import { Connection } from '../../core/storage/sqlite/connection.ts';

/** Takes minutes. */
const ENDLESS =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT count(*) FROM n';
/** More checks of the pool, which come every 20 ms, than make a task of any share a long one. */
const CHECKS = 20;
const CHECK_MS = 20;

describe('a pool of read connections', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-pool-'));
  });
  after(() => rm(folder, { recursive: true }));

  for (const [reserved, atOnce] of [
    [2, 3],
    [4, 1],
  ] as const)
    it(`with ${reserved} of 5 connections reserved has at most ${atOnce} long reads at a time, and runs short ones beside them`, async () => {
      const file = join(folder, `${reserved}.sqlite`);
      const empty = await Connection.open(file, { readOnly: false });
      await empty.execute('PRAGMA user_version = 1');
      await empty.close();
      const bounds = { share: 100, total: 100, milliseconds: 60_000 };
      const pool = await ConnectionPool.open(() => Connection.open(file, { readOnly: true }), {
        connections: 5,
        reserved,
        bounds,
      });
      const read = (share: string, text: string, signal?: AbortSignal) =>
        pool.use({ class: 'delivery', share, signal }, (connection) => connection.get(text));
      /** Endless reads of two shares. */
      const readLong = (times: number) => {
        const cancel = new AbortController();
        const reads = Array.from({ length: times }, () =>
          ['one', 'other'].map((share) => read(share, ENDLESS, cancel.signal)),
        ).flat();
        const ended = Promise.allSettled(reads);
        return async () => {
          cancel.abort();
          await ended;
        };
      };

      const stopFirst = readLong(1);
      for (let check = 0; check < CHECKS; check += 1) await pause(CHECK_MS);
      await stopFirst();
      const stop = readLong(4);
      expect(pool.figures()).to.include({ running: atOnce, waiting: 8 - atOnce });
      expect(await read('short', 'SELECT 1 AS one')).to.deep.equal({ one: 1 });
      expect(pool.figures()).to.include({ running: atOnce, waiting: 8 - atOnce });
      await stop();
      await pool.close();
    });
});
