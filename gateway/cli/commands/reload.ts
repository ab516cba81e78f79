import { originText } from '../../../config/problem.ts';
import type { Command } from '../command.ts';
import { runningService } from '../configure.ts';

export const reload: Command = {
  name: 'reload',
  summary: 'Makes the running service read its configuration again; no request is dropped.',
  details:
    'After an error, which it prints, the service continues unchanged (exit code 1). Prints the settings that need\n' +
    'a restart; all others apply from then on. The same as SIGHUP. The options of this command only select the\n' +
    'service: its files and its environment are those it was started with.',
  options: {},
  onData: true,
  async run(call) {
    const service = await runningService(call, 'there is nothing to reload');
    const { changed, waiting } = await service.reload(call.terminal);
    const { out } = call.terminal;
    for (const { path, origin } of waiting) out(`Needs a restart: ${path} (${originText(origin)})`);
    const other = waiting.length === 0 ? '' : 'other ';
    if (changed.length === 0) out(`Reloaded; no ${other}setting is different.`);
    else out(`Reloaded: ${changed.join(', ')}.`);
    return 0;
  },
};
