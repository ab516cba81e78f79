import type { Bench, Measure } from '../benchmark.ts';
import { runCommand } from '../run-command.ts';

/** Scaled down like requests. */
const GENERATED = 3000;

/** Reports the folder that the other measures use; it is made once. */
export const generation: Measure = {
  name: 'generation',
  about: 'content for load made through the operations: items/s',
  async run({ datasets, large }: Bench) {
    const { items, seconds, reused } = await datasets.of(large);
    const detail = `${items} items in ${seconds.toFixed(1)} s${reused ? ', in the run that made the data' : ''}`;
    const rate = items / seconds;
    return [{ name: 'rate', value: rate, unit: 'items/s', target: { atLeast: 2500 }, detail }];
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
