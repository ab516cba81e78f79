import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { z } from 'zod';
import { StartError } from '../../config/start-error.ts';
import { checkPlugin, loadPlugins } from '../../gateway/pipeline/load-plugins.ts';
import { buildPipeline } from '../../gateway/pipeline/pipeline.ts';
import { orderPlugins, type PipelineSettings } from '../../gateway/pipeline/plugin-order.ts';
import type { OwnPlugin, Plugin } from '../../plugins/contract.ts';
import { plugins } from '../../plugins/registry.ts';
import { testServices } from '../support/gateway/plugin-services.ts';
import { gives, needs, notPlugins, plain } from './fixtures/broken-plugins.ts';

const OWN = join(import.meta.dirname, 'fixtures/own');

function ordered(list: readonly Plugin[], settings: Partial<PipelineSettings> = {}) {
  return orderPlugins(list, { off: [], order: {}, surfaces: {}, ...settings });
}

function names(list: readonly Plugin[], settings: Partial<PipelineSettings> = {}): string[] {
  return ordered(list, settings).plugins.map(({ name }) => name);
}

function refusal(list: readonly Plugin[], settings: Partial<PipelineSettings> = {}): string {
  try {
    ordered(list, settings);
  } catch (error) {
    expect(error).to.be.instanceOf(StartError);
    return (error as StartError).message;
  }
  throw new Error('It was accepted.');
}

describe('the order of plugins', () => {
  it('is by phase, then as given', () => {
    const list = [plain('c', { phase: 'forward' }), plain('b'), plain('a'), plain('d', { phase: 'observe' })];
    expect(names(list)).to.deep.equal(['d', 'b', 'a', 'c']);
  });

  it('puts a plugin behind those it comes after and those whose facets it needs', () => {
    const list = [needs('a', 'answer'), plain('b', { after: ['c'] }), gives('c', 'answer')];
    expect(names(list)).to.deep.equal(['c', 'a', 'b']);
  });

  it('follows the operator inside a phase', () => {
    const list = [plain('a'), plain('b'), plain('c')];
    expect(names(list, { order: { edge: ['c', 'b'] } })).to.deep.equal(['c', 'b', 'a']);
  });

  it('omits plugins that are off, although others come after them', () => {
    expect(names([plain('a'), plain('b', { after: ['a'] })], { off: ['a'] })).to.deep.equal(['b']);
  });

  it('runs a plugin on the surfaces of the settings', () => {
    const { bySurface } = ordered([plain('a'), plain('b')], { surfaces: { a: ['docs'] } });
    expect(bySurface.delivery.map(({ name }) => name)).to.deep.equal(['b']);
    expect(bySurface.docs.map(({ name }) => name)).to.deep.equal(['a']);
  });

  it('of the built-in plugins is that of the registry', () => {
    expect(names(plugins)).to.deep.equal(plugins.map(({ name }) => name));
  });
});

