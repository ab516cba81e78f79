/**
 * Ensures a new enough Node, the exact dependencies and an up-to-date build. Plain JavaScript with
 * built-in modules only, because it runs on a fresh clone. Without work to do it takes a few milliseconds and
 * starts no process.
 *
 * `node gateway/cli/prepare.mjs [--build]`: with the flag it builds all, whether there is an up-to-date build or not.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isProgram } from '../../config/is-program.mjs';
import { lockPreparation } from './preparation-lock.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LEAST_NODE = [20, 19];
const SOURCES = ['config', 'workers', 'core', 'plugins', 'gateway'];
const SQLITE = 'node_modules/sqlite3/build/Release/node_sqlite3.node';
const COMPILER = 'node_modules/typescript/bin/tsc';
const BUNDLE = 'gateway/cli/bundle.mjs';
const CONSOLE = 'plugins/console/build-app.mjs';
const ENTRY = '.build/bundle/main.js';
const LOCK = 'package-lock.json';
/** What the build was made of: a hash of the sources, and one of the lock file. It is there where the build is complete. */
const STAMP = '.build/stamp';
/** What tsc has written, as it believes. */
const WRITTEN = '.build/tsconfig.tsbuildinfo';
const TICK_MS = 10_000;
/** node-gyp writes paths unquoted into a Makefile and into shell commands. */
const COMPILES_IN = process.platform === 'win32' ? /./ : /^[A-Za-z0-9_./+@:=,~-]+$/;

/** Ends the preparation with one sentence for the user. */
class PrepareError extends Error {}

/** While this process installs or builds. */
let lock;

/** @param {{ buildAll?: boolean }} [options] @returns {Promise<boolean>} false: stderr has the reason */
export async function prepare({ buildAll = false } = {}) {
  try {
    checkNode();
    if (!buildAll && isPrepared()) return true;
    lock = await lockPreparation(join(ROOT, '.build'), (holder) =>
      say(`Waiting for process ${holder}, which prepares this folder.`),
    );
    // What the other one has made is not made again.
    if (!dependenciesInstalled()) await installDependencies();
    if (!existsSync(join(ROOT, SQLITE)))
      await (COMPILES_IN.test(ROOT) ? buildSqlite() : installDependencies());
    await build(buildAll);
    return true;
  } catch (error) {
    // The system's own say what is wrong, as where the disk is full.
    if (!(error instanceof PrepareError) && error.syscall === undefined) throw error;
    process.stderr.write(`headwater: ${error.message}\n`);
    return false;
  } finally {
    lock?.release();
    lock = undefined;
  }
}

function isPrepared() {
  return (
    dependenciesInstalled() &&
    existsSync(join(ROOT, SQLITE)) &&
    (isWithoutCompiler() || isBuiltOf(fingerprintOfSources()))
  );
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])) return;
  throw new PrepareError(
    `needs Node ${LEAST_NODE.join('.')} or newer, and this is ${process.versions.node}.`,
  );
}

