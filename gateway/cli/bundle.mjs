/**
 * Joins the compiled modules and the packages that they import into `.build/bundle`: an entry for each program, and chunks
 * of what several programs or commands share. Without it a start opens 1,100 files: start and stop of the service take
 * 1.45 s of CPU, and 0.75 s with it; `project list` 0.95 and 0.48 s. A comment above each module names its file. Functions keep
 * their names; where several of a file have the same, others get a number (`open2`).
 * Plain JavaScript, because the preparation runs it on a fresh clone.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isProgram } from '../../config/is-program.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const OUT = join(ROOT, '.build/bundle');
const LIST = join(OUT, 'outputs.json');
/** How long files stay after the last build that had them: a service that was started from it may yet load them. */
const FORMER_MS = 7 * 24 * 3600 * 1000;

const PROGRAMS = [
  'gateway/cli/main.js',
  'gateway/cli/gateway-process.js',
  'workers/host/host-main.js',
  'workers/host/pool-thread.js',
];

/** Packages that have native code, find files of their own by path, or are loaded by few installations. */
const APART = [
  '@aws-sdk/*',
  'jsonc-parser',
  'knex',
  'node-forge',
  'openid-client',
  'pg',
  'piscina',
  'redis',
  'sharp',
  'sqlite3',
];

/** What esbuild could not follow: the module would fail when it is first used. Its package belongs in `APART`. */
const LOADS_BESIDE = /\brequire\w*\(["']\.{1,2}\//;

async function bundlePrograms() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS.map((path) => `.build/${path}`),
    outdir: OUT,
    write: false,
    metafile: true,
    entryNames: '[name]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: APART,
    // Packages in CommonJS call it for modules of Node.
    banner: {
      js: "import { createRequire as requireBeside } from 'node:module';\nconst require = requireBeside(import.meta.url);",
    },
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles)
    if (LOADS_BESIDE.test(text)) throw new Error(`${path} loads files that are not part of the bundle.`);
  mkdirSync(OUT, { recursive: true });
  const now = new Date();
  for (const name of formerOutputs()) touch(join(OUT, name), now);
  // Programs last: what they import is there when they can be started.
  const isEntry = (name) => PROGRAMS.some((path) => basename(path) === name);
  const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }));
  for (const { name, contents } of files.sort((one, other) => isEntry(one.name) - isEntry(other.name)))
    put(join(OUT, name), contents, now);
  // By path: what each imports, and the modules in it.
  put(LIST, Buffer.from(JSON.stringify(metafile.outputs)), now);
  for (const path of readdirSync(OUT).map((name) => join(OUT, name)))
    if (statSync(path, { throwIfNoEntry: false })?.mtimeMs < now.getTime() - FORMER_MS)
      rmSync(path, { force: true });
}

/** Names of the files of the build before; of all, where its list is missing or damaged. */
function formerOutputs() {
  if (!existsSync(LIST)) return readdirSync(OUT);
  const text = readFileSync(LIST, 'utf8');
  try {
    return Object.keys(JSON.parse(text)).map((path) => basename(path));
  } catch {
    return readdirSync(OUT);
  }
}

/** Replaces the file as a whole: a process that reads it, or the next build after an interruption, never finds a part. */
function put(path, contents, now) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return touch(path, now);
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, contents);
  renameSync(beside, path);
}

function touch(path, now) {
  if (existsSync(path)) utimesSync(path, now, now);
}

if (isProgram(import.meta.url)) await bundlePrograms();
