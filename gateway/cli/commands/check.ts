import type { Command } from '../command.ts';
import { configure, pluginOrderOf } from '../configure.ts';
import { table } from '../terminal.ts';

export const check: Command = {
  name: 'check',
  summary: 'Validates the configuration and builds the pipeline, without listening.',
  details: 'Prints the plugins a request passes on each surface.',
  options: { quiet: { about: 'print nothing when all is well' } },
  async run(call) {
    const configured = await configure(call);
    const { bySurface } = pluginOrderOf(configured);
    if (call.switches.has('quiet')) return 0;
    const rows = Object.entries(bySurface).map(([surface, plugins]) => [
      surface === 'none' ? '(elsewhere)' : surface,
      plugins.map((plugin) => plugin.name).join(' → '),
    ]);
    for (const line of table(rows)) call.terminal.out(line);
    call.terminal.out('The configuration is valid.');
    return 0;
  },
};