/** Whether every package of the lock file that is not optional is installed in its version. */
function dependenciesInstalled() {
  const lock = join(ROOT, LOCK);
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return false;
  if (statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return true;
  const there = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const wanted = Object.entries(JSON.parse(readFileSync(lock, 'utf8')).packages);
  return wanted.every(
    ([path, entry]) =>
      path === '' ||
      entry.optional ||
      (entry.dev && isWithoutCompiler()) ||
      there[path]?.version === entry.version,
  );
}

/** An installation for production: built elsewhere, without the packages for development. */
function isWithoutCompiler() {
  return existsSync(join(ROOT, ENTRY)) && !existsSync(join(ROOT, COMPILER));
}

async function installDependencies() {
  say('Installing dependencies (npm ci). sqlite3 may have to compile, which takes a minute or two.');
  if (COMPILES_IN.test(ROOT)) return runNpmCi(ROOT);
  const folder = mkdtempSync(join(tmpdir(), 'headwater-'));
  try {
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
      copyFileSync(join(ROOT, name), join(folder, name));
    }
    await runNpmCi(folder);
    rmSync(join(ROOT, 'node_modules'), { recursive: true, force: true });
    cpSync(join(folder, 'node_modules'), join(ROOT, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runNpmCi(folder) {
  return runNpm(
    ['ci', '--prefix', folder, '--include=dev', '--no-audit', '--no-fund'],
    'Dependencies could not be installed',
    () =>
      existsSync(join(folder, 'node_modules/sqlite3/build')) && !existsSync(join(folder, SQLITE))
        ? 'compiling sqlite3'
        : 'installing',
    folder,
  );
}

/** For a package without its native part: install scripts were off, or the compiler was missing. */
async function buildSqlite() {
  say('Building sqlite3, which takes a minute or two.');
  await runNpm(['rebuild', 'sqlite3'], 'sqlite3 could not be built', () => 'compiling sqlite3');
  if (!existsSync(join(ROOT, SQLITE))) {
    throw new PrepareError('sqlite3 could not be built: npm ran, but made no database driver.');
  }
}

/** A service without the compiler serves packages of the bundle as they were at the build: says so where others are wanted. */
export function warnOfFormerPackages() {
  const [, lock] = readStamp();
  if (lock === undefined || !isWithoutCompiler() || lock === hashOfLock()) return;
  say(
    `headwater: ${LOCK} has changed since the build, whose packages are part of it: for others, build again ('npm ci && npm run build').`,
  );
}

async function build(buildAll) {
  if (isWithoutCompiler()) {
    if (buildAll) throw new PrepareError("a build needs the packages for development: run 'npm ci'.");
    return;
  }
  const fingerprint = fingerprintOfSources();
  if (!buildAll && isBuiltOf(fingerprint)) return;
  const isThere = existsSync(join(ROOT, ENTRY));
  const [former] = readStamp();
  requireWritable(existsSync(join(ROOT, '.build')) ? '.build' : '.');
  // Files that were deleted, or that an interrupted build has written, would stay as they are.
  if (buildAll || !isThere || former === undefined) rmSync(join(ROOT, WRITTEN), { force: true });
  rmSync(join(ROOT, STAMP), { force: true });
  const started = Date.now();
  say('Building.');
  await runStep(COMPILER, 'The build failed; the lines above show where.');
  await runStep(BUNDLE, 'The programs could not be bundled; the lines above show why.');
  await runStep(CONSOLE, 'The console could not be built; the lines above show why.');
  writeFileSync(join(ROOT, STAMP), `${fingerprint}\n${hashOfLock()}\n`);
  say(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

function isBuiltOf(fingerprint) {
  return existsSync(join(ROOT, ENTRY)) && readStamp()[0] === fingerprint;
}

function requireWritable(folder) {
  try {
    accessSync(join(ROOT, folder), constants.W_OK);
  } catch {
    throw new PrepareError(
      `the program has to be built, and this user may not write to ${join(ROOT, folder)}: run 'npm run build' as a user who may.`,
    );
  }
}

function readStamp() {
  const stamp = join(ROOT, STAMP);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8').split('\n') : [];
}

function hashOfLock() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, LOCK)))
    .digest('hex');
}

async function runStep(program, failure) {
  const { code, output } = await run(process.execPath, [join(ROOT, program)]);
  if (code === 0) return;
  process.stderr.write(output);
  throw new PrepareError(failure);
}

/** Of names, sizes and times of all sources; reads no file. */
function fingerprintOfSources() {
  const hash = createHash('sha256');
  const add = (path) => {
    const { mtimeMs, size } = statSync(join(ROOT, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  };
  const walk = (folder) => {
    const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (entry.isDirectory()) walk(`${folder}/${entry.name}`);
      else if (/\.(ts|tsx|css|mjs)$/.test(entry.name)) add(`${folder}/${entry.name}`);
    }
  };
  for (const folder of SOURCES) walk(folder);
  add('tsconfig.json');
  add(LOCK);
  return hash.digest('hex');
}

/** Runs npm with the Node of this process, so that PATH does not matter under `npm start`. */
async function runNpm(args, failure, activity, folder = ROOT) {
  const npm = process.env.npm_execpath;
  const [command, rest] = npm?.endsWith('.js') ? [process.execPath, [npm, ...args]] : ['npm', args];
  const started = Date.now();
  const ticker = setInterval(() => {
    say(`  … ${activity()} (${Math.round((Date.now() - started) / 1000)} s)`);
  }, TICK_MS);
  const { code, output } = await run(command, rest, folder).finally(() => clearInterval(ticker));
  if (code === 0) return;
  process.stderr.write(output);
  const compiler = /gyp/.test(output) ? ' (compiling sqlite3 needs Python 3, make and a C++ compiler)' : '';
  throw new PrepareError(`${failure}: npm ended with ${code}${compiler}; its output is above.`);
}

function run(command, args, cwd = ROOT) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) lock?.cover(child.pid);
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: error.code, output: `${error.message}\n` }));
    child.on('close', (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

/** On stderr, so that stdout has only the output of the command. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

if (isProgram(import.meta.url)) {
  if (!(await prepare({ buildAll: process.argv.includes('--build') }))) process.exitCode = 1;
}
