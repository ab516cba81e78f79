import type { Bench, Measure } from '../benchmark.ts';
import { loadTurn } from '../load-turn.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type ManagedService, startManaged } from './managed-service.ts';

const REQUESTS = 300;

interface Page {
  readonly items: readonly unknown[];
  readonly pagination: { readonly continuation_token: string | null };
}

/** Every page of all items, by continuation. */
export const listingPages: Measure = {
  name: 'listing-pages',
  about: 'all items by continuation: time of the last page ÷ the first',
  async run({ datasets, large, load, rounds, requests, progress }: Bench) {
    const dataset = await datasets.twin(await datasets.of(large));
    const service = await startManaged(dataset);
    const began = performance.now();
    const { last, items, pages } = await allPages(service);
    if (items !== dataset.items) throw new Error(`The pages hold ${items} of ${dataset.items} items.`);
    progress(`  ${pages} pages in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const page = (query: string) => async () =>
      (
        await load.run({
          port: service.port,
          path: `${service.base}/items${query}`,
          headers: service.headers,
          connections: 1,
          requests: requests(REQUESTS),
        })
      ).p50;
    const found = await takeTurns(rounds, {
      last: page(`?continuationToken=${encodeURIComponent(last)}`),
      first: page(''),
    });
    return [
      {
        name: `last page of ${items} items ÷ first`,
        ...compared(found.last, found.first),
        unit: '×',
        target: { atMost: 1.5 },
        detail: `${median(found.last).toFixed(2)} and ${median(found.first).toFixed(2)} ms`,
      },
    ];
  },

  async compare(bench: Bench) {
    const dataset = await bench.datasets.twin(await bench.datasets.of(bench.large));
    const service = await startManaged(dataset);
    const { last } = await allPages(service);
    const turn = (query: string) =>
      loadTurn(bench, service, 'p50', {
        path: `${service.base}/items${query}`,
        headers: service.headers,
        connections: 1,
        requests: bench.requests(REQUESTS),
      });
    return {
      'first page': turn(''),
      [`last page of ${dataset.items} items`]: turn(`?continuationToken=${encodeURIComponent(last)}`),
    };
  },
};

/** Reads all pages; `last` is the token of the last full one, so that both sides have the same size. */
async function allPages(service: ManagedService) {
  const found = { last: '', items: 0, pages: 0 };
  for (let token: string | null = ''; token !== null; found.pages++) {
    const query = `?continuationToken=${encodeURIComponent(token)}`;
    const page = (await service.call('GET', `/items${query}`)) as Page;
    found.items += page.items.length;
    if (page.items.length === 100) found.last = token;
    token = page.pagination.continuation_token;
  }
  return found;
}
