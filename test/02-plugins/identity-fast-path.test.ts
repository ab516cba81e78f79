import { expect } from 'chai';
import { ServiceError } from '../../core/contract.ts';
import { plugin as auth } from '../../plugins/auth/index.ts';
import type { Facets, GatewayContext, Plugin, PluginInstance, SurfaceName } from '../../plugins/contract.ts';
import { plugin as project } from '../../plugins/project/index.ts';
import { plugin as usage } from '../../plugins/usage/index.ts';
import { PROJECTS } from '../support/gateway/fake-core.ts';
import { runPlugins, testContext, testServices } from '../support/gateway/plugin-services.ts';

const { open, secured, unknown } = PROJECTS;
const PLUGINS: readonly Plugin[] = [project, auth, usage];
const KEYS = [
  undefined,
  'nonsense',
  ...['open', 'secured'].flatMap((name) =>
    ['delivery-primary', 'preview-primary', 'management'].map((kind) => `${name}-${kind}`),
  ),
  'revoked',
  'expired',
];
const PATHS: readonly [SurfaceName, string][] = [
  ...[open, secured, unknown].flatMap((id): [SurfaceName, string][] => [
    ['delivery', `/${id}/items`],
    ['preview', `/${id}/items`],
    ['manage', `/v2/projects/${id}/items`],
    ['assets', `/${id}/file/a.png`],
  ]),
  ['delivery', '/'],
  ['manage', '/v2/nothing'],
  ['admin', '/projects'],
];

/** `onRequest` alone, as on the fast path, and with `handle` behind it must agree. */
describe('the fast path of project, auth and usage', () => {
  let now = Date.parse('2026-06-01T00:00:00Z');
  let running: PluginInstance[];
  let core: ReturnType<typeof testServices>['core'];

  beforeEach(async () => {
    const clock = { now: () => new Date(now), monotonic: () => now };
    const test = testServices({ clock });
    core = test.core;
    const facts = { project: secured, kind: 'delivery-primary', user: null } as const;
    core.keys.set('revoked', { ...facts, id: 'revoked', expires: null, revoked: true });
    core.keys.set('expired', { ...facts, id: 'expired', expires: '2026-06-01T00:00:10Z', revoked: false });
    running = await Promise.all(
      PLUGINS.map((one) => one.setup(one.settings.parse({}), test.servicesFor(one.name))),
    );
  });
  afterEach(() => Promise.all(running.map((one) => one.dispose?.())));

  function exchange(surface: SurfaceName, path: string, key: string | undefined): GatewayContext {
    const place = { surface: { name: surface, path, query: '' } } as Partial<Facets>;
    const ctx = testContext(surface, place);
    delete ctx.req.headers.authorization;
    ctx.req.rawHeaders = [];
    if (key !== undefined) {
      ctx.req.headers.authorization = `Bearer ${key}`;
      ctx.req.rawHeaders = ['Authorization', `Bearer ${key}`];
    }
    return ctx;
  }

  /** `passed`, or the status of the refusal. */
  async function koaPath(ctx: GatewayContext): Promise<string> {
    try {
      await runPlugins(running, ctx);
      return 'passed';
    } catch (error) {
      return statusOf(error);
    }
  }

  /** The same, or `handle` where a plugin cannot decide synchronously. */
  function fastPath(ctx: GatewayContext): string {
    try {
      for (const { onRequest } of running) if (onRequest?.(ctx) !== 'next') return 'handle';
      return 'passed';
    } catch (error) {
      return statusOf(error);
    }
  }

  function statusOf(error: unknown): string {
    if (error instanceof ServiceError) return String(error.status);
    throw error;
  }

  it('calls nothing of core, and passes nothing that is not in memory', () => {
    for (const [surface, path] of PATHS) {
      for (const key of KEYS) expect(fastPath(exchange(surface, path, key))).to.not.equal('passed');
    }
    expect(core.lookups).to.deep.equal({ projects: 0, keys: 0 });
  });

  it('decides as the Koa path does once all is in memory, for the same caller', async () => {
    const passed = new Set<string>();
    for (const [surface, path] of PATHS) {
      for (const key of KEYS) {
        const first = exchange(surface, path, key);
        const viaKoa = await koaPath(first);
        const second = exchange(surface, path, key);
        const what = `${surface} ${path} ${key}`;
        if (surface === 'admin') {
          // Core checks the admin token, which may be another process.
          expect(fastPath(second), what).to.equal('handle');
          continue;
        }
        expect(fastPath(second), what).to.equal(viaKoa);
        expect(second.state.principal, what).to.deep.equal(first.state.principal);
        expect(second.state.project, what).to.deep.equal(first.state.project);
        if (viaKoa === 'passed') passed.add(surface);
      }
    }
    expect([...passed]).to.have.members(['delivery', 'preview', 'manage', 'assets']);
  });

  it('refuses a cached key once it has expired', async () => {
    const ask = () => exchange('delivery', `/${secured}/items`, 'expired');
    expect(await koaPath(ask())).to.equal('passed');
    now += 9999;
    expect(fastPath(ask())).to.equal('passed');
    now += 1;
    expect(fastPath(ask())).to.equal('401');
    expect(await koaPath(ask())).to.equal('401');
    expect(core.lookups.keys).to.equal(1);
    now -= 10_000;
  });

  it('refuses several Authorization headers, and takes the Koa path after any change of the key', async () => {
    const ask = () => exchange('preview', `/${open}/items`, 'open-preview-primary');
    // The first change brings the epoch.
    core.emit({ project: open, tags: [] });
    await koaPath(ask());
    expect(fastPath(ask())).to.equal('passed');
    const twice = ask();
    twice.req.rawHeaders = [...twice.req.rawHeaders, 'authorization', 'Bearer x'];
    expect(fastPath(twice)).to.equal('401');
    expect(await koaPath(twice)).to.equal('401');
    core.emit({ project: open, tags: ['item:x'] });
    expect(fastPath(ask())).to.equal('passed');
    core.emit({ project: open, tags: ['key:id-open-preview-primary'] });
    expect(fastPath(ask())).to.equal('handle');
    await koaPath(ask());
    core.emit({ project: open, tags: [`project:${open}`] });
    expect(fastPath(ask())).to.equal('handle');
  });

  it('refuses when a quota is used up', async () => {
    core.quotaStates = [
      { surface: 'delivery', period: 'day', limit: 1, used: 1, ends: '2026-06-02T00:00:00Z' },
    ];
    expect(await koaPath(exchange('delivery', `/${open}/items`, undefined))).to.equal('429');
    expect(fastPath(exchange('delivery', `/${open}/items`, undefined))).to.equal('429');
    expect(await koaPath(exchange('assets', `/${open}/file/a.png`, undefined))).to.equal('passed');
    expect(fastPath(exchange('assets', `/${open}/file/a.png`, undefined))).to.equal('passed');
  });
});
