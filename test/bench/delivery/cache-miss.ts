import type { Bench, Figure, Measure } from '../benchmark.ts';
import { loadTurn } from '../load-turn.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type Service, startService } from '../service.ts';
import { fetchListing, kilobytes } from './listings.ts';

const LISTING = { 'system.type': 'article', limit: '100', depth: '1', includeTotalCount: 'true' };
/** Parts of a run, and requests of each: fewer take less than a tick of the scheduler. */
const PARTS = 40;
const OF_PART = 20;

/** A language that no project has is answered in the default one, and is a key of its own: each request is a miss. */
const missPath = (path: string) => `${path}&language=none-{n}`;

/** What the response cache costs where it does not help, and how even such requests are. */
export const cacheMiss: Measure = {
  name: 'cache-miss',
  about:
    '100 items with their links, a miss of the response cache each time: server CPU ÷ without the plugin',
  async run({ datasets, load, rounds, large, requests }: Bench) {
    const dataset = await datasets.of(large);
    const twin = await datasets.twin(dataset);
    const cached = await startService(dataset, { PIPELINE__OFF: '' });
    const without = await startService(twin, { PIPELINE__OFF: 'response-cache' });
    const { path, body } = await fetchListing(cached, LISTING, 100);
    const count = requests(900);
    const cpu = async ({ port, pid }: Service, number: number) => {
      const before = cpuMilliseconds(pid);
      await load.run({ port, path: missPath(path), connections: 1, requests: number });
      return (cpuMilliseconds(pid) - before) / number;
    };
    const found = await takeTurns(rounds, {
      cached: () => cpu(cached, count),
      without: () => cpu(without, count),
    });
    const parts: number[] = [];
    for (let part = 0; part < PARTS; part++) parts.push(await cpu(cached, OF_PART));
    parts.sort((one, other) => one - other);
    const at = (share: number) => parts[Math.floor(parts.length * share)]!;
    return [
      {
        name: 'CPU of a miss ÷ without the response cache',
        ...compared(found.cached, found.without),
        unit: '×',
        target: { atMost: 1.1 },
        detail: `${median(found.cached).toFixed(3)} ms ÷ ${median(found.without).toFixed(3)} ms for ${kilobytes(body.length)}`,
      },
      {
        name: `CPU of a miss over a run, p90 ÷ p10 of ${PARTS} parts`,
        value: at(0.9) / at(0.1),
        unit: '×',
        target: { atMost: 1.5 },
        detail: `${at(0.1).toFixed(3)} to ${at(0.9).toFixed(3)} ms, parts of ${OF_PART} requests`,
      },
    ] satisfies Figure[];
  },

  async compare(bench: Bench) {
    const service = await startService(await bench.datasets.of(bench.large), { PIPELINE__OFF: '' });
    const { path } = await fetchListing(service, LISTING, 100);
    return {
      'a miss': loadTurn(bench, service, 'p50', {
        path: missPath(path),
        connections: 1,
        requests: bench.requests(900),
      }),
    };
  },
};
