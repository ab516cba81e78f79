import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import { Registry } from 'prom-client';
import { chain } from '../../../gateway/pipeline/chain.ts';
import {
  makeMetrics,
  makePluginServices,
  randomIds,
  type SharedServices,
  systemClock,
} from '../../../gateway/pipeline/plugin-services.ts';
import { newOutcome } from '../../../gateway/pipeline/request-state.ts';
import type {
  Facets,
  GatewayContext,
  PluginInstance,
  PluginServices,
  SurfaceName,
} from '../../../plugins/contract.ts';
import { SURFACES } from '../../../plugins/contract.ts';
import { AttemptCounter } from '../../../plugins/counters/failed-attempts.ts';
import { ADMIN_TOKEN, type FakeCore, fakeCore, PROJECTS } from './fake-core.ts';
import { type LogLine, memoryLog } from './run-gateway.ts';

export interface TestServices {
  readonly core: FakeCore;
  readonly lines: LogLine[];
  readonly parts: SharedServices;
  servicesFor(plugin: string): PluginServices;
}

export function testServices(more: Partial<SharedServices> = {}): TestServices {
  const core = fakeCore();
  const lines: LogLine[] = [];
  const registry = new Registry();
  const clock = more.clock ?? systemClock;
  const log = memoryLog(lines);
  const parts: SharedServices = {
    core,
    clock,
    ids: randomIds,
    process: { role: 'all', instance: 'test', version: '0.0.0', started: '2026-01-01T00:00:00.000Z' },
    vendor: { header: ['SVC', 'KC'], mediaType: 'service' },
    registry,
    failedAttempts: new AttemptCounter({ clock, log: log('auth'), metrics: makeMetrics('auth', registry) }),
    states: new Map(),
    logFor: log,
    report: () => core.health(),
    ...more,
  };
  return { core, lines, parts, servicesFor: (plugin) => makePluginServices(plugin, parts) };
}

/** A path that exists on the surface, and the key that opens it. */
export function validRequest(surface: SurfaceName): { readonly path: string; readonly key?: string } {
  const { open } = PROJECTS;
  switch (surface) {
    case 'delivery':
      return { path: `/${open}/items` };
    case 'preview':
      return { path: `/${open}/items`, key: 'open-preview-primary' };
    case 'manage':
      return { path: `/v2/projects/${open}/items`, key: 'open-management' };
    case 'assets':
      return { path: `/${open}/file/image.png` };
    case 'admin':
      return { path: '/projects', key: ADMIN_TOKEN };
    case 'health':
      return { path: '/live' };
    default:
      return { path: '/' };
  }
}

/** A Koa context in memory, with the facets that the gateway and `given` provide. */
export function testContext(surface: SurfaceName, given: Partial<Facets> = {}): GatewayContext {
  const { path, key } = validRequest(surface);
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  request.url = path;
  request.httpVersion = '1.1';
  request.httpVersionMajor = 1;
  request.headers = { host: 'localhost', ...(key && { authorization: `bearer ${key}` }) };
  request.rawHeaders = ['host', 'localhost'];
  const app = new Koa();
  const response = new ServerResponse(request);
  // Koa's status before a handler responds.
  response.statusCode = 404;
  const ctx = app.createContext(request, response) as unknown as GatewayContext;
  const bases = Object.fromEntries(SURFACES.map((name) => [name, `http://localhost/${name}`]));
  Object.assign(ctx.state, {
    surface: { name: surface, path, query: '' },
    client: { address: '127.0.0.1', loopback: true, viaTrustedProxy: false, scheme: 'http' },
    bases,
    outcome: newOutcome(0),
    ...given,
  });
  return ctx;
}

/** Runs plugins one after the other, without the fast path. */
export function runPlugins(
  instances: readonly PluginInstance[],
  ctx: GatewayContext,
  next: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  return chain(instances, next)(ctx);
}
