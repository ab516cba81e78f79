import { setTimeout } from 'node:timers/promises';
import type { Relay } from '../../support/network/relay.ts';
import type { Random } from '../../support/random/random.ts';
import { enginePart, postgresPart } from '../cluster/engine-parts.ts';
import type { Disturbed } from '../cluster/part.ts';
import { databaseFaults } from './database-faults.ts';
import { cut, type Disturbable, type Fault, kill, silence, slow, stall, truncate } from './fault.ts';
import { clockFaults, diskFaults } from './machine-faults.ts';

type Faults = Readonly<Record<string, Fault>>;

/** By what they disturb. */
export const FAULTS: Readonly<Record<string, Faults>> = {
  nginx: ofPart(({ cluster }) => cluster.nginx!),
  gateway: ofPart(({ cluster }, random) => random.pick(cluster.gateways)),
  core: ofPart(({ cluster }, random) => random.pick(cluster.cores)),
  worker: ofPart(({ cluster }) => cluster.worker!),
  S3: ofPart(({ engines }) => enginePart('S3', engines.swift)),
  Redis: {
    ...ofPart(({ engines }) => enginePart('Redis', engines.redis)),
    flushed: often(({ engines }) => engines.redis.send('FLUSHALL')),
    'stream trimmed': often(({ engines }, random) => engines.redis.send(trimStreams(random.int(0, 3)))),
  },
  'connections to gateways': ofConnections(({ cluster }) => cluster.relays.gateways),
  // Those of one gateway.
  'connections to cores': ofConnections(({ cluster }, random) => random.pick(cluster.relays.cores)),
  'connections to the worker': ofConnections(({ cluster }) => cluster.relays.worker),
  'connections to S3': ofConnections(({ cluster }) => cluster.relays.s3),
  'connections to Redis': ofConnections(({ cluster }) => cluster.relays.redis),
  feed: { cut: cutFeed },
  disk: diskFaults,
  clock: clockFaults,
};

/** The same of PostgreSQL. */
export const DATABASE_FAULTS: Readonly<Record<string, Faults>> = {
  PostgreSQL: { ...ofPart(({ engines }) => postgresPart('PostgreSQL', engines.primary)), ...databaseFaults },
  standby: {
    killed: ({ engines }, random) =>
      engines.withStandby(() => kill(postgresPart('standby', engines.standby), random)),
    stalled: ({ engines, longest }, random) =>
      engines.withStandby(() => stall(postgresPart('standby', engines.standby), longest, random)),
  },
  'connections to PostgreSQL': ofConnections(({ cluster }) => cluster.relays.database),
};

function ofPart(partOf: (what: Disturbable, random: Random) => Disturbed): Faults {
  return {
    killed: (what, random) => kill(partOf(what, random), random),
    stalled: (what, random) => stall(partOf(what, random), what.longest, random),
  };
}

function ofConnections(relaysOf: (what: Disturbable, random: Random) => readonly Relay[]): Faults {
  return {
    cut: (what, random) => cut(relaysOf(what, random), random),
    silent: (what, random) => silence(relaysOf(what, random), what.longest, random),
    slow: (what, random) => slow(relaysOf(what, random), what.longest, random),
    truncated: (what, random) => truncate(relaysOf(what, random), what.longest, random),
  };
}

function often(once: (what: Disturbable, random: Random) => Promise<unknown>): Fault {
  return async (what, random) => {
    for (let times = random.int(1, 5); times > 0; times -= 1) {
      await once(what, random);
      await setTimeout(random.int(0, 300));
    }
  };
}

/** An inline command. */
function trimStreams(length: number): string {
  return `EVAL "for _, key in ipairs(redis.call('KEYS', '*:commits:*')) do redis.call('XTRIM', key, 'MAXLEN', ${length}) end" 0`;
}

/** A gateway gets answers of cores, and no commits. */
async function cutFeed({ cluster, longest }: Disturbable, random: Random): Promise<void> {
  const relays = random.pick(cluster.relays.cores);
  for (const relay of relays) relay.holdRequests('POST /feed');
  await setTimeout(longest * 3);
  for (const relay of relays) relay.release();
}
