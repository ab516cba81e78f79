/** Several commands at once in a clone: one installs and builds, the others wait, and a killed one stops nobody. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { longTest } from '../support/long-form.ts';
import { until } from '../support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const IS_LINUX = process.platform === 'linux';
/** Where the ids of these processes are unique. */
const PLACE = IS_LINUX ? `${hostname()} ${readlinkSync('/proc/self/ns/pid')}` : hostname();

/** Programs of the clone, which take their time and write what they do to `log`. */
const PROGRAM = (name: string, work: string) => `
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
const log = (line) => appendFileSync('log', line + ' ' + process.pid + '\\n');
const write = (path, text) => {
  mkdirSync(path.slice(0, path.lastIndexOf('/')), { recursive: true });
  writeFileSync(path, text);
};
process.stdout.on('error', () => {});
log('${name}');
${work}
log('end of ${name}');
`;
const BUILD_STEP = PROGRAM('tsc', 'await setTimeout(300);');
const BUNDLE = PROGRAM(
  'bundle',
  "if (!existsSync('node_modules')) process.exit(1);\nwrite('.build/bundle/main.js', '');",
);
/** As npm ci: removes all packages first, and names them last; not while there is a file `hold`. */
const NPM = PROGRAM(
  'npm',
  `rmSync('node_modules', { recursive: true, force: true });
await setTimeout(1000);
while (existsSync('hold')) await setTimeout(20);
write('node_modules/sqlite3/build/Release/node_sqlite3.node', '');
write('node_modules/typescript/bin/tsc', ${JSON.stringify(BUILD_STEP)});
write('node_modules/.package-lock.json', '{"packages": {}}');`,
);
const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"type": "module"}',
  'package-lock.json': '{"packages": {}}',
  'tsconfig.json': '{}',
  '.npmrc': '',
  'npm.js': NPM,
  'gateway/cli/bundle.mjs': BUNDLE,
  'plugins/console/build-app.mjs': PROGRAM('console', ''),
  'core/errors.ts': '',
  'workers/pool.ts': '',
};
const OWN = ['gateway/cli/prepare.mjs', 'gateway/cli/preparation-lock.mjs', 'config/is-program.mjs'];
const INSTALLED = ['npm', 'end of npm'];
const BUILT = ['tsc', 'end of tsc', 'bundle', 'end of bundle', 'console', 'end of console'];

