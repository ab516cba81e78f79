import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { importProject } from '../../../core/transfer/import-project.ts';
import { type Command, requiredOption } from '../command.ts';
import { findingText } from '../failure.ts';
import { tellProgress } from '../tell-progress.ts';
import { withCore } from '../with-core.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Makes a project from an archive that export wrote.',
  details:
    'Every row is checked as if it came over the management API. Of an archive that is refused, damaged or stopped\n' +
    'nothing is kept; one that was imported before is left as it is. Content that breaks limits of its elements is\n' +
    'kept and reported. Keys are made with the other commands. Prints {"project_id": …} at the end.',
  options: {
    from: { value: 'FILE', about: 'the archive', required: true },
    project: { value: 'GUID', about: 'id of the project; the one in the archive when not given' },
    name: { value: 'TEXT', about: 'name of the project; the one in the archive when not given' },
  },
  onData: true,
  async run(call) {
    const file = resolve(call.folder, requiredOption(call, 'from'));
    const { project, name } = call.options;
    const imported = await withCore(
      call,
      (operations) =>
        importProject(operations, createReadStream(file), {
          ...(project !== undefined && { project }),
          ...(name !== undefined && { name }),
          progress: tellProgress(call.terminal, 'rows'),
          ...(call.signal && { signal: call.signal }),
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
