import { expect } from 'chai';
import { CORE_LAYERS } from './core-layers.ts';
import { GATEWAY_LAYERS } from './gateway-layers.ts';
import { files, type Import, importsOf, textOf } from './repository-files.ts';

const LAYERS = ['gateway', 'plugins', 'core', 'workers', 'config'] as const;
type Layer = (typeof LAYERS)[number];

/** What a layer may import beside itself: config by all, else only lower layers. */
const BELOW: Readonly<Record<Layer, readonly Layer[]>> = {
  gateway: ['plugins', 'core', 'workers', 'config'],
  plugins: ['core', 'config'],
  core: ['workers', 'config'],
  workers: ['config'],
  config: [],
};

/** Composition roots: they put the layers together, so they may see how core is made. */
const ROOTS = /^gateway\/(roles|cli)\//;

/** Packages that only certain folders may import. */
const OWNED_PACKAGES: Readonly<Record<string, RegExp>> = {
  koa: /^(gateway|plugins|core\/remote\/server)\//,
  '@koa/router': /^core\/(http|remote\/server)\//,
  undici: /^core\/remote\/client\//,
  'prom-client': /^(gateway|plugins)\//,
  pino: /^(gateway|plugins)\//,
  got: /^core\/webhooks\//,
  selfsigned: /^gateway\//,
  sharp: /^workers\/images\//,
  piscina: /^workers\/host\//,
  sqlite3: /^(core\/storage\/|gateway\/cli\/)/,
  knex: /^core\/storage\//,
  pg: /^core\/storage\/postgres\//,
  htmlparser2: /^core\/model\/rich-text\//,
  'jsonc-parser': /^core\/json-body\//,
  yaml: /^(config|core\/sample)\//,
};

/** The browser's code of the console: it imports itself, and these packages. */
const BROWSER = /^plugins\/console\/app\//;
const BROWSER_PACKAGES =
  /^(preact|@preact\/signals|@tanstack\/preact-query|wouter-preact|prosemirror-[a-z]+|idb-keyval|diff)(\/|$)/;

/** The composition of core. */
const COMPOSITION = /^core\/compose\//;

const sources = files().filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path) && layerOf(path));
const imports = sources.flatMap((path) => importsOf(path));
const ownImports = imports.filter((one) => one.isFile && !one.to.startsWith('.build/'));

function layerOf(path: string): Layer | undefined {
  return LAYERS.find((layer) => path.startsWith(`${layer}/`));
}

/** `plugins/cors/schema.ts` → `cors`; undefined for what plugins share: a folder of a plugin has an `index.ts`. */
function pluginOf(path: string): string | undefined {
  const name = /^plugins\/([^/]+)\//.exec(path)?.[1];
  return sources.includes(`plugins/${name}/index.ts`) ? name : undefined;
}

function wrong(broken: (one: Import) => boolean, among: readonly Import[] = ownImports): string[] {
  return among.filter(broken).map((one) => `${one.from}:${one.line} imports ${one.to}`);
}

