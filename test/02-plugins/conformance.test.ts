import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { ServiceError } from '../../core/contract.ts';
import { type Facets, PHASES, type Plugin, type SurfaceName } from '../../plugins/contract.ts';
import { plugins } from '../../plugins/registry.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runPlugins, testContext, testServices } from '../support/gateway/plugin-services.ts';

const FOLDER = join(import.meta.dirname, '../../plugins');

/** What earlier plugins would have set. */
const GIVEN: Partial<Facets> = {
  requestId: 'request-1',
  body: undefined,
  project: {
    id: PROJECTS.open,
    facts: { id: PROJECTS.open, name: 'open', secureAccess: false, managementApi: true },
  },
  principal: { kind: 'anonymous' },
};

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Record<string, JsonSchema>;
  readonly additionalProperties?: unknown;
  readonly description?: string;
  readonly default?: unknown;
}

/** Every setting with its path, groups left out. */
function fieldsOf(schema: JsonSchema, path: string[] = []): { path: string[]; field: JsonSchema }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    field.properties ? fieldsOf(field, [...path, name]) : [{ path: [...path, name], field }],
  );
}

const jsonSchemaOf = (plugin: Plugin) => z.toJSONSchema(plugin.settings, { io: 'input' }) as JsonSchema;

describe('the registry', () => {
  it('holds every folder of plugins/ with an index.ts, under its name', () => {
    const folders = readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, 'index.ts')));
    expect(plugins.map(({ name }) => name)).to.have.members(folders);
  });

  it('is written in the order of the phases', () => {
    const phases = plugins.map(({ phase }) => PHASES.indexOf(phase));
    expect(phases).to.deep.equal([...phases].sort((a, b) => a - b));
  });
});

for (const plugin of plugins) {
  describe(`the plugin ${plugin.name}`, () => {
    it('has a folder with its settings and a page about it', () => {
      for (const file of ['index.ts', 'schema.ts', 'README.md']) {
        expect(existsSync(join(FOLDER, plugin.name, file)), file).to.equal(true);
      }
    });

    it('gives every setting a default and a description that ends a sentence', () => {
      expect(plugin.settings.safeParse({}).success).to.equal(true);
      for (const { path, field } of fieldsOf(jsonSchemaOf(plugin))) {
        expect(field, path.join('.')).to.have.property('default');
        expect(field.description, path.join('.')).to.match(/\.$/);
      }
    });

    it('refuses settings it does not know', () => {
      expect(plugin.settings.safeParse({ noSuchSetting: 1 }).success).to.equal(false);
    });

    it('names each setting in its README', () => {
      const text = readFileSync(join(FOLDER, plugin.name, 'README.md'), 'utf8');
      for (const { path } of fieldsOf(jsonSchemaOf(plugin))) expect(text).to.include(`\`${path.join('.')}\``);
    });

    it('is on at least one surface, each once', () => {
      expect(plugin.surfaces).to.have.lengthOf.above(0);
      expect(new Set(plugin.surfaces).size).to.equal(plugin.surfaces.length);
    });

    it('can be set up and disposed of twice and keeps nothing open', async () => {
      const { core, servicesFor } = testServices();
      // Whatever a library starts once for the whole process is running after the first round.
      for (let round = 0; round < 2; round += 1) await setUpAndDispose();
      await pause(20);
      const before = resources();
      await setUpAndDispose();
      await pause(20);
      for (const [kind, count] of Object.entries(resources())) {
        expect(count, kind).to.be.at.most(before[kind] ?? 0);
      }
      expect(core.listeners).to.equal(0);

      async function setUpAndDispose(): Promise<void> {
        const running = await plugin.setup(plugin.settings.parse({}), servicesFor(plugin.name));
        await running.dispose?.();
      }
    });

    it('passes on what is thrown behind it, or turns it into an answer', async () => {
      for (const surface of plugin.surfaces) {
        const thrown = new ServiceError('conflict', 'Thrown behind the plugin.');
        const { ctx, error, reached } = await run(plugin, surface, () => Promise.reject(thrown));
        if (!reached) continue;
        if (plugin.name === 'error-envelope') expect(ctx.status).to.equal(409);
        else expect(error, surface).to.equal(thrown);
      }
    });

    it('sets the facets it gives on each of its surfaces', async () => {
      for (const surface of plugin.surfaces) {
        const { ctx, error } = await run(plugin, surface, () => Promise.resolve());
        expect(error, surface).to.equal(undefined);
        for (const facet of plugin.gives) expect(ctx.state, surface).to.have.property(facet);
      }
    });

    it('answers, or calls the next one exactly once', async () => {
      for (const surface of plugin.surfaces) {
        const { ctx, reached } = await run(plugin, surface, () => Promise.resolve());
        expect(reached, surface).to.be.at.most(1);
        if (reached === 0) expect(ctx.status, surface).to.not.equal(404);
      }
    });
  });
}

async function run(plugin: Plugin, surface: SurfaceName, next: () => Promise<void>) {
  const { servicesFor } = testServices();
  const running = await plugin.setup(plugin.settings.parse({}), servicesFor(plugin.name));
  const given = Object.fromEntries(
    plugin.needs.filter((facet) => facet in GIVEN).map((facet) => [facet, GIVEN[facet]]),
  );
  const ctx = testContext(surface, given);
  let reached = 0;
  let error: unknown;
  try {
    await runPlugins([running], ctx, () => {
      reached += 1;
      return next();
    });
  } catch (thrown) {
    error = thrown;
  }
  await running.dispose?.();
  return { ctx, reached, error };
}

function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
