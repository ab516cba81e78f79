import { GATEWAY_ROLES } from '../../../config/role-settings.ts';
import type { Command } from '../command.ts';
import { configure, pluginOrderOf } from '../configure.ts';
import { printTable } from '../print.ts';
import { roleFindings } from '../role-findings.ts';

export const check: Command = {
  name: 'check',
  summary: 'Validates the configuration of this role and builds the pipeline, without listening.',
  details:
    'Prints the plugins a request passes on each surface, and for the roles gateway and core what else it found out:\n' +
    'it resolves the names of cores, but connects to none, and to no database: doctor does that. It sets no plugin up:\n' +
    'what only the setup of one finds, a start or a reload says.',
  options: { quiet: { about: 'print nothing where the configuration is valid' } },
  async run(call) {
    const configured = await configure(call);
    const { settings } = configured.config;
    const { bySurface } = await pluginOrderOf(configured);
    const findings = await roleFindings(settings);
    const faults = findings.filter(({ state }) => state === 'bad');
    for (const { subject, detail } of faults) call.terminal.err(`headwater: ${subject}: ${detail}.`);
    if (faults.length > 0) return 1;
    if (call.switches.has('quiet')) return 0;
    if (GATEWAY_ROLES.includes(settings.role)) {
      const rows = Object.entries(bySurface).map(([surface, plugins]) => [
        surface === 'none' ? '(elsewhere)' : surface,
        plugins.map((plugin) => plugin.name).join(' → '),
      ]);
      printTable(call, rows);
    }
    printTable(
      call,
      findings.map(({ subject, detail }) => [subject, detail]),
    );
    call.terminal.out('The configuration is valid.');
    return 0;
  },
};
