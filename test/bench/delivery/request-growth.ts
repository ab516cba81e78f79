import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Figure, Measure, Turn } from '../benchmark.ts';
import type { Dataset } from '../datasets.ts';
import type { LoadOrder } from '../load-client.ts';
import { loadTurn } from '../load-turn.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type Service, startService } from '../service.ts';
import { fetchListing, queryOf } from './listings.ts';

const ARTICLES = { 'system.type': 'article', limit: '20' };

/** What is requested, by name: a listing, the item of a codename, or with `/` a path of the admin API. */
const REQUESTS: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  'a page': { limit: '20' },
  'an item': 'item_7',
  'a filter': { ...ARTICLES, 'elements.category[contains]': 'daily' },
  'an order': { ...ARTICLES, order: 'elements.rank[desc]' },
  'a total': { limit: '20', includeTotalCount: 'true' },
};

/** As clients go on after the last entry they have, and other conditions on the attribute of an order. */
const WITHIN_ORDER: typeof REQUESTS = {
  'after a value': { ...ARTICLES, order: 'elements.rank', 'elements.rank[gt]': '12500' },
  'before a value, backwards': { ...ARTICLES, order: 'elements.rank[desc]', 'elements.rank[lt]': '12500' },
  'after an id': { limit: '20', order: 'system.id', 'system.id[gt]': '80000000-0000-4000-8000-000000000000' },
  'a type by id': { ...ARTICLES, order: 'system.id' },
  'after a codename': { limit: '20', 'system.codename[gt]': 'item_5' },
  'by type': { limit: '20', order: 'system.type[desc]' },
};

/** No project has such a language: it is answered in the default one, and makes each query a new one. */
const NEW_QUERY = { language: 'none-{n}' };

const FALLBACK = { 'a page with language fallback': { limit: '20', language: 'language-1' } };

const CONSOLE: typeof REQUESTS = {
  'the list of content': '/content?limit=50&counts=true',
  'the list of one type by change': '/content?limit=50&type=article&order=changed&descending=true',
  'the calendar': '/schedules?from=2026-01-01&to=2027-01-01',
  'what needs attention': '/attention',
};

/** Does any request cost more because there are more items? */
export const requestGrowth: Measure = {
  name: 'request-growth',
  about: 'page, item, filter, order, total: p50 and CPU among many items ÷ among 1,000',
  run: (bench) => growth(bench, REQUESTS, 1),
  compare: { leftOut: 'page-growth compares the same of one listing' },
};

/** The same of listings whose query is new each time, so that nothing is known of them. */
export const newQueryGrowth: Measure = {
  name: 'new-query-growth',
  about: 'listings of queries that are new each time: the same',
  run: (bench) => {
    const { 'an item': _, ...listings } = REQUESTS;
    const requests = Object.entries({ ...listings, ...WITHIN_ORDER }).map(([name, listing]) => [
      `new each time, ${name}`,
      { ...(listing as object), ...NEW_QUERY },
    ]);
    return growth(bench, Object.fromEntries(requests), 1);
  },
  compare: { leftOut: 'page-growth compares the same of one listing' },
};

export const fallbackGrowth: Measure = {
  name: 'fallback-growth',
  about: 'a page in a language that falls back to another one for four of ten items: the same',
  run: (bench) => growth(bench, FALLBACK, 2),
  compare: { leftOut: 'page-growth compares the same of one listing' },
};

export const consoleGrowth: Measure = {
  name: 'console-growth',
  about: 'what screens of the console read through the admin API: the same',
  run: (bench) => growth(bench, CONSOLE, 1, 150),
  compare: { leftOut: 'page-growth compares the same of one listing' },
};

async function growth(
  bench: Bench,
  requests: typeof REQUESTS,
  languages: number,
  count = 1500,
): Promise<Figure[]> {
  const { datasets, large, rounds } = bench;
  const open = async (dataset: Dataset) => ({ dataset, service: await startService(dataset) });
  const many = await open(await datasets.of(large, languages));
  const few = await open(await datasets.of(1000, languages));
  const figures: Figure[] = [];
  for (const [name, requested] of Object.entries(requests)) {
    const turn = async ({ dataset, service }: typeof many): Promise<Turn> => {
      const order = await orderOf(service, dataset, requested);
      return loadTurn(bench, service, 'p50', { ...order, connections: 1, requests: bench.requests(count) });
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

async function orderOf(
  service: Service,
  { project, folder }: Dataset,
  requested: Readonly<Record<string, string>> | string,
): Promise<Pick<LoadOrder, 'path' | 'headers'>> {
  if (typeof requested !== 'string') {
    await fetchListing(service, requested, 20);
    return { path: service.itemsPath(queryOf(requested)).replace('%7Bn%7D', '{n}') };
  }
  if (!requested.startsWith('/')) return { path: `/delivery/${project}/items/${requested}` };
  const token = (await readFile(join(folder, 'admin-token'), 'utf8')).trim();
  return { path: `/admin/projects/${project}${requested}`, headers: { authorization: `Bearer ${token}` } };
}
