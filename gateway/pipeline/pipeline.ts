import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { type HealthReport, ServiceError } from '../../core/contract.ts';
import { answerError } from '../../plugins/answer-error.ts';
import {
  type Exchange,
  type GatewayContext,
  type Plugin,
  type PluginInstance,
  SURFACES,
  type SurfaceName,
} from '../../plugins/contract.ts';
import { toServiceError } from '../../plugins/error-body.ts';
import { endUnreadBody, mayHaveBody } from '../../plugins/unread-body.ts';
import type { ResolvedRequest } from '../request/resolve-request.ts';
import { StartError } from '../start-error.ts';
import { chain, type Handler } from './chain.ts';
import { fastPathOf, isFastPathRequest, type SurfaceFastPath } from './fast-path.ts';
import { dispose, healthOf, setUp } from './plugin-lifecycle.ts';
import { orderPlugins, type PipelineSettings } from './plugin-order.ts';
import { makePluginServices, type SharedServices } from './plugin-services.ts';
import { refuseForeignHosts } from './refuse-unknown-hosts.ts';
import { complete, newState } from './request-state.ts';

export interface PipelineOptions {
  /** Built-in plugins in the order of the registry, then the operator's own. */
  readonly plugins: readonly Plugin[];
  /** Names of plugins that do not exist yet. */
  readonly planned?: readonly string[];
  readonly pipeline: PipelineSettings;
  /** Validated settings by plugin name. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly parts: Omit<SharedServices, 'report'>;
  readonly arrive: (request: IncomingMessage) => ResolvedRequest;
  /** What the gateway itself adds to the health report, by name. */
  readonly health?: () => HealthReport['parts'];
}

export interface Pipeline {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Names of the plugins a request passes, by surface. */
  readonly order: Readonly<Record<string, readonly string[]>>;
  /** Surfaces whose plugins all offer a part of the fast path, up to one that answers there. */
  readonly fastPath: readonly SurfaceName[];
  report(): Promise<HealthReport>;
  /** It takes over; the one before it may still have requests. */
  activate(): void;
  /** From now on the service reports that it is not ready. */
  stopping(): void;
  dispose(): Promise<void>;
}

/**
 * Sets the plugins up and makes one flat list of handlers for each surface. If one plugin cannot be set up,
 * those before it are disposed of and nothing of the pipeline remains.
 *
 * @throws StartError
 */
export async function buildPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { plugins, bySurface } = orderPlugins(options.plugins, options.pipeline, options.planned);
  const log = options.parts.logFor('gateway');
  const running = new Map<Plugin, PluginInstance>();
  let isStopping = false;

  async function report(): Promise<HealthReport> {
    const own: Record<string, HealthReport['parts'][string]> = {
      gateway: { ok: !isStopping, detail: isStopping ? 'stopping' : 'serving' },
      ...options.health?.(),
    };
    const core = await options.parts.core.health();
    const told = await Promise.all(
      [...running].map(async ([{ name }, plugin]) => ({ name, health: await healthOf(plugin) })),
    );
    for (const { name, health } of told) if (health !== undefined) own[name] = health;
    // Core says itself which of its parts it cannot serve without: unwell image workers leave it ready.
    return { ok: core.ok && Object.values(own).every(({ ok }) => ok), parts: { ...own, ...core.parts } };
  }

  async function disposeAll(): Promise<void> {
    for (const [{ name }, plugin] of [...running].reverse()) {
      try {
        await dispose(plugin);
      } catch (error) {
        log.error({ plugin: name, error }, 'a plugin could not be disposed of');
      }
    }
    running.clear();
  }

  for (const plugin of plugins) {
    try {
      const services = makePluginServices(plugin.name, { ...options.parts, report });
      running.set(plugin, await setUp(plugin, options.settings[plugin.name], services));
    } catch (cause) {
      await disposeAll();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new StartError(`The plugin '${plugin.name}' does not start: ${reason.replace(/\.?$/, '.')}`, {
        cause,
      });
    }
  }

  const surfaces = new Map<string, SurfaceRoads>();
  for (const surface of [...SURFACES, 'none'] as const) {
    const passed = bySurface[surface].map((plugin) => running.get(plugin)!);
    const stepsOf = (list: readonly Plugin[]) =>
      list.map((plugin): Handler => {
        const instance = running.get(plugin)!;
        return (ctx, next) => instance.handle(ctx, next);
      });
    // Behind those that observe, so that a refusal has its body, its id and its line in the log.
    const observing = bySurface[surface].filter(({ phase }) => phase === 'observe');
    const others = bySurface[surface].filter(({ phase }) => phase !== 'observe');
    const steps = [...stepsOf(observing), refuseForeignHosts, ...stepsOf(others)];
    surfaces.set(surface, {
      whole: chain(steps, nothingHere),
      fastPath: fastPathOf(passed),
      observers: passed.flatMap(({ onResponse }) => onResponse ?? []),
    });
  }
  return {
    handle: roads(options, surfaces),
    order: Object.fromEntries(
      Object.entries(bySurface).map(([surface, list]) => [surface, list.map(({ name }) => name)]),
    ),
    fastPath: SURFACES.filter((surface) => surfaces.get(surface)!.fastPath !== undefined),
    report,
    activate() {
      for (const [{ name }, plugin] of running) {
        try {
          plugin.activate?.();
        } catch (error) {
          log.error({ plugin: name, error }, 'a plugin failed as it began');
        }
      }
    },
    stopping: () => {
      isStopping = true;
    },
    dispose: disposeAll,
  };
}

