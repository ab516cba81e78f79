import { originText } from '../../../config/problem.ts';
import { StartError } from '../../start-error.ts';
import type { Command } from '../command.ts';
import { configure } from '../configure.ts';

export const reload: Command = {
  name: 'reload',
  summary: 'Makes the running service read its configuration again; no request is dropped.',
  details:
    'What is wrong is told, and the service goes on as it was (exit code 1). Settings that need a restart are\n' +
    'named; everything else counts from then on. The same as SIGHUP. The options of this command say only\n' +
    'which service is meant: its files and its environment are those it was started with.',
  options: {},
  onData: true,
  async run(call) {
    if (call.service === undefined) {
      const { dataDir } = (await configure(call)).config.settings;
      throw new StartError(`No service runs on the data folder ${dataDir}, so there is nothing to reload.`);
    }
    const { changed, waiting } = await call.service.reload(call.terminal);
    const { out } = call.terminal;
    for (const { path, origin } of waiting) out(`Needs a restart: ${path} (${originText(origin)})`);
    if (changed.length === 0) out('Reloaded; no setting is different.');
    else out(`Reloaded: ${changed.join(', ')}.`);
    return 0;
  },
};
