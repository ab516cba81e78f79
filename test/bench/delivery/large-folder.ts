import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure, Measure } from '../benchmark.ts';
import { cpuMilliseconds, memoryOf } from '../process-usage.ts';
import { median } from '../rounds.ts';
import { startService } from '../service.ts';
import { queryOf } from './listings.ts';

/** Requested for the first time by a service that has answered others, each with its target in ms for a million items. */
const FIRST: Readonly<Record<string, readonly [Readonly<Record<string, string>>, target: number]>> = {
  'skip of half of all': [{ limit: '20', skip: 'half' }, 20],
  'an exclusion with its total': [
    { limit: '20', 'elements.rank[neq]': '15461', includeTotalCount: 'true' },
    50,
  ],
  'order by system.id': [{ limit: '20', order: 'system.id' }, 5],
};

/** Ten listings that read different parts of the file. */
const LISTINGS: readonly Readonly<Record<string, string>>[] = [
  {},
  { order: 'system.codename[desc]' },
  { 'system.type': 'article' },
  { order: 'elements.rank', 'system.type': 'article' },
  { order: 'elements.title[desc]', 'system.type': 'article' },
  { order: 'system.last_modified[desc]' },
  { 'elements.category[contains]': 'daily' },
  { 'system.type': 'article', 'elements.topics[any]': 'topic_1_1,topic_2_2' },
  { 'elements.rank[gt]': '20000' },
  { skip: '5000', order: 'system.name' },
];

const STARTS = 5;
const MEGABYTE = 1_000_000;

/** What a folder of many items costs a service as such. */
export const largeFolder: Measure = {
  name: 'large-folder',
  about: 'start, memory, size of the database, and requests that depend on how many items there are',
  async run({ datasets, large, progress }) {
    const dataset = await datasets.of(large);
    const starts: number[] = [];
    const cpu: number[] = [];
    for (let count = 0; count < STARTS; count++) {
      const began = performance.now();
      const started = await startService(dataset);
      starts.push((performance.now() - began) / 1000);
      cpu.push(cpuMilliseconds(started.pid));
      await started.end();
    }
    const service = await startService(dataset);
    const atStart = memoryOf(service.pid).total;
    const request = async (parameters: Readonly<Record<string, string>>) => {
      const path = service.itemsPath(queryOf(parameters));
      const began = performance.now();
      const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
        headers: { 'accept-encoding': 'identity' },
      });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}.`);
      return performance.now() - began;
    };
    for (const listing of LISTINGS) await request({ limit: '20', depth: '1', ...listing });
    const afterListings = memoryOf(service.pid).total;
    const figures: Figure[] = [];
    for (const [name, [parameters, atMost]] of Object.entries(FIRST)) {
      const asked = { ...parameters, ...(parameters['skip'] && { skip: `${Math.floor(large / 2)}` }) };
      const before = cpuMilliseconds(service.pid);
      const first = await request(asked);
      const spent = cpuMilliseconds(service.pid) - before;
      const again = [await request(asked), await request(asked), await request(asked)];
      progress(`  ${name}: ${first.toFixed(1)} ms`);
      figures.push({
        name: `${name}, first time`,
        value: first,
        unit: 'ms',
        target: { atMost },
        detail: `${spent.toFixed(1)} ms CPU; again ${median(again).toFixed(1)} ms`,
      });
    }
    const { size } = await stat(join(dataset.folder, 'headwater.db'));
    const memory = (name: string, bytes: number, atMost: number): Figure => ({
      name: `resident memory ${name}`,
      value: bytes / MEGABYTE,
      unit: 'MB',
      target: { atMost },
    });
    return [
      ...figures,
      {
        name: 'start to ready',
        value: median(starts),
        unit: 's',
        target: { atMost: 1 },
        detail: `${median(cpu).toFixed(0)} ms CPU of all threads`,
      },
      memory('after the start', atStart, 150),
      memory('after ten listings', afterListings, 250),
      {
        name: 'size of the database, of a million items',
        value: (size / MEGABYTE) * (1_000_000 / large),
        unit: 'MB',
        target: { atMost: 6000 },
      },
    ];
  },
  compare: { leftOut: 'absolute figures of one folder' },
};
