/** Reads all sources of settings, before any schema is known. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { didYouMean } from './did-you-mean.ts';
import type { Problem } from './problem.ts';
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

export function readLayers(options: LayerOptions): Layers {
  const workingDir = options.workingDir ?? process.cwd();
  const folder = options.folder ? resolve(workingDir, options.folder) : undefined;
  const problems: Problem[] = [];
  const plugins = new Map<string, YamlFile>();
  let main: YamlFile | undefined;
  const shown = (file: string) => shortest(file, workingDir);

  if (folder && !(existsSync(folder) && statSync(folder).isDirectory())) {
    const rule = `must be a folder, but there is none at ${shown(folder)}`;
    problems.push({ origin: { from: 'environment', name: 'HEADWATER_CONFIG' }, path: '', rule });
  } else if (folder) {
    if (existsSync(join(folder, MAIN_FILE)))
      main = readYamlFile(join(folder, MAIN_FILE), shown(join(folder, MAIN_FILE)));
    for (const name of yamlFiles(folder)) {
      if (name !== MAIN_FILE) problems.push(unknownFile(shown(join(folder, name)), name, [MAIN_FILE]));
    }
    for (const name of yamlFiles(join(folder, 'plugins'))) {
      const file = join(folder, 'plugins', name);
      if (name.endsWith('.yaml'))
        plugins.set(name.slice(0, -'.yaml'.length), readYamlFile(file, shown(file)));
      else problems.push(unknownFile(shown(file), name, [name.replace(/\.yml$/i, '.yaml')]));
    }
  }
  for (const file of [main, ...plugins.values()]) problems.push(...(file?.problems ?? []));
  const { environment, flags = [] } = options;
  return { workingDir, folder, main, plugins, environment, flags, problems };
}

function yamlFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/i.test(name) && !name.startsWith('.'))
    .sort();
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
