/** The layers of the environment and of the command line. */
import { resolve } from 'node:path';
import { didYouMeanHint } from './did-you-mean.ts';
import { environmentName, shortEnvironmentName, valueOfText } from './environment.ts';
import type { Setting } from './outline.ts';
import type { Origin, Problem } from './problem.ts';
import type { Layers } from './read-layers.ts';
import { readSecretFile } from './secret-file.ts';
import { fullPath, override, type Section } from './section.ts';

/** End of the name of a variable that names the file of a secret. */
const FILE = '_FILE';

interface SettingOfSection extends Setting {
  readonly section: Section;
}

/**
 * Applies environment and flags to the sections; reports names of no setting and secrets that cannot be read.
 *
 * @returns warnings as a function, since the nearest name takes long to find, and before the plugins are known most names
 * are of no setting: those warnings are not used
 */
export function overlay(
  layers: Layers,
  sections: ReadonlyMap<string, Section>,
): { warnings: () => string[]; problems: Problem[] } {
  const byName = new Map<string, SettingOfSection>();
  const byPath = new Map<string, SettingOfSection>();
  const short = new Map<string, SettingOfSection | undefined>();
  for (const section of sections.values()) {
    for (const one of section.settings) {
      const setting = { ...one, section };
      const full = [...section.prefix, ...one.path];
      byName.set(environmentName(full), setting);
      byPath.set(full.join('.'), setting);
      const name = shortEnvironmentName(full);
      short.set(name, short.has(name) ? undefined : setting);
    }
  }
  const warnings: (() => string)[] = [];
  const problems: Problem[] = [];
  const named = (name: string) => byName.get(name) ?? short.get(name);
  const secrets = [...byName].filter(([, { secret }]) => secret);
  const names = [...byName.keys(), ...secrets.map(([name]) => name + FILE)];
  const given = new Map<SettingOfSection, string>();
  const files: { name: string; setting: SettingOfSection; file: string }[] = [];
  for (const [name, text] of Object.entries(layers.environment)) {
    // An empty variable counts as not set: compose files and unit files pass empty ones.
    if (!name.startsWith('HEADWATER_') || text === undefined || text === '') continue;
    if (name === 'HEADWATER_CONFIG' || name.startsWith('HEADWATER_TEST_')) continue;
    const setting = named(name);
    const value = name.endsWith(FILE) ? named(name.slice(0, -FILE.length)) : undefined;
    if (setting) {
      const origin: Origin = { from: 'environment', name };
      const rule = `is also given by ${given.get(setting)}: keep one`;
      if (given.has(setting)) problems.push({ origin, path: fullPath(setting.section, setting.path), rule });
      else override(setting.section, setting.path, valueOfText(text, setting.node), origin);
      given.set(setting, name);
    } else if (value?.secret) {
      files.push({ name, setting: value, file: resolve(layers.workingDir, text) });
    } else if (value) {
      warnings.push(() => `${name} has no effect: only secrets can be read from a file`);
    } else {
      warnings.push(() => `${name} is no setting and has no effect${didYouMeanHint(name, names)}`);
    }
  }
  for (const { name, setting, file } of files) {
    const origin: Origin = { from: 'environment', name, file };
    const path = fullPath(setting.section, setting.path);
    const other = given.get(setting);
    const read = other === undefined ? readSecretFile(file) : { rule: `is also given by ${other}: keep one` };
    if ('rule' in read) problems.push({ origin, path, rule: read.rule });
    else override(setting.section, setting.path, valueOfText(read.text, setting.node), origin);
    given.set(setting, name);
  }
  const flags = new Map<string, string>();
  for (const { name, path, text } of layers.flags) {
    const origin: Origin = { from: 'flag', name };
    const setting = byPath.get(path);
    const other = flags.get(path) ?? name;
    flags.set(path, name);
    if (!setting)
      problems.push({ origin, path, rule: `is not a setting${didYouMeanHint(path, byPath.keys())}` });
    else if (other !== name) problems.push({ origin, path, rule: `is also given by ${other}: keep one` });
    else override(setting.section, setting.path, valueOfText(text, setting.node), origin);
  }
  return { warnings: () => warnings.map((warning) => warning()), problems };
}
