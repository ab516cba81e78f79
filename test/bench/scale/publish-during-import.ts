import { join } from 'node:path';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { publishedItem } from '../gateway/published-item.ts';
import { startManaged } from '../management/managed-service.ts';
import { runCommand } from '../run-command.ts';
import { startDatabases } from './databases.ts';

const PUBLISHES = 300;

/** A publish waits for the batch of an import that holds the lock of the installation. */
export const publishDuringImport: Measure = {
  name: 'publish-during-import',
  about:
    'publishes by a core on PostgreSQL while another one imports a project of 1,000 items: p99 of the call',
  async run({ datasets, requests }: Bench): Promise<readonly Figure[]> {
    const { checkout } = datasets;
    const source = await datasets.of(1000);
    const archive = join(await datasets.folder('archive'), 'project.tar');
    await runCommand(checkout, source.folder, ['export', '--project', source.project, '--to', archive]);
    const { dataset, settings } = await (await startDatabases(datasets, [1000])).of(1000);
    const service = await startManaged(dataset, settings);
    const item = await publishedItem(service, dataset);
    let publishes = 0;
    const publish = async (): Promise<number> => {
      await item.write(`Version ${++publishes}`);
      const began = performance.now();
      await item.release();
      return performance.now() - began;
    };
    // What the first publishes take is not counted.
    const alone: number[] = [];
    for (let count = 0; count < requests(PUBLISHES) / 3; count += 1) alone.push(await publish());
    const took: number[] = [];
    let imports = 0;
    while (took.length < requests(PUBLISHES)) {
      const folder = await datasets.folder('importing');
      let importing = true;
      const imported = runCommand(
        checkout,
        folder,
        ['import', '--from', archive],
        undefined,
        settings,
      ).finally(() => {
        importing = false;
      });
      // The import is awaited below, also where a publish fails before.
      imported.catch(() => {});
      while (importing) took.push(await publish());
      await imported;
      imports += 1;
    }
    const sorted = (times: readonly number[]) => times.toSorted((one, other) => one - other);
    const at = (times: readonly number[], share: number) => sorted(times)[Math.floor(times.length * share)]!;
    return [
      {
        name: 'publish while another core imports, p99',
        value: at(took, 0.99),
        unit: 'ms',
        target: { atMost: 300 },
        detail: `${took.length} publishes beside ${imports} imports, p50 ${at(took, 0.5).toFixed(1)} ms; without an import p50 ${at(alone, 0.5).toFixed(1)} ms`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no PostgreSQL' },
};
