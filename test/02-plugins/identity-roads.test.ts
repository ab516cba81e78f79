import { expect } from 'chai';
import { ServiceError } from '../../core/contract.ts';
import { plugin as auth } from '../../plugins/auth/index.ts';
import type { Facets, GatewayContext, Plugin, Running, SurfaceName } from '../../plugins/contract.ts';
import { plugin as project } from '../../plugins/project/index.ts';
import { plugin as usage } from '../../plugins/usage/index.ts';
import { PROJECTS } from '../support/fake-core.ts';
import { testContext, testKit } from '../support/plugin-services.ts';

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

/** Both roads of the plugins that say who calls and whether: they must agree. */
describe('the express lane of project, auth and usage', () => {
  let now = Date.parse('2026-06-01T00:00:00Z');
  let running: Running[];
  let core: ReturnType<typeof testKit>['core'];

  beforeEach(async () => {
    const clock = { now: () => new Date(now), monotonic: () => now };
    const test = testKit({ clock });
    core = test.core;
    const facts = { project: secured, kind: 'delivery-primary', user: null } as const;
    core.keys.set('revoked', { ...facts, id: 'revoked', expires: null, revoked: true });
    core.keys.set('expired', { ...facts, id: 'expired', expires: '2026-06-01T00:00:10Z', revoked: false });
    running = await Promise.all(PLUGINS.map((one) => one.setup(one.settings.parse({}), test.kit(one.name))));
  });
  afterEach(() => Promise.all(running.map((one) => one.dispose?.())));

  function visit(surface: SurfaceName, path: string, key: string | undefined): GatewayContext {
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
  async function wholeRoad(ctx: GatewayContext): Promise<string> {
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

  function express(ctx: GatewayContext): string {
    const { req, res, state } = ctx;
    for (const one of running) {
      const step = one.express?.enter({ req, res, state, headers: [] });
      if (step !== 'next') return String(step);
    }
    return 'passed';
  }

  it('asks nobody: what is not in memory takes the whole road', () => {
    for (const [surface, path] of PATHS) {
      for (const key of KEYS) expect(express(visit(surface, path, key))).to.equal('whole-road');
    }
    expect(core.lookups).to.deep.equal({ projects: 0, keys: 0 });
  });

  it('passes what the whole road passes, as the same caller, and nothing else', async () => {
    const passed = new Set<string>();
    for (const [surface, path] of PATHS) {
      for (const key of KEYS) {
        const first = visit(surface, path, key);
        const whole = await wholeRoad(first);
        const second = visit(surface, path, key);
        const lane = express(second);
        const what = `${surface} ${path} ${key}`;
        if (lane !== 'passed') {
          expect(lane, what).to.equal('whole-road');
          // The admin surface has no lane; everything else that is good has.
          if (surface !== 'admin') expect(whole, what).to.not.equal('passed');
          continue;
        }
        expect(whole, what).to.equal('passed');
        expect(second.state.principal, what).to.deep.equal(first.state.principal);
        expect(second.state.project, what).to.deep.equal(first.state.project);
        passed.add(surface);
      }
    }
    expect([...passed]).to.have.members(['delivery', 'preview', 'manage', 'assets']);
  });

  it('lets a key go when its time is over, although it is remembered', async () => {
    const ask = () => visit('delivery', `/${secured}/items`, 'expired');
    expect(await wholeRoad(ask())).to.equal('passed');
    now += 9999;
    expect(express(ask())).to.equal('passed');
    now += 1;
    expect(express(ask())).to.equal('whole-road');
    expect(await wholeRoad(ask())).to.equal('401');
    expect(core.lookups.keys).to.equal(1);
    now -= 10_000;
  });

  it('takes the whole road with several Authorization headers, and after any change of the key', async () => {
    const ask = () => visit('preview', `/${open}/items`, 'open-preview-primary');
    // The first change there is tells the epoch.
    core.emit({ project: open, tags: [] });
    await wholeRoad(ask());
    expect(express(ask())).to.equal('passed');
    const twice = ask();
    twice.req.rawHeaders = [...twice.req.rawHeaders, 'authorization', 'Bearer x'];
    expect(express(twice)).to.equal('whole-road');
    expect(await wholeRoad(twice)).to.equal('401');
    core.emit({ project: open, tags: ['item:x'] });
    expect(express(ask())).to.equal('passed');
    core.emit({ project: open, tags: ['key:id-open-preview-primary'] });
    expect(express(ask())).to.equal('whole-road');
    await wholeRoad(ask());
    core.emit({ project: open, tags: [`project:${open}`] });
    expect(express(ask())).to.equal('whole-road');
  });

  it('takes the whole road when a quota is used up', async () => {
    core.quotaStates = [
      { surface: 'delivery', period: 'day', limit: 1, used: 1, ends: '2026-06-02T00:00:00Z' },
    ];
    expect(await wholeRoad(visit('delivery', `/${open}/items`, undefined))).to.equal('429');
    expect(express(visit('delivery', `/${open}/items`, undefined))).to.equal('whole-road');
    expect(await wholeRoad(visit('assets', `/${open}/file/a.png`, undefined))).to.equal('passed');
    expect(express(visit('assets', `/${open}/file/a.png`, undefined))).to.equal('passed');
  });
});
