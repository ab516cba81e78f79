import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { type HealthReport, ServiceError } from '../core/contract.ts';
import { type GatewayContext, type Plugin, type Running, SURFACES } from '../plugins/contract.ts';
import { answerError } from '../plugins/error-envelope/answer.ts';
import { toServiceError } from '../plugins/error-envelope/body.ts';
import type { Arrival } from './arrival.ts';
import { chain, type Handler } from './chain.ts';
import { type KitParts, makeKit } from './kit.ts';
import { type PipelineSettings, plan } from './plan.ts';
import { StartError } from './start-error.ts';

export interface PipelineOptions {
  /** Built-in plugins in the order of the registry, then the operator's own. */
  readonly plugins: readonly Plugin[];
  /** Names of plugins that do not exist yet. */
  readonly planned?: readonly string[];
  readonly pipeline: PipelineSettings;
  /** Validated settings by plugin name. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly parts: Omit<KitParts, 'report'>;
  readonly arrive: (request: IncomingMessage) => Arrival;
}

export interface Pipeline {
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Names of the plugins a request passes, by surface. */
  readonly order: Readonly<Record<string, readonly string[]>>;
  report(): Promise<HealthReport>;
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
  const { plugins, bySurface } = plan(options.plugins, options.pipeline, options.planned);
  const log = options.parts.logFor('gateway');
  const running = new Map<Plugin, Running>();
  let isStopping = false;

  async function report(): Promise<HealthReport> {
    const own = { gateway: { ok: !isStopping, detail: isStopping ? 'stopping' : 'serving' } };
    const core = await options.parts.core.health();
    const parts: Record<string, HealthReport['parts'][string]> = { ...own, ...core.parts };
    for (const [{ name }, { health }] of running) if (health) parts[name] = await health();
    return { ok: core.ok && Object.values(parts).every(({ ok }) => ok), parts };
  }

  async function dispose(): Promise<void> {
    for (const [{ name }, plugin] of [...running].reverse()) {
      try {
        await plugin.dispose?.();
      } catch (error) {
        log.error({ plugin: name, error }, 'a plugin could not be disposed of');
      }
    }
    running.clear();
  }

  for (const plugin of plugins) {
    try {
      const kit = makeKit(plugin.name, { ...options.parts, report });
      running.set(plugin, await plugin.setup(options.settings[plugin.name], kit));
    } catch (cause) {
      await dispose();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new StartError(`The plugin '${plugin.name}' does not start: ${reason.replace(/\.?$/, '.')}`, {
        cause,
      });
    }
  }

  const handlers = new Map<string, Handler>();
  for (const surface of [...SURFACES, 'none'] as const) {
    const steps = bySurface[surface].map((plugin): Handler => {
      const instance = running.get(plugin)!;
      return (ctx, next) => instance.handle(ctx, next);
    });
    handlers.set(surface, chain(steps, nothingHere));
  }
  return {
    handle: koaHandler(options, handlers),
    order: Object.fromEntries(
      Object.entries(bySurface).map(([surface, list]) => [surface, list.map(({ name }) => name)]),
    ),
    report,
    stopping: () => {
      isStopping = true;
    },
    dispose,
  };
}

function koaHandler(options: PipelineOptions, handlers: ReadonlyMap<string, Handler>): Pipeline['handle'] {
  const log = options.parts.logFor('gateway');
  const app = new Koa();
  app.use(async (koaContext) => {
    const ctx = koaContext as unknown as GatewayContext;
    Object.assign(ctx.state, options.arrive(ctx.req));
    try {
      await handlers.get(ctx.state.surface.name)!(ctx, nothingFurther);
    } catch (thrown) {
      // Only what fails outside the error envelope gets here: the answer keeps its documented shape.
      log.error({ error: thrown }, 'a plugin failed');
      if (ctx.headerSent) ctx.res.destroy();
      else answerError(ctx, toServiceError(thrown), ctx.state.requestId ?? options.parts.ids.newId());
    }
  });
  // What is left are broken connections: a client that hung up is no error of the service.
  app.on('error', (error: unknown) => log.debug({ error }, 'an answer could not be sent'));
  return app.callback();
}

function nothingHere(ctx: GatewayContext): Promise<void> {
  const where =
    ctx.state.surface.name === 'none' ? 'at this URL' : `at this URL of ${ctx.state.surface.name}`;
  return Promise.reject(new ServiceError('noSuchResource', `There is nothing ${where}.`));
}

function nothingFurther(): Promise<void> {
  return Promise.resolve();
}
