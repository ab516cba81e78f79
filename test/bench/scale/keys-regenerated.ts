import type { Bench, Figure, Measure } from '../benchmark.ts';
import type { Dataset } from '../datasets.ts';
import { ADMIN_TOKEN } from '../management/managed-service.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { startDatabases } from './databases.ts';

const GATEWAYS = 4;
const KEYS = 1000;
const STALLED = 20;

const SETTINGS = { PLUGINS__AUTH__FAILURES__LOOPBACK: 'false' };
const LEFT_OUT = { leftOut: 'an earlier version has no separate gateways' };

/** A replaced key is refused by every gateway once the answer that replaced it has arrived. */
export const keysRegenerated: Measure = {
  name: 'keys-regenerated',
  about: `${GATEWAYS} gateways, a preview key regenerated: old keys accepted afterwards; time of the answer; with one gateway stopped`,
  async run({ datasets, requests }: Bench) {
    const dataset = await datasets.copy(await datasets.of(1000), 'scale-keys');
    const cluster = await startCluster(datasets, dataset, { gateways: GATEWAYS, settings: SETTINGS });
    return regenerated(cluster, dataset, requests(KEYS), requests(STALLED));
  },
  compare: LEFT_OUT,
};

/** The same with two cores on PostgreSQL: a gateway looks the key up at a core that did not replace it. */
export const keysTwoCores: Measure = {
  name: 'keys-two-cores',
  about: `the same with ${GATEWAYS} gateways of 2 cores on PostgreSQL`,
  async run({ datasets, requests }: Bench) {
    const { dataset, settings } = await (await startDatabases(datasets, [1000])).of(1000);
    const options = { gateways: GATEWAYS, cores: 2, settings: { ...SETTINGS, ...settings } };
    const cluster = await startCluster(datasets, dataset, options);
    return regenerated(cluster, dataset, requests(KEYS), requests(STALLED));
  },
  compare: LEFT_OUT,
};

async function regenerated(
  cluster: Cluster,
  { project }: Dataset,
  keys: number,
  keysStalled: number,
): Promise<readonly Figure[]> {
  const all = await regenerate(cluster, project, keys, cluster.gateways.length);
  const stopped = cluster.gateways.at(-1)!;
  process.kill(stopped.pid, 'SIGSTOP');
  const stalled = await regenerate(cluster, project, keysStalled, cluster.gateways.length - 1);
  process.kill(stopped.pid, 'SIGCONT');
  return [
    {
      name: 'old key accepted after the answer',
      value: all.accepted + stalled.accepted,
      unit: '×',
      target: { atMost: 0 },
      detail: `${keys} keys at ${GATEWAYS} gateways, ${keysStalled} with one stopped`,
    },
    { name: 'time of the answer, p99', value: p99(all.took), unit: 'ms', target: { atMost: 100 } },
    {
      name: 'with one gateway stopped, p99',
      value: p99(stalled.took) / 1000,
      unit: 's',
      target: { atMost: 1.1 },
    },
  ];
}

async function regenerate(cluster: Cluster, project: string, times: number, gateways: number) {
  const took: number[] = [];
  let accepted = 0;
  let old: string | undefined;
  const reading = cluster.gateways.slice(0, gateways);
  const statusOf = async (port: number, key: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/preview/${project}/types?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  for (let count = 0; count < times; count += 1) {
    const { port } = reading[0]!;
    const began = performance.now();
    const answer = await fetch(
      `http://127.0.0.1:${port}/admin/projects/${project}/keys/preview-primary/regenerate`,
      { method: 'POST', headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
    );
    const { key } = (await answer.json()) as { readonly key: string };
    took.push(performance.now() - began);
    const statuses = await Promise.all(
      reading.map(async ({ port: at }) => {
        const before = old === undefined ? 401 : await statusOf(at, old);
        const now = await statusOf(at, key);
        if (now !== 200) throw new Error(`A new key was answered with ${now}.`);
        return before;
      }),
    );
    accepted += statuses.filter((status) => status === 200).length;
    old = key;
  }
  return { took, accepted };
}

function p99(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)]!;
}
