import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Datasets } from '../datasets.ts';
import { cleanEnvironment, end, start } from '../processes.ts';

/** Directus needs Node 22 or newer; all products but ours run on this one. */
const NODE = '22.23.3';
const COMMAND_MS = 20 * 60_000;
const START_MS = 5 * 60_000;

export interface Packages {
  readonly dependencies: Readonly<Record<string, string>>;
  /** Those whose install scripts run, because they compile or download a native module. */
  readonly scripts?: readonly string[];
  /** Of the installation's own files. Default: CommonJS. */
  readonly type?: 'module';
}

type Environment = Readonly<Record<string, string>>;

export interface Installation {
  readonly folder: string;
  /** Runs a script of the installation to its end. */
  run(args: readonly string[], environment: Environment): Promise<void>;
  /** Starts a server and waits until the address answers. @returns its process id */
  serve(args: readonly string[], environment: Environment, url: string): Promise<number>;
}

/**
 * Packages in a folder of the benchmark's data, with a Node of their own. `--data` keeps both.
 *
 * @throws when npm cannot install them
 */
export async function install(datasets: Datasets, name: string, packages: Packages): Promise<Installation> {
  const ofNode = `node-${process.platform}-${process.arch}`;
  const nodeFolder = await datasets.file(`peer-node-${NODE}`, (folder) =>
    npmInstall(folder, { dependencies: { [ofNode]: NODE } }, {}),
  );
  const home = join(nodeFolder, 'node_modules', ofNode);
  // Native modules are compiled with the headers of that Node.
  const own = { PATH: `${join(home, 'bin')}:${process.env['PATH']}`, npm_config_nodedir: home };
  const folder = await datasets.file(`peer-${name}`, (part) => {
    datasets.progress(`installing ${name}`);
    return npmInstall(part, packages, own);
  });
  const node = (args: readonly string[], environment: Environment) =>
    start(join(home, 'bin', 'node'), args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: cleanEnvironment({ ...own, NODE_ENV: 'production', ...environment }),
    });
  return {
    folder,
    run: (args, environment) => finished(node(args, environment), args.join(' ')),
    async serve(args, environment, url) {
      const child = node(args, environment);
      const said = output(child);
      const limit = performance.now() + START_MS;
      while (performance.now() < limit && child.exitCode === null) {
        if (await isUp(url)) return child.pid!;
        await pause(250);
      }
      await end(child);
      throw new Error(`${name} does not start: ${said()}`);
    },
  };
}

async function npmInstall(
  folder: string,
  { dependencies, scripts = [], type }: Packages,
  environment: Environment,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const allowScripts = Object.fromEntries(scripts.map((name) => [name, true]));
  const description = { name: 'peer', private: true, type, dependencies, allowScripts };
  await writeFile(join(folder, 'package.json'), JSON.stringify(description));
  const child = start('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: cleanEnvironment(environment),
  });
  await finished(child, 'npm install');
}

async function finished(child: ChildProcess, what: string): Promise<void> {
  const said = output(child);
  const timer = setTimeout(() => void end(child), COMMAND_MS);
  const code = await new Promise((resolve) => {
    child.once('close', resolve);
    child.once('error', resolve);
  }).finally(() => clearTimeout(timer));
  if (code !== 0) throw new Error(`'${what}' ended with ${code}: ${said()}`);
}

/** The last it wrote. Reading keeps its pipes empty. */
function output(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text = (text + chunk).slice(-1500);
    });
  return () => text.trim();
}

const isUp = (url: string) =>
  fetch(url).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
