/** Builds in a copy of the program: what they leave for a running service, for other users, and after an interruption. */

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { readApp } from '../../plugins/console/app-files.ts';
import { isLongForm, longTest } from '../support/long-form.ts';
import { PROGRAM_FILES } from '../support/service/program-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const NOBODY = 65_534;

describe('a build in the folder of the program', function () {
  this.timeout(300_000);
  this.slow(30_000);

  const above = mkdtempSync(join(tmpdir(), 'headwater-building-'));
  const folder = join(above, 'program');
  const linked = join(above, 'linked');
  const bundled = join(folder, '.build/bundle');
  const at = (name: string) => join(folder, name);
  /** Through a symbolic link. */
  const run = (program: string, ...words: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [join(linked, program), ...words], {
      encoding: 'utf8',
    });
    return { status, stderr };
  };
  const bundle = () => expect(run('gateway/cli/bundle.mjs')).to.deep.equal({ status: 0, stderr: '' });
  const change = (text: string) => appendFileSync(at('.build/core/errors.js'), `console.debug('${text}');\n`);
  const chunks = () => readdirSync(bundled).filter((name) => name.startsWith('chunk-'));

  before(() => {
    mkdirSync(folder);
    for (const name of [...PROGRAM_FILES, 'tsconfig.json'])
      cpSync(join(ROOT, name), at(name), { recursive: true, preserveTimestamps: true });
    symlinkSync(join(ROOT, 'node_modules'), at('node_modules'));
    symlinkSync(folder, linked);
  });
  after(() => rmSync(above, { recursive: true, force: true }));

  it('keeps the files of all former ones for a week, as a running service may yet load them', () => {
    const first = chunks();
    change('second');
    bundle();
    const second = chunks();
    expect(second).to.include.members(first);
    expect(second.length).to.be.above(first.length);
    if (isLongForm) {
      change('third');
      bundle();
      expect(chunks()).to.include.members(second);
      expect(chunks().length).to.be.above(second.length);
    }
    const longAgo = new Date(Date.now() - 8 * 24 * 3600 * 1000);
    for (const name of readdirSync(bundled)) utimesSync(join(bundled, name), longAgo, longAgo);
    const last = Object.keys(JSON.parse(readFileSync(join(bundled, 'outputs.json'), 'utf8')));
    change('fourth');
    bundle();
    const names = readdirSync(bundled).map((name) => `.build/bundle/${name}`);
    expect(names).to.include.members(last);
    const only = first.filter((name) => !last.includes(`.build/bundle/${name}`));
    expect(only).to.not.deep.equal([]);
    expect(chunks().filter((name) => only.includes(name))).to.deep.equal([]);
  });

  longTest('keeps all files where the list of the former one is cut, and rewrites none in place', () => {
    linkSync(join(bundled, 'main.js'), join(above, 'main-before.js'));
    const program = readFileSync(join(bundled, 'main.js'), 'utf8');
    const before = chunks();
    writeFileSync(join(bundled, 'outputs.json'), '{"cut');
    change('fifth');
    bundle();
    expect(chunks()).to.include.members(before);
    expect(readFileSync(join(bundled, 'main.js'), 'utf8')).to.not.equal(program);
    expect(readFileSync(join(above, 'main-before.js'), 'utf8')).to.equal(program);
  });

  longTest(
    'with npm run build is complete: the first start builds nothing, every user may read the console, and what killed builds left is gone after a day',
    () => {
      const [old, running] = [at('.build/console-aaaaaa'), at('.build/console-bbbbbb')];
      for (const path of [old, running]) mkdirSync(path);
      const twoDaysAgo = new Date(Date.now() - 48 * 3600 * 1000);
      utimesSync(old, twoDaysAgo, twoDaysAgo);
      expect(JSON.parse(readFileSync(at('package.json'), 'utf8')).scripts.build).to.equal(
        'node gateway/cli/prepare.mjs --build',
      );
      rmSync(at('.build/console'), { recursive: true });
      expect(run('gateway/cli/prepare.mjs', '--build').status).to.equal(0);
      expect(run('gateway/cli/prepare.mjs')).to.deep.equal({ status: 0, stderr: '' });
      expect(statSync(at('.build/console')).mode & 0o777).to.equal(0o755);
      expect(readFileSync(at('.build/core/errors.js'), 'utf8')).to.not.include('console.debug');
      // Of builds of the console that were killed, and of one that may yet run.
      expect([existsSync(old), existsSync(running)]).to.deep.equal([false, true]);
    },
  );

  longTest('that failed is made again, also where the sources are those of the build before', () => {
    const source = at('core/errors.ts');
    const { atime, mtime } = statSync(source);
    const text = readFileSync(source, 'utf8');
    try {
      appendFileSync(source, 'export const wrong: number = "text";\n');
      expect(run('gateway/cli/prepare.mjs').status).to.equal(1);
    } finally {
      writeFileSync(source, text);
      utimesSync(source, atime, mtime);
    }
    // As in a build of a release without the bundle, from which a service runs.
    rmSync(bundled, { recursive: true });
    writeFileSync(at('.build/core/of-before.js'), '');
    rmSync(at('.build/core/contract.js'));
    const { status, stderr } = run('gateway/cli/prepare.mjs');
    expect([status, stderr.split('\n')[0]]).to.deep.equal([0, 'Building.']);
    expect(readFileSync(at('.build/core/errors.js'), 'utf8')).to.not.include('const wrong');
    for (const name of ['core/of-before.js', 'core/contract.js', 'bundle/main.js'])
      expect(existsSync(at(`.build/${name}`)), name).to.equal(true);
  });

  it('warns at a start without the compiler where the lock file is no longer that of the build', () => {
    const packages = at('node_modules');
    const warned = () =>
      spawnSync(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `(await import('${pathToFileURL(at('gateway/cli/prepare.mjs')).href}')).warnOfFormerPackages()`,
        ],
        { encoding: 'utf8' },
      ).stderr;
    rmSync(packages);
    expect(warned()).to.equal('');
    appendFileSync(at('package-lock.json'), '\n');
    expect(warned()).to.match(/^headwater: package-lock.json has changed since the build.*\n$/);
    symlinkSync(join(ROOT, 'node_modules'), packages);
    expect(warned()).to.equal('');
  });

  it('by a user who may not write is refused with the folder, and leaves the former one', () => {
    const packages = at('node_modules');
    rmSync(packages);
    for (const name of [
      '.package-lock.json',
      'sqlite3/build/Release/node_sqlite3.node',
      'typescript/bin/tsc',
    ]) {
      mkdirSync(dirname(join(packages, name)), { recursive: true });
      copyFileSync(join(ROOT, 'node_modules', name), join(packages, name));
    }
    chmodSync(above, 0o755);
    const isRoot = process.getuid?.() === 0;
    if (!isRoot) chmodSync(at('.build'), 0o555);
    appendFileSync(at('core/errors.ts'), '// Changed.\n');
    const stamp = readFileSync(at('.build/stamp'), 'utf8');
    const { status, stderr } = spawnSync(process.execPath, [at('gateway/cli/prepare.mjs')], {
      encoding: 'utf8',
      ...(isRoot && { uid: NOBODY }),
    });
    if (!isRoot) chmodSync(at('.build'), 0o755);
    expect([status, stderr]).to.deep.equal([
      1,
      `headwater: the program has to be built, and this user may not write to ${at('.build')}: run 'npm run build' as a user who may.\n`,
    ]);
    expect(readFileSync(at('.build/stamp'), 'utf8')).to.equal(stamp);
    rmSync(packages, { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), packages);
  });

  it('without the console has no application; one that cannot be read is an error', async () => {
    const apps = join(above, 'apps');
    mkdirSync(apps);
    const url = pathToFileURL(`${apps}/`);
    expect(await readApp(url)).to.equal(undefined);
    symlinkSync('manifest.json', join(apps, 'manifest.json'));
    const error = await readApp(url).catch((refused: unknown) => refused);
    expect(error).to.include({ code: 'ELOOP' });
  });
});
