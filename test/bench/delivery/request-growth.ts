import type { Bench, Figure, Measure, Turn } from '../benchmark.ts';
import type { Dataset } from '../datasets.ts';
import { loadTurn } from '../load-turn.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type Service, startService } from '../service.ts';
import { fetchListing, queryOf } from './listings.ts';

const ARTICLES = { 'system.type': 'article', limit: '20' };

/** What is requested, by name: a listing, or the item of a codename. */
const REQUESTS: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  'a page': { limit: '20' },
  'an item': 'item_7',
  'a filter': { ...ARTICLES, 'elements.category[contains]': 'daily' },
  'an order': { ...ARTICLES, order: 'elements.rank[desc]' },
  'a total': { limit: '20', includeTotalCount: 'true' },
};

const FALLBACK = { 'a page with language fallback': { limit: '20', language: 'language-1' } };

/** Does any request cost more because there are more items? */
export const requestGrowth: Measure = {
  name: 'request-growth',
  about: 'page, item, filter, order, total: p50 and CPU among many items ÷ among 1,000',
  run: (bench) => growth(bench, REQUESTS, 1),
  compare: { leftOut: 'page-growth compares the same of one listing' },
};

export const fallbackGrowth: Measure = {
  name: 'fallback-growth',
  about: 'a page in a language that falls back to another one for four of ten items: the same',
  run: (bench) => growth(bench, FALLBACK, 2),
  compare: { leftOut: 'page-growth compares the same of one listing' },
};

async function growth(bench: Bench, requests: typeof REQUESTS, languages: number): Promise<Figure[]> {
  const { datasets, large, rounds } = bench;
  const open = async (dataset: Dataset) => ({ dataset, service: await startService(dataset) });
  const many = await open(await datasets.of(large, languages));
  const few = await open(await datasets.of(1000, languages));
  const figures: Figure[] = [];
  for (const [name, requested] of Object.entries(requests)) {
    const turn = async ({ dataset, service }: typeof many): Promise<Turn> => {
      const path = await pathOf(service, dataset, requested);
      return loadTurn(bench, service, 'p50', { path, connections: 1, requests: bench.requests(1500) });
    };
    const found = await takeTurns(rounds, { many: await turn(many), few: await turn(few) });
    for (const quantity of ['p50', 'cpu'] as const) {
      const [above, below] = [found.many, found.few].map((all) => all.map((one) => one[quantity] ?? 0));
      figures.push({
        name: `${name}, ${quantity === 'p50' ? 'p50' : 'CPU'} at ${large.toLocaleString('en')} ÷ at 1,000 items`,
        ...compared(above!, below!),
        unit: '×',
        target: { atMost: 1.5 },
        detail: `${median(above!).toFixed(3)} ms ÷ ${median(below!).toFixed(3)} ms`,
      });
    }
  }
  return figures;
}

async function pathOf(
  service: Service,
  { project }: Dataset,
  requested: Readonly<Record<string, string>> | string,
): Promise<string> {
  if (typeof requested === 'string') return `/delivery/${project}/items/${requested}`;
  await fetchListing(service, requested, 20);
  return service.itemsPath(queryOf(requested));
}
