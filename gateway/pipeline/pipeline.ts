import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http';
import { Readable } from 'node:stream';
import Koa from 'koa';
import { StartError } from '../../config/start-error.ts';
import { type HealthReport, ServiceError } from '../../core/contract.ts';
import { sendPieces } from '../../plugins/caching/pieces.ts';
import {
  type Exchange,
  type GatewayContext,
  type Plugin,
  type PluginInstance,
  type RecentRequest,
  SURFACES,
} from '../../plugins/contract.ts';
import { answerError } from '../../plugins/http/answer-error.ts';
import { closable, isClosed } from '../../plugins/http/client-disconnect.ts';
import { toServiceError } from '../../plugins/http/error-body.ts';
import { requestLogFields } from '../../plugins/http/request-log-fields.ts';
import { endUnreadBody, mayHaveBody } from '../../plugins/http/unread-body.ts';
import { wholeRequest, wholeResponse } from '../listeners/http2-messages.ts';
import type { ResolvedRequest } from '../request/resolve-request.ts';
import { type Chain, chain } from './chain.ts';
import { FastExchange, type FastPath, fastPathOf, isFastPathRequest } from './fast-path.ts';
import { dispose, healthOf, setUp } from './plugin-lifecycle.ts';
import { orderPlugins, type PipelineSettings } from './plugin-order.ts';
import { makePluginServices, type SharedServices } from './plugin-services.ts';
import { refuseUnknownHosts } from './refuse-unknown-hosts.ts';
import { complete, newState } from './request-state.ts';

export interface PipelineOptions {
  /** Built-in plugins in the order of the registry, then the operator's own. */
  readonly plugins: readonly Plugin[];
  readonly pipeline: PipelineSettings;
  /** Validated settings by plugin name. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly parts: Omit<SharedServices, 'report' | 'whenActive'>;
  readonly resolve: (request: IncomingMessage) => ResolvedRequest;
  /** The gateway's own part of the health report, by name. */
  readonly health?: () => Promise<HealthReport['parts']>;
}

export interface Pipeline {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Names of the plugins a request passes, by surface. */
  readonly order: Readonly<Record<string, readonly string[]>>;
  report(): Promise<HealthReport>;
  /** What plugins have kept of the last requests, from a time on. */
  requests(after: string | null): readonly RecentRequest[];
  /** Makes it the current one; the pipeline before it may still have requests. */
  activate(): void;
  /** From now on the service reports that it is not ready. */
  stopping(): void;
  dispose(): Promise<void>;
}

/**
 * Sets the plugins up and makes one flat list of handlers for each surface. If one plugin cannot be set up, those
 * before it are disposed of.
 *
 * @throws StartError
 */
export async function buildPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { plugins, bySurface } = orderPlugins(options.plugins, options.pipeline);
  const log = options.parts.logFor('gateway');
  const { instance, version } = options.parts.process;
  const running = new Map<Plugin, PluginInstance>();
  let isStopping = false;
  let activations: (() => void)[] | undefined = [];
  const whenActive = (act: () => void) => (activations === undefined ? act() : void activations.push(act));

  async function report(): Promise<HealthReport> {
    const own: Record<string, HealthReport['parts'][string]> = {
      gateway: {
        ok: !isStopping,
        detail: `${instance}, version ${version}${isStopping ? ', stopping' : ''}`,
      },
      ...(await options.health?.()),
    };
    const core = await options.parts.core.health();
    const reported = await Promise.all(
      [...running].map(async ([{ name }, plugin]) => ({ name, health: await healthOf(plugin) })),
    );
    for (const { name, health } of reported) if (health !== undefined) own[name] = health;
    // Core decides which of its parts it needs: it stays ready without image workers.
    return { ok: core.ok && Object.values(own).every(({ ok }) => ok), parts: { ...own, ...core.parts } };
  }

  function callAll(hook: 'activate' | 'stopping'): void {
    for (const [{ name }, plugin] of running) {
      const failed = (error: unknown) => log.error({ plugin: name, error }, `A plugin failed in ${hook}.`);
      try {
        handleRejection(plugin[hook]?.(), failed);
      } catch (error) {
        failed(error);
      }
    }
  }

  async function disposeAll(): Promise<void> {
    for (const [{ name }, plugin] of [...running].reverse()) {
      try {
        await dispose(plugin);
      } catch (error) {
        log.error({ plugin: name, error }, 'A plugin could not be disposed of.');
      }
    }
    running.clear();
  }

  for (const plugin of plugins) {
    try {
      const services = makePluginServices(plugin.name, { ...options.parts, report, whenActive });
      running.set(plugin, await setUp(plugin, options.settings[plugin.name], services));
    } catch (cause) {
      await disposeAll();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new StartError(`The plugin '${plugin.name}' does not start: ${reason.replace(/\.?$/, '.')}`, {
        cause,
      });
    }
  }

  const surfaces = new Map<string, SurfaceStages>();
  for (const surface of [...SURFACES, 'none'] as const) {
    const instances = (list: readonly Plugin[]) => list.map((plugin) => running.get(plugin)!);
    const passed = bySurface[surface];
    // The host is checked after the phase `observe`, so that a refusal has its body, its id and its line in the log.
    const stages = [
      ...instances(passed.filter(({ phase }) => phase === 'observe')),
      refuseUnknownHosts,
      ...instances(passed.filter(({ phase }) => phase !== 'observe')),
    ];
    surfaces.set(surface, {
      chain: chain(stages, noSuchResource),
      fastPath: fastPathOf(stages),
      observers: passed.flatMap((plugin) => {
        const instance = running.get(plugin)!;
        const { name } = plugin;
        return instance.onResponse ? [{ name, onResponse: instance.onResponse.bind(instance) }] : [];
      }),
    });
  }
  return {
    handle: requestHandler(options, surfaces),
    order: Object.fromEntries(
      Object.entries(bySurface).map(([surface, list]) => [surface, list.map(({ name }) => name)]),
    ),
    report,
    requests: (after) => [...running.values()].flatMap((plugin) => plugin.recentRequests?.(after) ?? []),
    activate: () => {
      for (const act of activations ?? []) act();
      activations = undefined;
      callAll('activate');
    },
    stopping: () => {
      isStopping = true;
      callAll('stopping');
    },
    dispose: disposeAll,
  };
}