describe('a contradiction between plugins is refused with one sentence', () => {
  const cases: { fault: string; list: Plugin[]; settings?: Partial<PipelineSettings>; message: string }[] = [
    {
      fault: 'two of one name',
      list: [plain('a'), plain('a')],
      message: "There are two plugins with the name 'a'.",
    },
    {
      fault: 'after a plugin that does not exist',
      list: [plain('a', { after: ['missing'] })],
      message: "The plugin 'a' comes after 'missing', which is no plugin.",
    },
    {
      fault: 'after a plugin of a later phase',
      list: [plain('a', { after: ['b'] }), plain('b', { phase: 'forward' })],
      message: "The plugin 'a' (phase edge) comes after 'b', whose phase forward is later.",
    },
    {
      fault: 'two that depend on each other',
      list: [plain('a', { after: ['b'] }), plain('b', { after: ['a'] })],
      message: "The plugins 'a', 'b' of the phase edge depend on each other.",
    },
    {
      fault: 'one that waits for itself',
      list: [plain('a', { after: ['a'] })],
      message: "The plugins 'a' of the phase edge depend on each other.",
    },
    {
      fault: 'a facet that no plugin gives',
      list: [needs('a', 'answer')],
      message: "The plugin 'a' needs 'answer' on the surface delivery, but no plugin that runs gives it.",
    },
    {
      fault: 'a facet whose plugin is off',
      list: [gives('b', 'answer'), needs('a', 'answer')],
      settings: { off: ['b'] },
      message: "The plugin 'a' needs 'answer' on the surface delivery, but no plugin that runs gives it.",
    },
    {
      fault: 'a facet given on another surface only',
      list: [gives('b', 'answer', { surfaces: ['docs'] }), needs('a', 'answer')],
      message:
        "The plugin 'a' needs 'answer' on the surface delivery, but 'b', which gives it, is not on that surface.",
    },
    {
      fault: 'a facet given in a later phase',
      list: [needs('a', 'answer'), gives('b', 'answer', { phase: 'admit' })],
      message: "The plugin 'a' needs 'answer' on the surface delivery, but 'b', which gives it, comes later.",
    },
    {
      fault: 'a facet given twice',
      list: [gives('a', 'answer'), gives('b', 'answer')],
      message: "The plugin 'b' gives 'answer' on the surface delivery, but 'a' gives it already.",
    },
    {
      fault: 'a facet that is the gateway’s own',
      list: [gives('a', 'client')],
      message: "The plugin 'a' gives 'client' on the surface delivery, but the gateway gives it already.",
    },
    {
      fault: 'an order that contradicts a plugin',
      list: [plain('a'), plain('b', { after: ['a'] })],
      settings: { order: { edge: ['b', 'a'] } },
      message: "pipeline.order.edge puts 'b' before 'a', but 'b' has to come after it.",
    },
    {
      fault: 'an order that names a plugin of another phase',
      list: [plain('a')],
      settings: { order: { admit: ['a'] } },
      message: "pipeline.order.admit names 'a', which belongs to the phase edge.",
    },
    {
      fault: 'auth switched off while core-proxy needs the principal',
      list: [...plugins],
      settings: { off: ['auth'] },
      message:
        "The plugin 'usage' needs 'principal' on the surface delivery, but 'session', which gives it, is not on that surface.",
    },
  ];
  for (const { fault, list, settings, message } of cases) {
    it(fault, () => expect(refusal(list, settings)).to.equal(message));
  }
});

