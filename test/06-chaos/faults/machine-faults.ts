import { setTimeout } from 'node:timers/promises';
import { aWhile, type Fault } from './fault.ts';

/** Processes look at the changed clock once a second. */
const SEEN_MS = 1100;
const MOST_SECONDS = 3600;

export const diskFaults: Readonly<Record<string, Fault>> = {
  async full({ disk, longest }, random) {
    await disk.fill();
    await aWhile(longest, random);
    await disk.free();
  },
};

export const clockFaults: Readonly<Record<string, Fault>> = {
  async changed({ cluster, longest }, random) {
    const { clock } = random.pick(cluster.parts);
    const seconds = Math.round(MOST_SECONDS ** random.next()) * random.pick([-1, 1]);
    await clock!.shift(seconds);
    await setTimeout(SEEN_MS);
    await aWhile(longest, random);
    await clock!.shift(0);
    await setTimeout(SEEN_MS);
  },
};
