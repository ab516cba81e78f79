import { resolve } from 'node:path';
import { restore as restoreBackup } from '../../../core/backup/restore.ts';
import { type Command, requiredOption, UsageError } from '../command.ts';
import { tellProgress } from '../tell-progress.ts';
import { withCore } from '../with-core.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Puts a backup in the place of everything there is, also while it runs.',
  details:
    'The backup is checked first; where it is not whole, nothing changes. What is there now is gone afterwards,\n' +
    'so where there are projects --replace must say that this is meant. Prints JSON.',
  options: {
    from: { value: 'FOLDER', about: 'a folder that backup wrote', required: true },
    replace: { about: 'replace the projects that are there' },
  },
  onData: true,
  async run(call) {
    const folder = resolve(call.folder, requiredOption(call, 'from'));
    const restored = await withCore(
      call,
      async (operations) => {
        const there = await operations.storage.sql.get('SELECT id FROM project LIMIT 1');
        if (there && !call.switches.has('replace'))
          throw new UsageError(
            'There are projects here, which a restore would replace; say --replace if that is meant.',
          );
        const manifest = await restoreBackup(operations, folder, {
          progress: tellProgress(call.terminal, 'files'),
          ...(call.signal && { signal: call.signal }),
        });
        // On record in what is there now: the audit was restored with the rest.
        await operations.installation(null, async () => {});
        return manifest;
      },
      { mayCreate: true },
    );
    call.terminal.out(JSON.stringify({ folder, created: restored.created, files: restored.files.length }));
    return 0;
  },
};
