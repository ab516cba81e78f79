import { resolve } from 'node:path';
import { type Command, requiredOption, UsageError } from '../command.ts';
import { longWork } from '../progress.ts';
import { recordCommand, withCore } from '../with-core.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Writes the whole installation into a folder, also while it runs.',
  details:
    'All projects, users, keys, the history and the files, as of one moment and checked. The settings, the admin\n' +
    'token and the certificate are not part of it. The folder appears when it is whole. With --files hashes the files\n' +
    'stay where they are, and a restore needs that folder or bucket. Prints JSON.',
  options: {
    to: { value: 'FOLDER', about: 'the folder to make', required: true },
    files: {
      value: 'copy|hashes',
      about:
        'copy the asset files (the default), or record their hashes where they stay in a folder or bucket of their own',
    },
  },
  onData: true,
  async run(call) {
    const folder = resolve(call.folder, requiredOption(call, 'to'));
    const { files = 'copy' } = call.options;
    if (files !== 'copy' && files !== 'hashes') throw new UsageError("--files is 'copy' or 'hashes'.");
    const done = await withCore(call, async (operations) => {
      // Only where there is content: a gateway that says that it has none loads no engine.
      const { backUp } = await import('../../../core/backup/back-up.ts');
      const backedUp = await backUp(operations, folder, {
        created: new Date().toISOString(),
        withFiles: files === 'copy',
        ...longWork(call, 'files'),
      });
      await recordCommand(call, operations);
      return backedUp;
    });
    call.terminal.out(JSON.stringify(done));
    return 0;
  },
};
