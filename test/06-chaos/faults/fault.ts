import { setTimeout } from 'node:timers/promises';
import type { Relay } from '../../support/network/relay.ts';
import type { SmallFolder } from '../../support/programs/small-folder.ts';
import type { Random } from '../../support/random/random.ts';
import type { ChaosCluster } from '../cluster/chaos-cluster.ts';
import type { Engines } from '../cluster/engines.ts';
import type { Disturbed } from '../cluster/part.ts';

/** What a fault may disturb. */
export interface Disturbable {
  readonly cluster: ChaosCluster;
  readonly engines: Engines;
  /** Undefined: SQLite. */
  readonly database: string | undefined;
  /** The data folder of the first core is in it. */
  readonly disk: SmallFolder;
  /** Longest time that anything is disturbed, in milliseconds. */
  readonly longest: number;
}

/** Disturbs for a while; when it resolves, the fault has ended. */
export type Fault = (what: Disturbable, random: Random) => Promise<void>;

const SHORTEST_MS = 100;

/** 0.1 s to the longest time; short times as often as long ones. */
export async function aWhile(longest: number, random: Random): Promise<void> {
  await setTimeout(SHORTEST_MS * (longest / SHORTEST_MS) ** random.next());
}

export async function kill(part: Disturbed, random: Random): Promise<void> {
  await part.kill();
  await setTimeout(random.int(0, 500));
  await part.restart();
}

export async function stall(part: Disturbed, longest: number, random: Random): Promise<void> {
  await part.stall();
  await aWhile(longest, random);
  await part.continue();
}

export async function cut(relays: readonly Relay[], random: Random): Promise<void> {
  for (let times = random.int(1, 5); times > 0; times -= 1) {
    random.pick(relays).cut();
    await setTimeout(random.int(0, 200));
  }
}

/** Neither end sees that the other is gone; afterwards the connections are lost, or go on. */
export async function silence(relays: readonly Relay[], longest: number, random: Random): Promise<void> {
  const isCut = random.chance(0.5);
  const silent = oneOrAll(relays, random);
  for (const relay of silent) relay.hold();
  await aWhile(longest, random);
  for (const relay of silent) {
    if (isCut) relay.cut();
    relay.release();
  }
}

export async function slow(relays: readonly Relay[], longest: number, random: Random): Promise<void> {
  const slowed = oneOrAll(relays, random);
  for (const relay of slowed) relay.slow(random.int(2000, 100_000));
  await aWhile(longest, random);
  for (const relay of slowed) relay.release();
}

/** Answers end early, as if they were complete. */
export async function truncate(relays: readonly Relay[], longest: number, random: Random): Promise<void> {
  const truncated = oneOrAll(relays, random);
  for (const relay of truncated) relay.truncate(random.int(0, 20_000));
  await aWhile(longest, random);
  for (const relay of truncated) relay.release();
}

function oneOrAll(relays: readonly Relay[], random: Random): readonly Relay[] {
  return random.chance(0.5) ? relays : [random.pick(relays)];
}
