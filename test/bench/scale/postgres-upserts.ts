import { availableParallelism } from 'node:os';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { type ManagedService, startManaged } from '../management/managed-service.ts';
import { BENCH_ITEMS, makeItems, upsertOf, WRITERS } from '../management/upserts.ts';
import type { RawOrder, RawReply } from '../raw-writer.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startCluster } from './cluster.ts';
import { startDatabases } from './databases.ts';

const UPSERTS = 600;
const SETTINGS = { PIPELINE__OFF: 'rate-limit,response-cache' };
/** Two cores, the database, and gateway and load together. */
const CPUS_NEEDED = 4;

/** Durable writes on PostgreSQL. */
export const postgresUpserts: Measure = {
  name: 'postgres-upserts',
  about: `upserts of a variant of ten elements by ${WRITERS} writers, PostgreSQL: per second ÷ SQLite; ÷ raw transactions of the same rows, ${WRITERS} to a commit; two cores ÷ one`,
  async run({ datasets, load, rounds, requests }: Bench): Promise<readonly Figure[]> {
    const databases = await startDatabases(datasets, [1000]);
    const first = await databases.of(1000);
    const making = await startManaged(first.dataset, first.settings);
    await makeItems(making);
    await making.end();
    const [raw, one, two] = [
      await databases.copy(first),
      await databases.copy(first),
      await databases.copy(first),
    ];
    const sqlite = await startManaged(await datasets.twin(await datasets.of(1000)));
    await makeItems(sqlite);
    const postgres = await startManaged(first.dataset, first.settings);
    const clusterOf = async ({ dataset, settings }: typeof one, cores: number) =>
      (await startCluster(datasets, dataset, { cores, settings: { ...SETTINGS, ...settings } })).managed();
    const oneCore = await clusterOf(one, 1);
    const twoCores = await clusterOf(two, 2);
    const writer = startChild<RawOrder, RawReply>('raw-writer.ts');
    await writer.ask({ do: 'open', over: raw, like: BENCH_ITEMS });

    const count = requests(UPSERTS);
    const write = (service: ManagedService) => async () =>
      (await load.run({ port: service.port, ...upsertOf(service), requests: count })).perSecond;
    const found = await takeTurns(rounds, {
      sqlite: write(sqlite),
      postgres: write(postgres),
      raw: async () => (await writer.ask({ do: 'run', upserts: count, group: WRITERS })).perSecond,
      oneCore: write(oneCore),
      twoCores: write(twoCores),
    });
    const detail = (above: readonly number[], below: readonly number[]) =>
      `${median(above).toFixed(0)}/s ÷ ${median(below).toFixed(0)}/s`;
    const hasCpus = availableParallelism() >= CPUS_NEEDED;
    return [
      {
        name: `upserts/s, ${WRITERS} writers ÷ SQLite`,
        ...compared(found.postgres, found.sqlite),
        unit: '×',
        target: { atLeast: 0.4 },
        detail: detail(found.postgres, found.sqlite),
      },
      {
        name: `upserts/s, ${WRITERS} writers ÷ raw`,
        ...compared(found.postgres, found.raw),
        unit: '×',
        target: { atLeast: 0.5 },
        detail: detail(found.postgres, found.raw),
      },
      {
        name: `upserts/s, ${WRITERS} writers, two cores ÷ one`,
        ...compared(found.twoCores, found.oneCore),
        unit: '×',
        ...(hasCpus && { target: { atLeast: 0.9 } }),
        detail: `${detail(found.twoCores, found.oneCore)}${hasCpus ? '' : `; no verdict below ${CPUS_NEEDED} CPUs`}`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no PostgreSQL' },
};
