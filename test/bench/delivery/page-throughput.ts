import { startBare } from '../bare.ts';
import type { Bench, Measure } from '../benchmark.ts';
import { loadTurn } from '../load-turn.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startService } from '../service.ts';
import { FIRST_ROW, fetchListing, kilobytes } from './listings.ts';

const CONNECTIONS = 12;

/** The share of a bare server's rate that the service reaches. */
export const pageThroughput: Measure = {
  name: 'page-throughput',
  about: 'the same page: requests/s ÷ a bare node:http server that sends the same bytes',
  async run({ datasets, load, rounds, large, requests }: Bench) {
    const service = await startService(await datasets.of(large));
    const page = await fetchListing(service, FIRST_ROW, 20);
    const bare = await startBare([[Uint8Array.from(page.body)]]);
    const perSecond = (port: number, path: string, count: number) => async () =>
      (await load.run({ port, path, connections: CONNECTIONS, requests: requests(count) })).perSecond;
    const found = await takeTurns(rounds, {
      ours: perSecond(service.port, page.path, 3000),
      // A language that no project has is answered in the default one, and makes each query a new one.
      first: perSecond(service.port, `${page.path}&language=none-{n}`, 3000),
      bare: perSecond(bare.port, '/0', 9000),
    });
    const detail = (side: 'ours' | 'first') =>
      `${median(found[side]).toFixed(0)}/s ÷ ${median(found.bare).toFixed(0)}/s of ${kilobytes(page.body.length)}`;
    return [
      {
        name: `requests/s ÷ bare server, ${CONNECTIONS} connections`,
        ...compared(found.ours, found.bare),
        unit: '×',
        target: { atLeast: 0.3 },
        detail: detail('ours'),
      },
      {
        name: 'the same, each requested for the first time',
        ...compared(found.first, found.bare),
        unit: '×',
        detail: detail('first'),
      },
    ];
  },

  async compare(bench: Bench) {
    const service = await startService(await bench.datasets.of(bench.large));
    const { path } = await fetchListing(service, FIRST_ROW, 20);
    const order = { path, connections: CONNECTIONS, requests: bench.requests(3000) };
    return { [`${CONNECTIONS} connections`]: loadTurn(bench, service, 'perSecond', order) };
  },
};
