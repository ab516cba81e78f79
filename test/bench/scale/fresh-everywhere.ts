import type { Bench, Measure } from '../benchmark.ts';
import { startCluster } from './cluster.ts';
import { startDatabases } from './databases.ts';
import { freshness } from './freshness.ts';

const GATEWAYS = 4;
const PUBLISHES = 200;
const READS = 10_000;
const LEFT_OUT = { leftOut: 'an earlier version has no separate gateways' };

/** Reads by four gateways of one core while an item is published again and again. */
export const freshEverywhere: Measure = {
  name: 'fresh-everywhere',
  about: `${GATEWAYS} gateways, reads while publishing: stale answers with and without the wait header or a sequence; publish → seen everywhere`,
  async run({ datasets, requests }: Bench) {
    const dataset = await datasets.copy(await datasets.of(1000), 'scale-fresh');
    const cluster = await startCluster(datasets, dataset, { gateways: GATEWAYS });
    return freshness(cluster, dataset, { publishes: requests(PUBLISHES), reads: requests(READS) });
  },
  compare: LEFT_OUT,
};

/** The same with two cores on PostgreSQL: a gateway reads from a core that did not publish. */
export const freshTwoCores: Measure = {
  name: 'fresh-two-cores',
  about: `the same with ${GATEWAYS} gateways of 2 cores on PostgreSQL`,
  async run({ datasets, requests }: Bench) {
    const { dataset, settings } = await (await startDatabases(datasets, [1000])).of(1000);
    const cluster = await startCluster(datasets, dataset, { gateways: GATEWAYS, cores: 2, settings });
    return freshness(cluster, dataset, { publishes: requests(PUBLISHES), reads: requests(READS) });
  },
  compare: LEFT_OUT,
};
