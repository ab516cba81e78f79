import type { Bench, Measure } from '../benchmark.ts';
import { loadTurn } from '../load-turn.ts';
import { startService } from '../service.ts';
import { againstJoining } from './against-joining.ts';
import { fetchListing } from './listings.ts';

const PAGE = { order: 'elements.title', limit: '25', depth: '0' };

/** Page 190, sorted by title: 11 to 60 ms of CPU in other products. */
export const deepPage: Measure = {
  name: 'deep-page',
  about: '25 items at skip 4,725 ordered by a text element: server CPU ÷ a bare server joining 25 fragments',
  async run(bench: Bench) {
    const all = await startService(await bench.datasets.of(5000));
    const listing = await fetchListing(all, { ...PAGE, skip: '4725' }, 25);
    const figures = await againstJoining(bench, all, listing, {
      name: 'of 5,000 of twenty types',
      requests: 3000,
      items: { atMost: 8 },
    });
    const path = asNew(listing.path);
    const options = { name: 'the same, each requested for the first time', requests: 600 };
    figures.push(...(await againstJoining(bench, all, { ...listing, path }, options)));
    await all.end();
    // One type holds a fifth of the items.
    const skip = Math.min(4725, bench.large / 5 - 500);
    const one = await startService(await bench.datasets.of(bench.large));
    const ofType = await fetchListing(one, { ...PAGE, 'system.type': 'article', skip: `${skip}` }, 25);
    const name = `skip ${skip} of one type`;
    return [...figures, ...(await againstJoining(bench, one, ofType, { name, requests: 3000 }))];
  },

  async compare(bench: Bench) {
    const service = await startService(await bench.datasets.of(5000));
    const { path } = await fetchListing(service, { ...PAGE, skip: '4725' }, 25);
    const turn = (of: string, requests: number) =>
      loadTurn(bench, service, 'p50', { path: of, connections: 1, requests: bench.requests(requests) });
    return {
      'of 5,000 of twenty types': turn(path, 3000),
      'the same, each requested for the first time': turn(asNew(path), 300),
    };
  },
};

/** With a condition that holds for every item, and makes each request a new one. */
function asNew(path: string): string {
  return `${path}&system.codename%5Bneq%5D=none-{n}`;
}
