import type { Bench, Figure, Measure } from '../benchmark.ts';
import { type ManagedService, startManaged } from '../management/managed-service.ts';

const FILTERS = ['', 'type=article', 'type=landing_page', 'state=published', 'state=draft'];
const ORDERS = ['name', 'changed', 'type', 'state'];
/** Words that nearly every generated item has, and a number that one has. */
const TEXTS = { 'rare word': ['4321', '777', '50'], 'most common word': ['river', 'valley', 'bridge'] };
const TARGETS = { 'rare word': 20, 'most common word': 60 };

/** Pages of the list of content, with their totals, over HTTP. */
export const contentList: Measure = {
  name: 'content-list',
  about:
    'a page of 50 with its total, every filter of a type or state × order × position, and full text: p95',
  async run({ datasets, large, rounds }: Bench) {
    const service = await startManaged(await datasets.copy(await datasets.of(large), 'content-list'));
    const pages: number[] = [];
    for (let round = 0; round < rounds; round++)
      for (const filter of FILTERS)
        for (const order of ORDERS) {
          const { total } = await list(service, `${filter}&order=${order}&limit=1`);
          for (const place of [0, 0.3, 0.5, 0.8, 1]) {
            const offset = Math.max(0, Math.floor(total * place) - 50);
            pages.push(
              (await list(service, `${filter}&order=${order}&offset=${offset}&limit=50`)).milliseconds,
            );
          }
        }
    const figures: Figure[] = [{ name: 'list, p95', value: p95(pages), unit: 'ms', target: { atMost: 20 } }];
    for (const name of ['rare word', 'most common word'] as const) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++)
        for (const text of TEXTS[name])
          for (const filter of FILTERS)
            times.push((await list(service, `${filter}&text=${text}&limit=50`)).milliseconds);
      figures.push({
        name: `${name}, p95`,
        value: p95(times),
        unit: 'ms',
        target: { atMost: TARGETS[name] },
      });
    }
    return figures;
  },
  compare: { leftOut: 'an older checkout has no list of content' },
};

async function list(
  { admin, project }: ManagedService,
  query: string,
): Promise<{ readonly total: number; readonly milliseconds: number }> {
  const began = performance.now();
  const { total } = await admin(`projects/${project}/content?${query}`);
  return { total: Number(total), milliseconds: performance.now() - began };
}

function p95(times: readonly number[]): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}
