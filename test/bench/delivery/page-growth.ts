import type { Bench, Measure } from '../benchmark.ts';
import { loadTurn } from '../load-turn.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startService } from '../service.ts';
import { FIRST_ROW, fetchListing, kilobytes } from './listings.ts';

/** Does a page cost more because there are more items? */
export const pageGrowth: Measure = {
  name: 'page-growth',
  about: 'a page of 20, filtered and ordered by elements: p50 among many items ÷ among 1,000',
  async run({ datasets, load, rounds, large, requests }: Bench) {
    const many = await startService(await datasets.of(large));
    const few = await startService(await datasets.of(1000));
    const pages = {
      many: await fetchListing(many, FIRST_ROW, 20),
      few: await fetchListing(few, FIRST_ROW, 20),
    };
    const p50 = (service: typeof many, path: string) => async () =>
      (await load.run({ port: service.port, path, connections: 1, requests: requests(1500) })).p50;
    const found = await takeTurns(rounds, {
      many: p50(many, pages.many.path),
      few: p50(few, pages.few.path),
    });
    const detailOf = (side: 'many' | 'few') =>
      `${median(found[side]).toFixed(3)} ms (${kilobytes(pages[side].body.length)})`;
    return [
      {
        name: `p50 at ${large.toLocaleString('en')} ÷ at 1,000 items`,
        ...compared(found.many, found.few),
        unit: '×',
        target: { atMost: 1.5 },
        detail: `${detailOf('many')} ÷ ${detailOf('few')}`,
      },
    ];
  },

  async compare(bench: Bench) {
    const turn = async (published: number) => {
      const service = await startService(await bench.datasets.of(published));
      const { path } = await fetchListing(service, FIRST_ROW, 20);
      return loadTurn(bench, service, 'p50', { path, connections: 1, requests: bench.requests(1500) });
    };
    return {
      [`among ${bench.large.toLocaleString('en')} items`]: await turn(bench.large),
      'among 1,000 items': await turn(1000),
    };
  },
};