describe('several preparations of a clone at once', function () {
  this.timeout(60_000);
  this.slow(20_000);

  let folder: string;
  const at = (name: string) => join(folder, name);
  const started = new Set<ChildProcess>();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-preparing-'));
    for (const [name, text] of Object.entries(FILES)) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
    }
    for (const name of OWN) {
      mkdirSync(dirname(at(name)), { recursive: true });
      if (existsSync(join(ROOT, name))) copyFileSync(join(ROOT, name), at(name));
    }
  });
  afterEach(() => {
    for (const child of started) child.kill('SIGKILL');
    started.clear();
    rmSync(folder, { recursive: true, force: true });
  });

  const prepare = (...words: string[]) => {
    const child = spawn(process.execPath, [at('gateway/cli/prepare.mjs'), ...words], {
      cwd: folder,
      env: { ...process.env, npm_execpath: at('npm.js') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.add(child);
    const run = { child, said: '' };
    child.stderr.on('data', (text) => (run.said += String(text)));
    return run;
  };
  type Run = ReturnType<typeof prepare>;
  const ended = async ({ child }: Run) => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    return child.exitCode;
  };
  const logged = () => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8').trimEnd().split('\n') : []);
  const done = () => logged().map((line) => line.replace(/ \d+$/, ''));
  const left = () => readdirSync(at('.build')).filter((name) => name.startsWith('preparing-'));
  const waitsFor = (holder: Run | string) =>
    `Waiting for process ${typeof holder === 'string' ? holder : holder.child.pid}, which prepares this folder.\n`;
  const count = (text: string, part: string) => text.split(part).length - 1;

  it('install and build once, and say once for whom they wait', async () => {
    writeFileSync(at('hold'), '');
    const first = prepare();
    await until(async () => done().includes('npm'));
    const others = [prepare(), prepare()];
    await until(async () => others.every(({ said }) => said !== ''));
    rmSync(at('hold'));
    expect(await Promise.all([first, ...others].map(ended))).to.deep.equal([0, 0, 0]);
    expect(done()).to.deep.equal([...INSTALLED, ...BUILT]);
    expect(first.said).to.not.include('Waiting');
    for (const { said } of others) expect(said).to.equal(waitsFor(first));
    expect(left()).to.deep.equal([]);
    const again = prepare();
    expect([await ended(again), again.said]).to.deep.equal([0, '']);
  });

  longTest('that start in the same moment install once', async () => {
    const all = Array.from({ length: 5 }, () => prepare());
    expect(await Promise.all(all.map(ended))).to.deep.equal([0, 0, 0, 0, 0]);
    expect(done()).to.deep.equal([...INSTALLED, ...BUILT]);
  });

  longTest('build one after the other where all is to be built', async () => {
    expect(await ended(prepare())).to.equal(0);
    rmSync(at('log'));
    const both = [prepare('--build'), prepare('--build')];
    expect(await Promise.all(both.map(ended))).to.deep.equal([0, 0]);
    expect(done()).to.deep.equal([...BUILT, ...BUILT]);
  });

  it('take over once from one that was killed, when what it had started has ended', async () => {
    writeFileSync(at('hold'), '');
    const killed = prepare();
    await until(async () => done().includes('npm'));
    const [npm = ''] = /\d+$/.exec(logged()[0] ?? '') ?? [];
    killed.child.kill('SIGKILL');
    await ended(killed);
    const others = [prepare(), prepare(), prepare()];
    await until(async () => others.every(({ said }) => said !== ''));
    rmSync(at('hold'));
    expect(await Promise.all(others.map(ended))).to.deep.equal([0, 0, 0]);
    expect(done()).to.deep.equal([...INSTALLED, ...BUILT]);
    for (const { said } of others) expect(count(said, waitsFor(npm))).to.equal(1);
    expect(left()).to.deep.equal([]);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const)
    longTest(`go on at once where ${signal} has ended one and what it had started`, async () => {
      writeFileSync(at('hold'), '');
      const ending = prepare();
      await until(async () => done().includes('npm'));
      const waiting = [prepare(), prepare()];
      await until(async () => waiting.every(({ said }) => said.includes(waitsFor(ending))));
      ending.child.kill(signal);
      process.kill(Number(/\d+$/.exec(logged()[0] ?? '')?.[0]), signal);
      expect(await ended(ending)).to.not.equal(0);
      rmSync(at('hold'));
      expect(await Promise.all(waiting.map(ended))).to.deep.equal([0, 0]);
      expect(done()).to.deep.equal(['npm', ...INSTALLED, ...BUILT]);
      expect(left()).to.deep.equal([]);
    });

  it('wait for one of another host while its file is touched, and for no former process with the same id', async () => {
    mkdirSync(at('.build'));
    const file = (name: string, text: string) => writeFileSync(at(`.build/preparing-${name}`), text);
    // Only /proc tells those apart.
    if (IS_LINUX) file('former', `${PLACE}\n${process.pid} 1\n`);
    file('other', 'other-host\n7 1\n');
    const waiting = prepare();
    await until(async () => waiting.said.includes(waitsFor('7 on other-host')));
    expect(done()).to.deep.equal([]);
    const longAgo = new Date(Date.now() - 90_000);
    utimesSync(at('.build/preparing-other'), longAgo, longAgo);
    expect(await ended(waiting)).to.equal(0);
    expect(left()).to.deep.equal([]);
  });

  longTest(
    'wait for one in a container with the name of its host, whose process ids are others',
    async () => {
      mkdirSync(at('.build'));
      writeFileSync(at('.build/preparing-contained'), `${hostname()} pid:[1]\n${process.pid} 1\n`);
      const waiting = prepare();
      await until(async () => waiting.said.includes(waitsFor(`${process.pid} on ${hostname()}`)));
      rmSync(at('.build/preparing-contained'));
      expect(await ended(waiting)).to.equal(0);
      expect(left()).to.deep.equal([]);
    },
  );

  longTest('name the namespace of their process ids', async () => {
    writeFileSync(at('hold'), '');
    const running = prepare();
    await until(async () => done().includes('npm'));
    const [line] = readFileSync(at(`.build/${left()[0]}`), 'utf8').split('\n');
    expect(line).to.equal(PLACE);
    rmSync(at('hold'));
    expect(await ended(running)).to.equal(0);
  });

  it('say what the system refuses, and leave nothing to wait for', async () => {
    mkdirSync(at('.build'));
    const full = spawn('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, at(OWN[0]!)], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    full.stderr.on('data', (text) => (said += String(text)));
    await once(full, 'close');
    expect(full.exitCode).to.equal(1);
    expect(said).to.equal('headwater: EFBIG: file too large, write\n');
    expect(left()).to.deep.equal([]);
  });
});
