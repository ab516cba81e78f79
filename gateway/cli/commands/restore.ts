import { resolve } from 'node:path';
import { type Command, requiredOption, UsageError } from '../command.ts';
import { longWork } from '../progress.ts';
import { recordCommand, withCore } from '../with-core.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Replaces the whole installation by a backup, also while it runs.',
  details:
    'Checks the backup first, or, where it has only hashes of the files, those in the folder or bucket of the settings;\n' +
    'an incomplete one changes nothing. All present content is lost afterwards, so an installation with projects needs\n' +
    '--replace. The admin token stays valid. Prints JSON.',
  options: {
    from: { value: 'FOLDER', about: 'a folder that backup wrote', required: true },
    replace: { about: 'replace the existing projects' },
  },
  onData: true,
  async run(call) {
    const { restore: restoreBackup } = await import('../../../core/backup/restore.ts');
    const folder = resolve(call.folder, requiredOption(call, 'from'));
    const restored = await withCore(
      call,
      async (operations) => {
        const existing = await operations.storage.sql.get('SELECT id FROM project LIMIT 1');
        if (existing && !call.switches.has('replace'))
          throw new UsageError(
            'There are projects here, which a restore would replace; add --replace to do that.',
          );
        const manifest = await restoreBackup(operations, folder, {
          ...longWork(call, 'files'),
          warn: (text) => call.terminal.err(`headwater: ${text}`),
        });
        // In the restored audit log.
        await recordCommand(call, operations);
        return manifest;
      },
      { mayCreate: true },
    );
    call.terminal.out(JSON.stringify({ folder, created: restored.created, files: restored.files.length }));
    return 0;
  },
};
