import { setTimeout } from 'node:timers/promises';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import type { Dataset } from '../datasets.ts';
import { type ManagedService, startManaged } from '../management/managed-service.ts';
import { openRawSqlite } from '../raw-database.ts';

const FILTERS = ['', 'type=article', 'type=landing_page', 'state=published', 'state=draft'];
/** Wrote 86 of a hundred items. */
const AUTHOR = '0b0f5a7e-0000-4000-8000-000000000086';
const AUTHORS = ['', '&type=article', '&state=published'].map((filter) => `author=${AUTHOR}${filter}`);
const ORDERS = ['name', 'changed', 'type', 'state'];
/** Words that nearly every generated item has, and a number that one has. */
const TEXTS = { 'rare word': ['4321', '777', '50'], 'most common word': ['river', 'valley', 'bridge'] };
const TARGETS = { 'rare word': 20, 'most common word': 60 };

/** Pages of the list of content, with their totals, over HTTP. */
export const contentList: Measure = {
  name: 'content-list',
  about:
    'a page of 50 with its total, every filter of a type, a state or an author × order × position, and full text: p95',
  async run({ datasets, large, rounds }: Bench) {
    const dataset = await datasets.copy(await datasets.of(large), 'content-list');
    await giveAuthor(dataset);
    const service = await startManaged(dataset);
    while ((await list(service, 'limit=1')).unlisted > 0) await setTimeout(500);
    const pages = async (filters: readonly string[]) => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++)
        for (const filter of filters)
          for (const order of ORDERS) {
            const { total } = await list(service, `${filter}&order=${order}&limit=1`);
            for (const place of [0, 0.3, 0.5, 0.8, 1]) {
              const offset = Math.max(0, Math.floor(total * place) - 50);
              const page = await list(service, `${filter}&order=${order}&offset=${offset}&limit=50`);
              times.push(page.milliseconds);
            }
          }
      return p95(times);
    };
    const target = { atMost: 20 };
    const figures: Figure[] = [
      { name: 'list, p95', value: await pages(FILTERS), unit: 'ms', target },
      { name: 'list by an author of 86 %, p95', value: await pages(AUTHORS), unit: 'ms', target },
    ];
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

/** As if a person had written them; the service lists them again when it starts. */
async function giveAuthor({ folder }: Dataset): Promise<void> {
  const database = await openRawSqlite(folder);
  await database.run('UPDATE version SET account = ? WHERE variant % 100 < 86', [AUTHOR]);
  await database.run('UPDATE variant SET last_modified = last_modified');
}

async function list(
  { admin, project }: ManagedService,
  query: string,
): Promise<{ readonly total: number; readonly unlisted: number; readonly milliseconds: number }> {
  const began = performance.now();
  const { total, unlisted } = await admin(`projects/${project}/content?${query}`);
  return { total: Number(total), unlisted: Number(unlisted), milliseconds: performance.now() - began };
}

function p95(times: readonly number[]): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.95)] ?? 0;
}
