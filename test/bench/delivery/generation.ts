import type { Bench, Measure } from '../benchmark.ts';
import { runCommand } from '../run-command.ts';

/** Scaled down like requests. */
const GENERATED = 3000;

/** Reports the folder that the other measures use; it is made once. */
export const generation: Measure = {
  name: 'generation',
  about: 'content for load made through the operations: time for 100,000 items',
  async run({ datasets, large }: Bench) {
    const { items, seconds, reused } = await datasets.of(large);
    const detail = `${items} items in ${seconds.toFixed(1)} s${reused ? ', in the run that made the data' : ''}`;
    const rate = items / seconds;
    return [
      { name: 'generate --items 100000', value: 100_000 / rate, unit: 's', target: { atMost: 180 }, detail },
      { name: 'rate', value: rate, unit: 'items/s' },
    ];
  },

  async compare({ datasets, requests }: Bench) {
    const items = requests(GENERATED);
    return {
      async [`generate --items ${items}`]() {
        const folder = await datasets.folder('generated');
        const { seconds } = await runCommand(datasets.checkout, folder, ['generate', '--items', `${items}`]);
        return { seconds };
      },
    };
  },
};
