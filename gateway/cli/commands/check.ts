import type { Command } from '../command.ts';
import { configure, pluginOrderOf } from '../configure.ts';
import { printTable } from '../print.ts';

export const check: Command = {
  name: 'check',
  summary: 'Validates the configuration and builds the pipeline, without listening.',
  details: 'Prints the plugins a request passes on each surface.',
  options: { quiet: { about: 'print nothing where the configuration is valid' } },
  async run(call) {
    const configured = await configure(call);
    const { bySurface } = pluginOrderOf(configured);
    if (call.switches.has('quiet')) return 0;
    const rows = Object.entries(bySurface).map(([surface, plugins]) => [
      surface === 'none' ? '(elsewhere)' : surface,
      plugins.map((plugin) => plugin.name).join(' → '),
    ]);
    printTable(call, rows);
    call.terminal.out('The configuration is valid.');
    return 0;
  },
};
