/** What processes on one PostgreSQL database know of each other: which live, and which has an exclusive duty. */
import '../support/database/postgres-programs.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Duty } from '../../core/storage/owner.ts';
import type { Storage } from '../../core/storage/ports.ts';
import { postgresServer } from '../support/database/postgres.ts';
import { postgresDatabase } from '../support/database/postgres-database.ts';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';

describe('owners on one PostgreSQL database', () => {
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  let open: Storage[];
  let processes: ChildProcess[];

  beforeEach(async () => {
    database = await postgresDatabase();
    open = [];
    processes = [];
  });
  afterEach(async () => {
    for (const one of processes) one.kill('SIGKILL');
    await Promise.all(processes.map((one) => one.exitCode ?? one.signalCode ?? once(one, 'exit')));
    await Promise.all(open.map((storage) => storage.close()));
    await database.remove();
  });

  async function storage(): Promise<Storage> {
    const opened = await database.open('');
    open.push(opened);
    return opened;
  }

  /** Another process on the database. @returns its owner, once it has asked for the duty */
  async function start(): Promise<{ process: ChildProcess; owner: string }> {
    const file = join(import.meta.dirname, 'owner-process.ts');
    const started = spawn(process.execPath, ['--import', 'tsx', file, database.url], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    processes.push(started);
    const [owner] = await Promise.race([
      once(started.stdout!, 'data'),
      once(started, 'exit').then(() => Promise.reject(new Error('The process ended.'))),
    ]);
    return { process: started, owner: String(owner).trim() };
  }

  const hasEnded = async (at: Storage, owner: string) => (await at.owner.ended([owner])).has(owner);

  function held(duty: Duty): () => number {
    let times = 0;
    duty.onHeld(() => times++);
    return () => times;
  }

  it('see each other until a store closes, whose duty the next one gets', async () => {
    const [first, second, third] = [await storage(), await storage(), await storage()];
    let ended = 0;
    second.owner.onEnded(() => ended++);
    const duties: Duty[] = [];
    for (const one of [first, second, third]) duties.push(await one.owner.exclusive('duty'));
    expect(duties.map(({ term }) => term > 0)).to.deep.equal([true, false, false]);
    expect((await third.owner.exclusive('other')).term).to.be.above(0);
    expect(await second.owner.ended([first.owner.id, third.owner.id])).to.deep.equal(new Set());
    const times = duties.map(held);
    await first.close();
    await until(() => ended === 1);
    expect(await second.owner.ended([first.owner.id, third.owner.id])).to.deep.equal(
      new Set([first.owner.id]),
    );
    await until(() => duties.some(({ term }) => term > 0));
    await pause(600);
    expect(duties.filter(({ term }) => term > 0)).to.have.lengthOf(1);
    expect(times.map((count) => count())).to.have.members([1, 0, 1]);
    expect(ended).to.equal(1);
  });

  it('keep their name where the server ends a session, but the term and the duty may be lost', async () => {
    const [first, second] = [await storage(), await storage()];
    const duties = [await first.owner.exclusive('duty'), await second.owner.exclusive('duty')];
    const { term } = first.owner;
    expect(duties[0]!.term).to.equal(term);
    let ended = 0;
    for (const one of [first, second]) one.owner.onEnded(() => ended++);
    const server = await postgresServer();
    const name = new URL(database.url).pathname.slice(1);
    // The session with the lock of the owner.
    await server.run(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
         AND lpad(to_hex(classid::bigint), 8, '0') || lpad(to_hex(objid::bigint), 8, '0') = '${first.owner.id}'`,
      name,
    );
    await until(() => first.owner.term !== term);
    // Makes the session again.
    await first.owner.ended(['8000000000000000']);
    expect(first.owner.term).not.to.equal(term);
    await until(() => first.owner.term > term);
    await until(() => duties.some((duty) => duty.term > 0));
    await pause(600);
    expect(duties.filter((duty) => duty.term > 0)).to.have.lengthOf(1);
    expect(await hasEnded(second, first.owner.id)).to.equal(false);
    expect(await hasEnded(first, second.owner.id)).to.equal(false);
    expect(ended).to.equal(0);
  });

  longTest('are not taken for dead after a restart of the server, which ends all sessions', async () => {
    const [first, second] = [await storage(), await storage()];
    let ended = 0;
    for (const one of [first, second]) one.owner.onEnded(() => ended++);
    const terms = [first.owner.term, second.owner.term];
    // Each has seen the other.
    await first.owner.ended([second.owner.id]);
    await second.owner.ended([first.owner.id]);
    await (await postgresServer()).restart();
    await until(() => first.owner.term > terms[0]! && second.owner.term > terms[1]!);
    await pause(1500);
    expect(ended).to.equal(0);
    expect(await hasEnded(second, first.owner.id)).to.equal(false);
  });

  it('have ended when their process is killed; the duty continues', async () => {
    const other = await storage();
    const killed = await start();
    const duty = await other.owner.exclusive('duty');
    expect(duty.term).to.equal(0);
    expect(await hasEnded(other, killed.owner)).to.equal(false);
    const began = performance.now();
    killed.process.kill('SIGKILL');
    await until(async () => duty.term > 0 && (await hasEnded(other, killed.owner)));
    expect(performance.now() - began).to.be.below(5000);
  });

  longTest('have ended when their process is killed, or while it stalls; the duty continues', async () => {
    const other = await storage();
    let ended = 0;
    other.owner.onEnded(() => ended++);
    const killed = await start();
    const duty = await other.owner.exclusive('duty');
    expect(duty.term).to.equal(0);
    const stalled = await start();
    expect(await other.owner.ended([killed.owner, stalled.owner])).to.deep.equal(new Set());
    stalled.process.kill('SIGSTOP');
    const began = performance.now();
    killed.process.kill('SIGKILL');
    await until(async () => duty.term > 0 && (await hasEnded(other, killed.owner)));
    expect(performance.now() - began).to.be.below(5000);
    await until(() => ended === 2);
    expect(await hasEnded(other, stalled.owner)).to.equal(true);
    stalled.process.kill('SIGCONT');
    await until(async () => !(await hasEnded(other, stalled.owner)));
    expect(duty.term).to.be.above(0);
  });
});
