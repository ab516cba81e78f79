import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StartError } from '../../../config/start-error.ts';
import { type Command, requiredOption } from '../command.ts';
import { findingText } from '../failure.ts';
import { longWork } from '../progress.ts';
import { withCore } from '../with-core.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Makes a project from an archive that export wrote.',
  details:
    'Checks every row as if it came over the management API. An archive that is refused, damaged or interrupted\n' +
    'changes nothing, nor does one that was imported before. Content that breaks limits of its elements is imported\n' +
    'and reported. Other commands make the keys. Prints {"project_id": …} at the end.',
  options: {
    from: { value: 'FILE', about: 'the archive', required: true },
    project: { value: 'GUID', about: 'id of the project; the one in the archive when not given' },
    name: { value: 'TEXT', about: 'name of the project; the one in the archive when not given' },
  },
  onData: true,
  async run(call) {
    const { importProject } = await import('../../../core/transfer/import-project.ts');
    const file = resolve(call.folder, requiredOption(call, 'from'));
    if ((await stat(file)).isDirectory())
      throw new StartError(`${file} is a folder; --from names the archive.`);
    const { project, name } = call.options;
    const imported = await withCore(
      call,
      (operations) =>
        importProject(operations, createReadStream(file), {
          project,
          name,
          ...longWork(call, 'rows'),
        }),
      { mayCreate: true },
    );
    if (imported.repeated) call.terminal.err('headwater: the archive was imported before; nothing changed.');
    const { project: id, assets, items, variants, violations } = imported;
    for (const finding of violations) call.terminal.err(`headwater: ${findingText(finding)}`);
    call.terminal.out(JSON.stringify({ project_id: id, assets, items, variants }));
    return 0;
  },
};