interface Observer {
  /** Of the plugin. */
  readonly name: string;
  readonly onResponse: (exchange: Exchange) => unknown;
}

interface SurfaceStages {
  readonly chain: Chain;
  readonly fastPath: FastPath;
  readonly observers: readonly Observer[];
}

/** The fast path for requests that can take it, then Koa from where it stopped; then the observers. */
function requestHandler(
  { parts, resolve }: PipelineOptions,
  surfaces: ReadonlyMap<string, SurfaceStages>,
): Pipeline['handle'] {
  const log = parts.logFor('gateway');
  const { clock } = parts;
  /** Koa makes its context itself and runs the first middleware synchronously: this passes it state and progress. */
  let state: GatewayContext['state'];
  let fast: FastExchange | undefined;
  const app = new Koa<GatewayContext['state'], object>();
  app.use(async (ctx: GatewayContext) => {
    ctx.state = state;
    const { chain: run, observers } = surfaces.get(state.surface.name)!;
    if (observers.length > 0) closable(ctx.res).once('close', () => notify(observers, ctx));
    const headers = fast?.fastHeaders ?? [];
    try {
      for (let at = 0; at < headers.length; at += 2) {
        // Responses of HTTP/2 accept line breaks.
        validateHeaderValue(headers[at]!, headers[at + 1]!);
        ctx.res.setHeader(headers[at]!, headers[at + 1]!);
      }
      await run(ctx, fast);
      if (isClosed(ctx.res)) leave(ctx);
      else sendPieces(ctx);
    } catch (thrown) {
      // An error outside the error envelope has the documented body as well.
      log.error({ ...requestLogFields(ctx.state), error: thrown }, 'A plugin failed.');
      if (ctx.headerSent) ctx.res.destroy();
      else answerError(ctx, toServiceError(thrown), ctx.state.requestId ?? parts.ids.newId());
    }
  });
  // Koa reports broken connections here: a client that disconnects is no error of the service.
  app.on('error', (error: unknown) => log.debug({ error }, 'An answer could not be sent.'));
  const koa = app.callback();

  function notify(observers: readonly Observer[], exchange: Exchange): void {
    complete(exchange, clock.monotonic());
    for (const { name, onResponse } of observers) {
      const failed = (error: unknown) => {
        const fields = { ...requestLogFields(exchange.state), plugin: name, error };
        log.error(fields, 'A plugin failed after an answer.');
      };
      try {
        handleRejection(onResponse(exchange), failed);
      } catch (error) {
        failed(error);
      }
    }
  }

  function notifyObservers(exchange: Exchange): void {
    notify(surfaces.get(exchange.state.surface.name)!.observers, exchange);
  }

  return (request, response) => {
    state = newState(resolve(request), clock.monotonic());
    fast = undefined;
    if (isFastPathRequest(request)) {
      fast = new FastExchange(request, response, state, notifyObservers);
      if (fast.run(surfaces.get(state.surface.name)!.fastPath)) {
        const exchange = fast;
        if (exchange.head === '') closable(response).once('close', () => notifyObservers(exchange));
        return;
      }
    }
    // Before any plugin, so that the response of one that refuses the request reaches the client.
    if (mayHaveBody(request)) endUnreadBody(request, response);
    koa(wholeRequest(request), wholeResponse(response));
  };
}

/** Koa would send an answer over HTTP/2 whose client has disconnected, and wait for it for ever. */
function leave(ctx: GatewayContext): void {
  ctx.respond = false;
  if (ctx.body instanceof Readable) ctx.body.destroy();
}

function noSuchResource(ctx: GatewayContext): Promise<void> {
  const where =
    ctx.state.surface.name === 'none' ? 'at this URL' : `at this URL of ${ctx.state.surface.name}`;
  return Promise.reject(new ServiceError('noSuchResource', `There is nothing ${where}.`));
}

/** A hook of an operator's plugin may be asynchronous: a rejection that nothing handles would end the process. */
function handleRejection(returned: unknown, failed: (error: unknown) => void): void {
  if (returned instanceof Promise) returned.catch(failed);
}
