import { readdirSync } from 'node:fs';
import { basename, dirname, posix } from 'node:path';
import { expect } from 'chai';
import { files, importsOf, ROOT, textOf } from './repository-files.ts';

const TOP = ['package.json', 'package-lock.json', 'tsconfig.json', 'README.md', 'LICENSE'];
const FOLDERS = ['config', 'workers', 'core', 'plugins', 'gateway', 'test'];
/** `axe-core` is read as a text for the page. The last two are what `bullmq` and `kentico-cloud-delivery` expect to be installed beside them. */
const PROGRAMS_AND_PEERS = ['@biomejs/biome', 'axe-core', 'tsx', 'typescript', 'ioredis', 'rxjs'];
const IGNORED = ['node_modules', 'data', 'screens'];

const all = files();
const code = all.filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path));
const product = code.filter((path) => !path.startsWith('test/'));
const texts = all.filter((path) =>
  /\.(ts|tsx|mjs|cjs|json|ya?ml|md|html|css|svg)$|^\.[^/]+$|^\.ci\//.test(path),
);

function linesThat(match: RegExp, paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    textOf(path)
      .split('\n')
      .flatMap((line, index) =>
        match.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 100)}`] : [],
      ),
  );
}

describe('the repository', () => {
  it('has nothing at its top but the six folders and the few files that belong there', () => {
    const there = readdirSync(ROOT).filter((name) => !name.startsWith('.') && !/\.log$/.test(name));
    expect(there.filter((name) => ![...TOP, ...FOLDERS, ...IGNORED].includes(name))).to.deep.equal([]);
    expect(there).to.include.members([...TOP, ...FOLDERS]);
  });

  it('has no file in a folder that git ignores wherever it is', () => {
    const rules = textOf('.gitignore').split('\n');
    const folders = rules.filter((rule) => rule.endsWith('/') && !rule.startsWith('/'));
    expect(all.filter((path) => folders.some((folder) => `/${path}`.includes(`/${folder}`)))).to.deep.equal(
      [],
    );
  });

  it('has a README in every folder of the first two levels with code; all of test shares one', () => {
    const folders = new Set(
      product.flatMap((path) => {
        const parts = dirname(path).split('/');
        return [parts[0] ?? '', parts.slice(0, 2).join('/')];
      }),
    );
    const without = [...folders, 'test'].filter((folder) => !all.includes(`${folder}/README.md`));
    expect(without.sort()).to.deep.equal([]);
  });

  it('names each file with code in the README of its folder, where that has one', () => {
    // What these two are, plugins/README.md says once for all plugins.
    const ofPlugins = /^plugins\/[^/]+\/(index|schema)\.ts$/;
    const missing = product
      .filter((path) => all.includes(`${dirname(path)}/README.md`) && !ofPlugins.test(path))
      .filter((path) => {
        const stem = basename(path).replace(/\.\w+$/, '');
        const named = new RegExp(`(?<![\\w-])(${stem}|${stem.split('-')[0]}\\*)(?![\\w-])`);
        return !named.test(textOf(`${dirname(path)}/README.md`));
      });
    expect(missing).to.deep.equal([]);
  });

  it('has notes for the upgrade to its own version before those to older ones', () => {
    const [, notes = ''] = textOf('config/README.md').split('### Releases\n');
    const [newest] = [...notes.matchAll(/^#### (\d+\.\d+\.\d+)$/gm)].map(([, version]) => version);
    const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };
    expect(newest).to.equal(version);
  });

  it('has no package that is neither imported nor a program nor a peer of another', () => {
    const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
      'dependencies' | 'devDependencies',
      Readonly<Record<string, string>>
    >;
    const imported = new Set(code.flatMap((path) => importsOf(path).map(({ to }) => to)));
    const isUsed = (name: string) =>
      imported.has(name) || [...imported].some((to) => to.startsWith(`${name}/`));
    const unused = Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !(isUsed(name) || name.startsWith('@types/') || PROGRAMS_AND_PEERS.includes(name)),
    );
    expect(unused).to.deep.equal([]);
  });

  it('links from the README at the top to those of the folders, and no such link is broken', () => {
    const readmes = all.filter((path) => path.endsWith('.md'));
    const broken = readmes.flatMap((path) =>
      [...textOf(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map((match) => new URL(match[1] ?? '', `file:///${path}`).pathname.slice(1))
        .filter(
          (target) =>
            !all.some((file) => file === target || file.startsWith(`${target.replace(/\/$/, '')}/`)),
        )
        .map((target) => `${path} → ${target}`),
    );
    expect(broken).to.deep.equal([]);
    const top = textOf('README.md');
    for (const folder of FOLDERS) expect(top).to.include(`(${folder}/README.md)`);
  });

  it('has no link to a heading that is not there', () => {
    const pages = all.filter((path) => path.endsWith('.md'));
    const anchorsOf = (path: string) =>
      [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      );
    const broken = pages.flatMap((path) =>
      [...textOf(path).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
        .filter(([, page = '', anchor = '']) => {
          const target = page === '' ? path : posix.join(dirname(path), page);
          return target.endsWith('.md') && !anchorsOf(target).includes(anchor);
        })
        .map(([, page, anchor]) => `${path} → ${page}#${anchor}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('names files in kebab-case, and none with a general name such as utils', () => {
    const names = code.map((path) => basename(path).replace(/(\.test|\.d)?\.\w+$/, ''));
    expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).to.deep.equal([]);
    const vague = code.filter((path) => /(^|\/)(utils?|helpers?|common|misc|shared)(\/|\.|-|$)/.test(path));
    expect(vague).to.deep.equal([]);
  });

  it('has named exports only', () => {
    expect(linesThat(/^\s*export default\b|\bas default\b/, code)).to.deep.equal([]);
  });

  it('exports no value that no other file names', () => {
    const users = new Map<string, Set<string>>();
    for (const path of code)
      for (const [word] of textOf(path).matchAll(/[\w$]+/g))
        users.set(word, (users.get(word) ?? new Set()).add(path));
    const unused = product.flatMap((path) =>
      [...textOf(path).matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)]
        .map(([, name = '']) => name)
        .filter((name) => users.get(name)?.size === 1)
        .map((name) => `${path} ${name}`),
    );
    expect(unused).to.deep.equal([]);
  });

  it('imports TypeScript by the name of the file, so that it runs before and after the build', () => {
    const broken = code
      .filter((path) => path !== 'test/architecture/imports.test.ts')
      .flatMap((path) => importsOf(path))
      .filter((one) => one.isFile && !all.includes(one.to) && !one.to.startsWith('.build/'));
    expect(broken.map((one) => `${one.from}:${one.line} ${one.to}`)).to.deep.equal([]);
  });

  it('keeps files short', () => {
    const long = product.filter((path) => textOf(path).split('\n').length > 400);
    expect(long).to.deep.equal([]);
  });

  it('disables no check', () => {
    const off = ['@ts-' + '(ignore|expect-error|nocheck)', 'biome-' + 'ignore'];
    expect(
      linesThat(
        new RegExp(off.join('|')),
        code.filter((path) => !path.startsWith('test/architecture/')),
      ),
    ).to.deep.equal([]);
  });

  it('skips no test and runs none exclusively', () => {
    const tests = code.filter((path) => path.startsWith('test/') && !path.startsWith('test/architecture/'));
    expect(
      linesThat(/\b(it|describe)\.(skip|only)\(|\bthis\.skip\(|\bx(it|describe)\(/, tests),
    ).to.deep.equal([]);
  });

  it('names no path of a machine and no package registry', () => {
    const places = [
      '/home/',
      '/Users/',
      '/root/',
      '/work/',
      'C:\\\\Users',
      'regis' + 'try\\.[a-z0-9-]+\\.[a-z]{2,}',
      'npm' + 'js\\.',
    ];
    const match = new RegExp(places.map((place) => `(?<![\\w.)])${place}`).join('|'));
    expect(
      linesThat(
        match,
        texts.filter((path) => !path.startsWith('test/architecture/')),
      ),
    ).to.deep.equal([]);
  });

  it('locks every optional package of other platforms, or npm ci refuses to install there', () => {
    const lock = JSON.parse(textOf('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.values(lock.packages)
      .flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}))
      .filter((name) => !Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`)));
    expect(missing).to.deep.equal([]);
  });

  it('allows the install scripts it needs, and pins every version', () => {
    const { allowScripts, dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
      string,
      Record<string, unknown>
    >;
    expect(allowScripts).to.include({ sqlite3: true, esbuild: true });
    for (const version of Object.values({ ...dependencies, ...devDependencies }))
      expect(version).to.match(/^\d+\.\d+\.\d+$/);
  });
});