describe('what is no plugin is refused by the loader', () => {
  for (const { fault, value, message } of notPlugins) {
    it(fault, () => expect(() => checkPlugin(value, './mine.js')).to.throw(StartError, message));
  }

  const modules: [string, string, RegExp][] = [
    ['a module that is not there', join(OWN, 'missing.mjs'), /missing\.mjs, which cannot be loaded: ENOENT/],
    [
      'a package that is not there',
      'no-such-package-anywhere',
      /cannot be loaded: Cannot find package 'no-such-package-anywhere' beside .*; a path begins with \.\/ or \/$/,
    ],
    ['a module that throws', join(OWN, 'throws-on-import.mjs'), /cannot be loaded: the kettle is empty/],
    [
      'a module without the constant',
      join(OWN, 'nothing-exported.mjs'),
      /does not export a constant with the name 'plugin'/,
    ],
  ];
  for (const [fault, module, message] of modules) {
    it(fault, async () => {
      const rejected: [string, string][] = [];
      const loaded = await loadPlugins([module, join(OWN, 'folder-plugin')], (...one) => rejected.push(one));
      expect(loaded.map(({ name }) => name)).to.deep.equal(['teapot']);
      expect(rejected).to.have.length(1);
      expect(rejected[0]?.[0]).to.equal(module);
      expect(rejected[0]?.[1]).to.match(message);
    });
  }

  it('a package beside the files is loaded, also one that exports to `import` alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-plugin-'));
    const main = { types: './index.d.ts', import: './made/index.js' };
    try {
      for (const [at, exports] of [main, { '.': main }, { './other': './other.js', '.': main }].entries()) {
        const name = `@example/teapot-${at}`;
        const place = join(folder, 'node_modules', name);
        mkdirSync(join(place, 'made'), { recursive: true });
        writeFileSync(join(place, 'package.json'), JSON.stringify({ name, type: 'module', exports }));
        writeFileSync(
          join(place, 'made/index.js'),
          `export const plugin = { name: 'teapot', phase: 'edge', surfaces: ['docs'],
            settings: (z) => z.strictObject({}), setup: () => ({ handle: (ctx, next) => next() }) };`,
        );
        const [plugin] = await loadPlugins([name], (_, rule) => expect.fail(rule), folder);
        expect(plugin?.name).to.equal('teapot');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('a module whose plugin has the name of another one', async () => {
    const module = join(OWN, 'folder-plugin');
    const rule = `names ${module}, but there is a plugin 'teapot': give it another name`;
    for (const [modules, others] of [
      [[module], [plain('teapot')]],
      [[module, module], []],
    ] as const) {
      const rejected: string[] = [];
      await loadPlugins(modules, (_, one) => rejected.push(one), undefined, others);
      expect(rejected).to.deep.equal([rule]);
    }
  });

  it('a plugin that is typed as one of the operator is checked by the type checker', async () => {
    const own: OwnPlugin<{ litres: number }> = {
      name: 'typed',
      phase: 'edge',
      surfaces: ['docs'],
      settings: (zod) => zod.strictObject({ litres: zod.number().default(1) }),
      setup: ({ litres }) => ({
        async handle(ctx, next) {
          ctx.set('x-litres', litres.toFixed());
          await next();
        },
      }),
    };
    expect(checkPlugin(own, './mine.js').settings.parse({})).to.deep.equal({ litres: 1 });
  });

  it('a module that is no JavaScript, with the command that shows the line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headwater-plugin-'));
    try {
      const module = join(folder, 'teapot.mjs');
      writeFileSync(module, "export const plugin = {\n  name: 'teapot',\n  phase 'edge',\n};\n");
      const rejected: string[] = [];
      await loadPlugins([module], (_, rule) => rejected.push(rule));
      expect(rejected).to.deep.equal([
        `names ${module}, which cannot be loaded: Unexpected string; 'node --check ${module}' may show the line`,
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const schemas: [string, unknown, string][] = [
    [
      'that cannot be made',
      () => {
        throw new Error('the kettle is empty');
      },
      'cannot be made: the kettle is empty',
    ],
    [
      'of a single value',
      (given: typeof z) => given.string(),
      'must be z.strictObject({…}), with a property',
    ],
    [
      'that take unknown keys',
      (given: typeof z) => given.strictObject({ pot: given.object({ litres: given.number() }) }),
      'must be z.strictObject({…}), which refuses unknown keys, at pot',
    ],
  ];
  for (const [fault, settings, message] of schemas) {
    it(`a plugin with settings ${fault}`, () => {
      const value = { name: 'a', phase: 'edge', surfaces: ['docs'], settings, setup() {} };
      expect(() => checkPlugin(value, './mine.js')).to.throw(StartError, `'settings' ${message}`);
    });
  }

  it('a folder with a good plugin is loaded, and what it omits is filled in', async () => {
    const [plugin] = await loadPlugins([join(OWN, 'folder-plugin')], () => {});
    expect(plugin).to.include({ name: 'teapot', phase: 'edge' });
    expect(plugin).to.deep.include({ after: [], needs: [], gives: [] });
  });
});

describe('a plugin that cannot be set up', () => {
  it('stops the start with its reason, and those before it are disposed of', async () => {
    const disposed: string[] = [];
    const good = (name: string) =>
      plain(name, {
        setup: () => ({
          handle: (_ctx, next) => next(),
          dispose: async () => {
            disposed.push(name);
          },
        }),
      });
    const bad = plain('bad', {
      setup: () => {
        throw new Error('the kettle is empty');
      },
    });
    const building = buildPipeline({
      plugins: [good('a'), good('b'), bad],
      pipeline: { off: [], order: {}, surfaces: {} },
      settings: {},
      parts: testServices().parts,
      resolve: () => {
        throw new Error('not reached');
      },
    });
    const error = await building.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(StartError);
    expect((error as StartError).message).to.equal("The plugin 'bad' does not start: the kettle is empty.");
    expect(disposed).to.deep.equal(['b', 'a']);
  });
});
