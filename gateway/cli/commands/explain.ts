import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ConfigEntry } from '../../../config/load-config.ts';
import { originText } from '../../../config/problem.ts';
import type { Command } from '../command.ts';
import { configure, schemasOf } from '../configure.ts';
import { printList } from '../print.ts';

export const explain: Command = {
  name: 'explain',
  summary: 'Shows every effective setting and where it comes from.',
  details:
    'Hides secrets. The origin is default, file:line, a variable of the environment (with the file it names) or an option.',
  options: {
    changed: { about: 'only settings that are set, those that are set to their default too' },
    env: { about: "with each setting's name in the environment" },
    json: { about: 'as JSON' },
    'write-defaults': {
      value: 'FOLDER',
      about: 'writes the commented default files and editor schemas instead',
    },
    'write-tables': {
      value: 'FOLDER',
      about: 'writes the tables of settings into the README of each built-in plugin there instead',
    },
  },
  async run(call) {
    const { plugins: builtIn } = await import('../../../plugins/registry.ts');
    const folder = call.options['write-defaults'];
    if (folder !== undefined) {
      const { defaultFiles } = await import('../../../config/default-files.ts');
      const files = defaultFiles(schemasOf(builtIn));
      for (const [path, text] of files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      call.terminal.out(`${files.size} files written to ${folder}.`);
    }
    const readmes = call.options['write-tables'];
    if (readmes !== undefined) {
      const { withSettingsTable } = await import('../../../config/settings-table.ts');
      for (const { name, settings } of builtIn) {
        const file = join(readmes, name, 'README.md');
        writeFileSync(file, withSettingsTable(readFileSync(file, 'utf8'), settings));
      }
      call.terminal.out(`The settings of ${builtIn.length} plugins written to their READMEs.`);
    }
    if (folder !== undefined || readmes !== undefined) return 0;
    const { config } = await configure(call);
    const { role } = config.settings;
    const entries = config.entries.filter(
      ({ origin }) => !call.switches.has('changed') || origin.from !== 'default',
    );
    const shown = entries.map(({ environmentName, isPath, ...entry }) => ({
      ...entry,
      value: shownValue(entry),
      environment_name: environmentName,
      is_path: isPath,
    }));
    const names = call.switches.has('env');
    const head = ['SETTING', 'VALUE', 'FROM', ...(names ? ['ENVIRONMENT'] : [])];
    return printList(call, shown, head, ({ path, value, origin, environment_name, roles }) => [
      path,
      text(value),
      roles?.includes(role) === false
        ? `${originText(origin)}, not used by role ${role}`
        : originText(origin),
      ...(names ? [environment_name] : []),
    ]);
  },
};

function shownValue(entry: Pick<ConfigEntry, 'secret' | 'value'>): unknown {
  return entry.secret && entry.value !== undefined ? '(secret)' : entry.value;
}

function text(value: unknown): string {
  if (value === undefined) return '(not set)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
