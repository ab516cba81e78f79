import { expect } from 'chai';
import { ServiceError } from '../../core/contract.ts';
import { plugin as auth } from '../../plugins/auth/index.ts';
import type { Facets, GatewayContext, Plugin, PluginInstance, SurfaceName } from '../../plugins/contract.ts';
import { plugin as project } from '../../plugins/project/index.ts';
import { plugin as usage } from '../../plugins/usage/index.ts';
import { PROJECTS } from '../support/fake-core.ts';
import { testContext, testServices } from '../support/plugin-services.ts';

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

/** Fast path and `handle` of the plugins that authenticate must agree. */
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
    let at = 0;
    const next = async (): Promise<void> => {
      const one = running[at];
      at += 1;
      await one?.handle(ctx, next);
    };
    try {
      await next();
      return 'passed';
    } catch (error) {
      if (error instanceof ServiceError) return String(error.status);
      throw error;
    }
  }

  function fastPath(ctx: GatewayContext): string {
    const { req, res, state } = ctx;
    for (const one of running) {
      const step = one.fastPath?.handle({ req, res, state, headers: [] });
      if (step !== 'next') return String(step);
    }
    return 'passed';
  }

  it('asks nobody: what is not in memory takes the Koa path', () => {
    for (const [surface, path] of PATHS) {
      for (const key of KEYS) expect(fastPath(exchange(surface, path, key))).to.equal('fallback');
    }
    expect(core.lookups).to.deep.equal({ projects: 0, keys: 0 });
  });

  it('passes what the Koa path passes, as the same caller, and nothing else', async () => {
    const passed = new Set<string>();
    for (const [surface, path] of PATHS) {
      for (const key of KEYS) {
        const first = exchange(surface, path, key);
        const viaKoa = await koaPath(first);
        const second = exchange(surface, path, key);
        const step = fastPath(second);
        const what = `${surface} ${path} ${key}`;
        if (step !== 'passed') {
          expect(step, what).to.equal('fallback');
          // The admin surface has no fast path; everything else that is good has.
          if (surface !== 'admin') expect(viaKoa, what).to.not.equal('passed');
          continue;
        }
        expect(viaKoa, what).to.equal('passed');
        expect(second.state.principal, what).to.deep.equal(first.state.principal);
        expect(second.state.project, what).to.deep.equal(first.state.project);
        passed.add(surface);
      }
    }
    expect([...passed]).to.have.members(['delivery', 'preview', 'manage', 'assets']);
  });

  it('lets a key go when its time is over, although it is remembered', async () => {
    const ask = () => exchange('delivery', `/${secured}/items`, 'expired');
    expect(await koaPath(ask())).to.equal('passed');
    now += 9999;
    expect(fastPath(ask())).to.equal('passed');
    now += 1;
    expect(fastPath(ask())).to.equal('fallback');
    expect(await koaPath(ask())).to.equal('401');
    expect(core.lookups.keys).to.equal(1);
    now -= 10_000;
  });

  it('takes the Koa path with several Authorization headers, and after any change of the key', async () => {
    const ask = () => exchange('preview', `/${open}/items`, 'open-preview-primary');
    // The first change there is tells the epoch.
    core.emit({ project: open, tags: [] });
    await koaPath(ask());
    expect(fastPath(ask())).to.equal('passed');
    const twice = ask();
    twice.req.rawHeaders = [...twice.req.rawHeaders, 'authorization', 'Bearer x'];
    expect(fastPath(twice)).to.equal('fallback');
    expect(await koaPath(twice)).to.equal('401');
    core.emit({ project: open, tags: ['item:x'] });
    expect(fastPath(ask())).to.equal('passed');
    core.emit({ project: open, tags: ['key:id-open-preview-primary'] });
    expect(fastPath(ask())).to.equal('fallback');
    await koaPath(ask());
    core.emit({ project: open, tags: [`project:${open}`] });
    expect(fastPath(ask())).to.equal('fallback');
  });

  it('takes the Koa path when a quota is used up', async () => {
    core.quotaStates = [
      { surface: 'delivery', period: 'day', limit: 1, used: 1, ends: '2026-06-02T00:00:00Z' },
    ];
    expect(await koaPath(exchange('delivery', `/${open}/items`, undefined))).to.equal('429');
    expect(fastPath(exchange('delivery', `/${open}/items`, undefined))).to.equal('fallback');
    expect(await koaPath(exchange('assets', `/${open}/file/a.png`, undefined))).to.equal('passed');
    expect(fastPath(exchange('assets', `/${open}/file/a.png`, undefined))).to.equal('passed');
  });
});
