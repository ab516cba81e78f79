/** Reads all sources of settings, before any schema is known. */
import { readdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { didYouMean } from './did-you-mean.ts';
import type { Origin, Problem } from './problem.ts';
import { readYamlFile, type YamlFile } from './yaml-file.ts';

/** A setting on the command line: `{ name: '--port', path: 'port', text: '9000' }`. */
export interface Flag {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export interface LayerOptions {
  /** Folder with the operator's files; none = defaults, environment and flags only. */
  readonly folder?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly flags?: readonly Flag[];
  /** Base of relative paths in environment and flags. */
  readonly workingDir?: string;
}

export interface Layers {
  readonly workingDir: string;
  /** Absolute path of the operator's folder. */
  readonly folder: string | undefined;
  readonly main: YamlFile | undefined;
  /** By the name of the plugin. */
  readonly plugins: ReadonlyMap<string, YamlFile>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly flags: readonly Flag[];
  readonly problems: readonly Problem[];
}

const MAIN_FILE = 'headwater.yaml';
const PLUGINS = 'plugins';

export function readLayers(options: LayerOptions): Layers {
  const workingDir = options.workingDir ?? process.cwd();
  const folder = options.folder ? resolve(workingDir, options.folder) : undefined;
  const problems: Problem[] = [];
  const plugins = new Map<string, YamlFile>();
  let main: YamlFile | undefined;
  const shown = (file: string) => shortest(file, workingDir);

  const list = (of: string): string[] => {
    try {
      return readdirSync(of).sort();
    } catch (error) {
      problems.push({ origin: folderOrigin(options), path: '', rule: folderRule(error, shown(of)) });
      return [];
    }
  };

  if (folder) {
    const names = list(folder);
    for (const name of names.filter(isSettingsFile)) {
      const file = join(folder, name);
      if (name === MAIN_FILE) main = readYamlFile(file, shown(file));
      else problems.push(unknownFile(shown(file), name, [MAIN_FILE]));
    }
    const ofPlugins = names.includes(PLUGINS) ? list(join(folder, PLUGINS)) : [];
    for (const name of ofPlugins.filter(isSettingsFile)) {
      const file = join(folder, PLUGINS, name);
      if (name.endsWith('.yaml'))
        plugins.set(name.slice(0, -'.yaml'.length), readYamlFile(file, shown(file)));
      else problems.push(unknownFile(shown(file), name, [name.replace(/\.yml$/i, '.yaml')]));
    }
  }
  for (const file of [main, ...plugins.values()]) problems.push(...(file?.problems ?? []));
  const { environment, flags = [] } = options;
  return { workingDir, folder, main, plugins, environment, flags, problems };
}

function folderOrigin({ folder, environment }: LayerOptions): Origin {
  const name = 'HEADWATER_CONFIG';
  return environment[name] === folder ? { from: 'environment', name } : { from: 'flag', name: '--config' };
}

function folderRule(error: unknown, folder: string): string {
  const { code } = error as NodeJS.ErrnoException;
  const isNone = code === 'ENOENT' || code === 'ENOTDIR';
  return isNone
    ? `must be a folder, but there is none at ${folder}`
    : `names ${folder}, which cannot be read (${code})`;
}

function isSettingsFile(name: string): boolean {
  return /\.ya?ml$/i.test(name) && !name.startsWith('.');
}

function unknownFile(file: string, name: string, known: readonly string[]): Problem {
  const near = didYouMean(name, known);
  const hint = near ? `did you mean ${near}?` : `settings are in ${MAIN_FILE} and plugins/<name>.yaml`;
  return { origin: { from: 'file', file, line: 1 }, path: '', rule: `is not read by anything; ${hint}` };
}

function shortest(file: string, workingDir: string): string {
  const path = relative(workingDir, file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}
