import type { Bench, Figure, Measure } from '../benchmark.ts';
import { loadTurn } from '../load-turn.ts';
import { startService } from '../service.ts';
import { againstJoining } from './against-joining.ts';
import { fetchListing } from './listings.ts';

const LISTING = { 'system.type': 'article', limit: '100', depth: '1', includeTotalCount: 'true' };

/** The listing that the other products were measured with: 10 to 22 ms of CPU there. */
export const hundredWithLinks: Measure = {
  name: 'hundred-with-links',
  about:
    '100 items of one type, two links each, total count: server CPU ÷ a bare server joining 100 fragments',
  async run(bench: Bench) {
    const figures: Figure[] = [];
    for (const published of [5000, bench.large]) {
      const service = await startService(await bench.datasets.of(published));
      const listing = await fetchListing(service, LISTING, 100);
      const name = `${published.toLocaleString('en')} items`;
      figures.push(
        ...(await againstJoining(bench, service, listing, { name, requests: 1500, whole: { atMost: 2 } })),
      );
      await service.end();
    }
    return figures;
  },

  async compare(bench: Bench) {
    const turn = async (published: number) => {
      const service = await startService(await bench.datasets.of(published));
      const { path } = await fetchListing(service, LISTING, 100);
      return loadTurn(bench, service, 'p50', { path, connections: 1, requests: bench.requests(900) });
    };
    return {
      '5,000 items': await turn(5000),
      [`${bench.large.toLocaleString('en')} items`]: await turn(bench.large),
    };
  },
};
