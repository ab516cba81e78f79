import { join } from 'node:path';
import type { Bench, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { runCommand } from '../run-command.ts';
import type { TransferOrder, TransferReply } from '../transfer.ts';

const ITEMS = 10_000;

/** A whole project from its archive. */
export const importProject: Measure = {
  name: 'import',
  about:
    'import of an exported project of 10,000 items: items/s ÷ the same rows written by the database alone',
  async run({ datasets, rounds, progress }: Bench) {
    const { folder, project, items } = await datasets.of(ITEMS);
    const child = startChild<TransferOrder, TransferReply>('transfer.ts');
    const archive = join(await datasets.folder('archive'), 'project.tar');
    const exported = await child.ask({ do: 'export', folder, project, file: archive });
    progress(`  exported at ${exported.perSecond.toFixed(0)} items a second`);
    let imported = '';
    const found = await takeTurns(rounds, {
      import: async () => {
        imported = await datasets.folder('imported');
        return (await child.ask({ do: 'import', folder: imported, file: archive })).perSecond;
      },
      copy: async () =>
        (await child.ask({ do: 'copy', from: imported, folder: await datasets.folder('copied') })).perSecond,
    });
    await child.end();
    return [
      {
        name: `import of ${items} items ÷ raw`,
        ...compared(found.import, found.copy),
        unit: '×',
        target: { atLeast: 0.25 },
        detail: `${median(found.import).toFixed(0)} and ${median(found.copy).toFixed(0)} items a second`,
      },
    ];
  },

  /** By the command line, start of the process included. */
  async compare({ datasets }: Bench) {
    const { checkout } = datasets;
    const { folder, project } = await datasets.of(1000);
    const archive = join(await datasets.folder('archive'), 'project.tar');
    const command = (over: string, ...args: string[]) => runCommand(checkout, over, args);
    await command(folder, 'export', '--project', project, '--to', archive);
    return {
      async 'export of 1,000 items'() {
        const { seconds } = await command(folder, 'export', '--project', project, '--to', archive);
        return { seconds };
      },
      async 'import of 1,000 items'() {
        const imported = await datasets.folder('imported');
        const { seconds } = await command(imported, 'import', '--from', archive);
        return { seconds };
      },
    };
  },
};
