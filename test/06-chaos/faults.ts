import { setTimeout } from 'node:timers/promises';
import type { Random } from '../support/random/random.ts';
import type { Relay } from '../support/relay.ts';
import type { ChaosCluster } from './chaos-cluster.ts';
import type { Part } from './part.ts';

/** Disturbs a cluster for a while; when it resolves, the fault has ended. */
export type Fault = (cluster: ChaosCluster, random: Random) => Promise<void>;

/** How long a stalled part stands still, in milliseconds: shorter and longer than every bound of the product below 5 s. */
const STALL = [100, 5000] as const;

export const FAULTS: Readonly<Record<string, Fault>> = {
  'core killed': ({ cores }, random) => kill(random.pick(cores), random),
  'gateway killed': ({ gateways }, random) => kill(random.pick(gateways), random),
  'core stalled': ({ cores }, random) => stall(random.pick(cores), random),
  'gateway stalled': ({ gateways }, random) => stall(random.pick(gateways), random),
  'connections to cores cut': ({ coreRelays }, random) => cut(coreRelays.flat(), random),
  'connections to cores silent': ({ coreRelays }, random) => silence(random.pick(coreRelays), random),
};

/** The same, of PostgreSQL. */
export const DATABASE_FAULTS: Readonly<Record<string, Fault>> = {
  'connections to PostgreSQL cut': ({ databaseRelays }, random) => cut(databaseRelays, random),
  'connections to PostgreSQL silent': ({ databaseRelays }, random) => silence(databaseRelays, random),
  async 'PostgreSQL stalled'({ database }, random) {
    await database!.server.signal('SIGSTOP');
    await setTimeout(random.int(...STALL));
    await database!.server.signal('SIGCONT');
  },
  'PostgreSQL killed': ({ database }) => database!.server.restart(),
  // The server ends all sessions and recovers, as after a crash of its own.
  async 'process of PostgreSQL killed'(cluster, random) {
    const pid = await sessionInTransaction(cluster, random);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await setTimeout(100);
  },
  async 'session terminated in a transaction'(cluster, random) {
    const { server } = cluster.database!;
    for (let times = random.int(1, 5); times > 0; times -= 1) {
      const pid = await sessionInTransaction(cluster, random);
      if (pid !== undefined) await server.run(`SELECT pg_terminate_backend(${pid})`);
      await setTimeout(random.int(0, 200));
    }
  },
};

async function kill(part: Part, random: Random): Promise<void> {
  part.signal('SIGKILL');
  await setTimeout(random.int(0, 500));
  await part.restart();
}

async function stall(part: Part, random: Random): Promise<void> {
  part.signal('SIGSTOP');
  await setTimeout(random.int(...STALL));
  part.signal('SIGCONT');
}

async function cut(relays: readonly Relay[], random: Random): Promise<void> {
  for (let times = random.int(1, 5); times > 0; times -= 1) {
    random.pick(relays).cut();
    await setTimeout(random.int(0, 200));
  }
}

/** Neither end sees that the other is gone; afterwards the connections are lost, or go on. */
async function silence(relays: readonly Relay[], random: Random): Promise<void> {
  const silent = random.chance(0.5) ? relays : [random.pick(relays)];
  for (const relay of silent) relay.hold();
  await setTimeout(random.int(...STALL));
  const isCut = random.chance(0.5);
  for (const relay of silent) {
    if (isCut) relay.cut();
    relay.release();
  }
}

/** One that writes, if it can be met within a second, else any session of a core. */
async function sessionInTransaction({ database }: ChaosCluster, random: Random): Promise<number | undefined> {
  const { server, name } = database!;
  for (let tries = 0; ; tries += 1) {
    const { rows } = await server.run(
      `SELECT pid FROM pg_stat_activity WHERE datname = '${name}' AND application_name LIKE 'headwater%'
       AND pid <> pg_backend_pid() ${tries < 20 ? 'AND backend_xid IS NOT NULL' : ''} ORDER BY pid`,
    );
    if (rows.length > 0) return random.pick(rows).pid as number;
    if (tries > 20) return undefined;
    await setTimeout(50);
  }
}