type Observer = NonNullable<PluginInstance['onResponse']>;

interface SurfaceRoads {
  readonly whole: Handler;
  readonly fastPath: SurfaceFastPath | undefined;
  readonly observers: readonly Observer[];
}

/** The fast path where a surface has one, else or after it the whole road through Koa; then the observers. */
function roads(
  { parts, arrive }: PipelineOptions,
  surfaces: ReadonlyMap<string, SurfaceRoads>,
): Pipeline['handle'] {
  const log = parts.logFor('gateway');
  const { clock } = parts;
  /** Koa makes its context itself and runs the first middleware at once: this is how that finds the state. */
  let arrived: GatewayContext['state'];
  const app = new Koa();
  app.use(async (koaContext) => {
    const ctx = koaContext as unknown as GatewayContext;
    const state = arrived;
    ctx.state = state;
    const { whole, observers } = surfaces.get(state.surface.name)!;
    if (observers.length > 0) ctx.res.once('close', () => tell(observers, ctx));
    try {
      await whole(ctx, nothingFurther);
    } catch (thrown) {
      // Only what fails outside the error envelope gets here: the answer keeps its documented shape.
      log.error({ error: thrown }, 'a plugin failed');
      if (ctx.headerSent) ctx.res.destroy();
      else answerError(ctx, toServiceError(thrown), ctx.state.requestId ?? parts.ids.newId());
    }
  });
  // What is left are broken connections: a client that hung up is no error of the service.
  app.on('error', (error: unknown) => log.debug({ error }, 'an answer could not be sent'));
  const koa = app.callback();

  function tell(observers: readonly Observer[], exchange: Exchange): void {
    complete(exchange, clock.monotonic());
    for (const observer of observers) {
      try {
        observer(exchange);
      } catch (error) {
        log.error({ error }, 'a plugin failed after an answer');
      }
    }
  }

  return (request, response) => {
    const arrival = arrive(request);
    const state = newState(arrival, clock.monotonic());
    const { fastPath, observers } = surfaces.get(state.surface.name)!;
    if (fastPath !== undefined && isFastPathRequest(request) && arrival.unknownHost === undefined) {
      const exchange = { req: request, res: response, state, headers: [] };
      if (fastPath(exchange, log)) {
        // Handed to the kernel whole, as small answers are: nothing more will be heard of it.
        if (request.socket.writableLength === 0) tell(observers, exchange);
        else response.once('close', () => tell(observers, exchange));
        return;
      }
    }
    // In front of every plugin: whoever refuses a request, its answer is to get out.
    if (mayHaveBody(request)) endUnreadBody(request, response);
    arrived = state;
    koa(request, response);
  };
}

function nothingHere(ctx: GatewayContext): Promise<void> {
  const where =
    ctx.state.surface.name === 'none' ? 'at this URL' : `at this URL of ${ctx.state.surface.name}`;
  return Promise.reject(new ServiceError('noSuchResource', `There is nothing ${where}.`));
}

function nothingFurther(): Promise<void> {
  return Promise.resolve();
}