describe('imports', () => {
  it('of the code for browsers are its own files and the packages named for it, and no other code imports it', () => {
    expect(imports.some(({ from }) => BROWSER.test(from))).to.equal(true);
    expect(
      wrong(
        ({ from, to, isFile }) =>
          BROWSER.test(from) !== (isFile ? BROWSER.test(to) : BROWSER_PACKAGES.test(to)) &&
          (BROWSER.test(from) || BROWSER.test(to) || BROWSER_PACKAGES.test(to)),
        imports,
      ),
    ).to.deep.equal([]);
  });

  it('are found in every layer', () => {
    for (const layer of ['gateway', 'plugins', 'core', 'config']) {
      expect(ownImports.some((one) => one.from.startsWith(`${layer}/`))).to.equal(true, layer);
    }
  });

  it('are read in all their forms, and not out of comments', () => {
    const source = [
      "import a from './a.ts';",
      "import type { B } from '../b.ts';",
      "import {\n  c,\n  type D,\n} from 'c/deep';",
      "export * from './e.ts';",
      "export { f } from './f.ts'; import './g.ts';",
      "const h = await import('./h.ts'); require('i');",
      "// import x from './x.ts'\n/* import('./y.ts') */",
      "const url = 'https://z.example'; import { j } from '@scope/j/k';",
    ].join('\n');
    const found = importsOf('core/here/x.ts', source).map((one) => one.to);
    expect(found).to.have.members([
      'core/here/a.ts',
      'core/b.ts',
      'c',
      'core/here/e.ts',
      'core/here/f.ts',
      'core/here/g.ts',
      'core/here/h.ts',
      'i',
      '@scope/j',
    ]);
    expect(importsOf('core/here/x.ts', source)[2]).to.include({ line: 3, typeOnly: false });
  });

  it('go one way: gateway → plugins → core → workers, and config imports no other layer', () => {
    const broken = wrong(({ from, to }) => {
      const layer = layerOf(from);
      const target = layerOf(to);
      return !layer || !target || (layer !== target && !BELOW[layer].includes(target));
    });
    expect(broken).to.deep.equal([]);
  });

  it('reach only the contract of core, except from the composition roots', () => {
    const broken = wrong(
      ({ from, to }) =>
        !from.startsWith('core/') && !ROOTS.test(from) && to.startsWith('core/') && to !== 'core/contract.ts',
    );
    expect(broken).to.deep.equal([]);
  });

  it('reach the workers from core and the composition roots only', () => {
    const broken = wrong(
      ({ from, to }) => from.startsWith('gateway/') && !ROOTS.test(from) && to.startsWith('workers/'),
    );
    expect(broken).to.deep.equal([]);
  });

  it('never lead from one plugin to another', () => {
    const broken = wrong(({ from, to }) => {
      const target = pluginOf(to);
      return (
        from.startsWith('plugins/') &&
        from !== 'plugins/registry.ts' &&
        target !== undefined &&
        pluginOf(from) !== target
      );
    });
    expect(broken).to.deep.equal([]);
  });

  it('are in folders by subject: plugins has its contract and its registry at the root, nothing else', () => {
    const atRoot = sources.filter((path) => /^plugins\/[^/]+$/.test(path));
    expect(atRoot).to.have.members(['plugins/contract.ts', 'plugins/registry.ts']);
  });

  it('reach no plugin from the gateway but through the registry', () => {
    const broken = wrong(({ from, to }) => from.startsWith('gateway/') && pluginOf(to) !== undefined);
    expect(broken).to.deep.equal([]);
  });

  it('keep the wire shapes of delivery and management inside their folders', () => {
    const wire = /^core\/(delivery|management)\//;
    const broken = wrong(({ from, to }) => {
      const folder = wire.exec(to)?.[0];
      return folder !== undefined && !from.startsWith(folder) && !COMPOSITION.test(from);
    });
    expect(broken).to.deep.equal([]);
  });

  it('never lead from one surface of core to another', () => {
    const surfaceOf = (path: string) => /^core\/(files|delivery|management|admin|console)\//.exec(path)?.[1];
    const broken = wrong(
      ({ from, to }) =>
        surfaceOf(from) !== undefined && surfaceOf(to) !== undefined && surfaceOf(from) !== surfaceOf(to),
    );
    expect(broken).to.deep.equal([]);
  });

  it('keep a database adapter behind its port', () => {
    const broken = wrong(
      ({ from, to }) =>
        /^core\/storage\/(sqlite|postgres)\//.test(to) &&
        !from.startsWith('core/storage/') &&
        !COMPOSITION.test(from),
    );
    expect(broken).to.deep.equal([]);
  });

  it('leave each library to the folders that own it', () => {
    const broken = wrong(
      ({ from, to }) => OWNED_PACKAGES[to] !== undefined && !OWNED_PACKAGES[to].test(from),
      imports.filter((one) => !one.isFile),
    );
    expect(broken).to.deep.equal([]);
  });

  it('have no cycle, types and dynamic imports included', () => {
    expect(cycles(ownImports)).to.deep.equal([]);
  });
});

for (const [folder, order] of Object.entries<readonly string[]>({
  core: CORE_LAYERS,
  gateway: GATEWAY_LAYERS,
})) {
  describe(`the layers of ${folder}`, () => {
    const isInside = (path: string) => path.startsWith(`${folder}/`);
    /** `core/storage/sqlite/migrate.ts` → `storage`. */
    const layerInside = (path: string) => path.split('/')[1] ?? '';

    it('are all of its folders and the files at its root', () => {
      const found = new Set(sources.filter(isInside).map(layerInside));
      expect([...found].sort()).to.deep.equal([...order].sort());
    });

    if (folder === 'core')
      it('are all in the table of its README', () => {
        const table = textOf('core/README.md').split('## One publish')[0] ?? '';
        const isNamed = (layer: string) => table.includes(`[${layer}](`) || table.includes(`\`${layer}\``);
        expect(order.filter((layer) => !isNamed(layer))).to.deep.equal([]);
      });

    it('import downwards only, types included', () => {
      const upwards = wrong(
        ({ from, to }) => order.indexOf(layerInside(to)) > order.indexOf(layerInside(from)),
        ownImports.filter(({ from, to }) => isInside(from) && isInside(to)),
      );
      const allowed = `Imports go from right to left: ${order.join(' · ')}`;
      expect(upwards, allowed).to.deep.equal([]);
    });
  });
}

/** Cycles of files. */
function cycles(edges: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return found;
}
