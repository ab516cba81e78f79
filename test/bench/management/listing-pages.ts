import type { Bench, Measure } from '../benchmark.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startManaged } from './managed-service.ts';

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
    let last = '';
    let items = 0;
    let pages = 0;
    const began = performance.now();
    for (let token: string | null = ''; token !== null; pages++) {
      const page = (await service.call(
        'GET',
        `/items?continuationToken=${encodeURIComponent(token)}`,
      )) as Page;
      items += page.items.length;
      // The last full page, so that both sides say the same amount.
      if (page.items.length === 100) last = token;
      token = page.pagination.continuation_token;
    }
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
};
