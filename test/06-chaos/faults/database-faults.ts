import { setTimeout } from 'node:timers/promises';
import type { PostgresServer } from '../../support/database/postgres.ts';
import type { Random } from '../../support/random/random.ts';
import { aWhile, type Disturbable, type Fault } from './fault.ts';

/** More than a server keeps for later. */
const LOG_FILES = 100;

/** Of the primary. */
export const databaseFaults: Readonly<Record<string, Fault>> = {
  'failed over': ({ engines }) => engines.failOver(),
  async 'disk full'({ engines: { primary }, longest }, random) {
    await primary.disk!.fill();
    await aWhile(longest, random);
    await primary.disk!.free();
    await primary.revive();
  },
  // The server ends, and cannot be started before there is space: it writes when it recovers.
  async 'log full'({ engines: { primary }, longest }, random) {
    await primary.disk!.fill();
    await fillLog(primary);
    await aWhile(longest, random);
    await primary.disk!.free();
    await primary.revive();
  },
  // The server ends all sessions and recovers, as after a crash of its own.
  async 'session killed'(what, random) {
    const pid = await sessionInTransaction(what, random);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await setTimeout(100);
  },
  async 'session terminated in a transaction'(what, random) {
    const { primary } = what.engines;
    for (let times = random.int(1, 5); times > 0; times -= 1) {
      const pid = await sessionInTransaction(what, random);
      if (pid !== undefined) await primary.run(`SELECT pg_terminate_backend(${pid})`).catch(() => {});
      await setTimeout(random.int(0, 200));
    }
  },
};

/** Uses up the files that the log has, until the server cannot make another one. */
async function fillLog(server: PostgresServer): Promise<void> {
  for (let files = 0; files < LOG_FILES; files += 1) {
    const used = await server.run("SELECT pg_logical_emit_message(false, 'test', ''), pg_switch_wal()").then(
      () => true,
      () => false,
    );
    if (!used) return;
  }
}

/** One that writes, if it can be met within a second, else any session of a core. */
async function sessionInTransaction(
  { engines, database }: Disturbable,
  random: Random,
): Promise<number | undefined> {
  for (let tries = 0; ; tries += 1) {
    // Another fault may have stopped the server.
    const { rows } = await engines.primary
      .run(
        `SELECT pid FROM pg_stat_activity WHERE datname = '${database}' AND application_name LIKE 'headwater%'
         AND pid <> pg_backend_pid() ${tries < 20 ? 'AND backend_xid IS NOT NULL' : ''} ORDER BY pid`,
      )
      .catch(() => ({ rows: [] }));
    if (rows.length > 0) return (random.pick(rows) as { pid: number }).pid;
    if (tries > 20) return undefined;
    await setTimeout(50);
  }
}
