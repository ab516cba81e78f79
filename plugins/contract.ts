/**
 * What a plugin is, what it is given, and what plugins tell each other.
 *
 * @example
 * export const plugin = definePlugin({
 *   name: 'teapot',
 *   phase: 'edge',
 *   surfaces: ['docs'],
 *   settings: z.strictObject({ volume: z.int().default(1).describe('Litres.') }),
 *   setup({ volume }) {
 *     return {
 *       handle: function teapot(ctx, next) {
 *         ctx.set('x-teapot', `${volume} l`);
 *         return next();
 *       },
 *     };
 *   },
 * });
 */
import type { ParameterizedContext } from 'koa';
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { z } from 'zod';
import { PHASES, SURFACES, type SurfaceName } from '../config/schema.ts';
import type {
  ChangeFeed,
  Core,
  CoreAnswer,
  HealthReport,
  Principal,
  ProjectFacts,
} from '../core/contract.ts';

export type { SurfaceName };
export { PHASES, SURFACES };
export type Phase = (typeof PHASES)[number];

/** Where a request arrived. `none`: no surface has its path or host. */
export interface SurfaceFacet {
  readonly name: SurfaceName | 'none';
  /** Path below the surface's prefix, percent-encoded as it came; `//` folded, no slash at the end. */
  readonly path: string;
  /** Query string as it came, without `?`. */
  readonly query: string;
}

/** Who is at the other end of the connection, as far as it can be believed. */
export interface ClientFacet {
  /** The client's address: the peer, or what trusted proxies say. */
  readonly address: string;
  /** The resolved address is a loopback one and nobody untrusted claimed to forward. */
  readonly loopback: boolean;
  /** The peer is one of `trustedProxies`. */
  readonly viaTrustedProxy: boolean;
  /** Scheme the client used. */
  readonly scheme: 'http' | 'https';
}

/** Public base URL of each surface for this request, without a slash at the end. */
export type BasesFacet = Readonly<Record<SurfaceName, string>>;

export interface ProjectFacet {
  /** As the path has it, lower case; null where the path names none. */
  readonly id: string | null;
  /** Null where there is no such project, or it is archived. Whoever refuses does so after the key check. */
  readonly facts: ProjectFacts | null;
}

export interface QuotaFacet {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** What the answer was made of, for the cache. */
export type AnswerFacet = Pick<CoreAnswer, 'tags' | 'sequence'>;

/**
 * All that plugins tell each other. A plugin of your own adds to it by declaration merging. `surface`,
 * `client` and `bases` come from the gateway itself and are there from the first plugin on.
 */
export interface Facets {
  surface: SurfaceFacet;
  client: ClientFacet;
  bases: BasesFacet;
  requestId: string;
  /** The request's body behind the size limit; undefined where the request has none. */
  body: AsyncIterable<Uint8Array> | undefined;
  project: ProjectFacet;
  principal: Principal;
  quota: QuotaFacet;
  answer: AnswerFacet;
}

export type Facet = keyof Facets;
export const GATEWAY_FACETS = ['surface', 'client', 'bases'] as const satisfies readonly Facet[];
type GatewayFacet = (typeof GATEWAY_FACETS)[number];

/** A plugin sees what it needs, and may set what it gives. */
export type RequestState<Needs extends Facet, Gives extends Facet> = Pick<Facets, Needs | GatewayFacet> &
  Partial<Pick<Facets, Gives>>;

export type GatewayContext<State = Pick<Facets, GatewayFacet> & Partial<Facets>> = ParameterizedContext<
  State,
  object
>;

export type Next = () => Promise<void>;

export interface Log {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface Clock {
  now(): Date;
  /** Milliseconds with fraction that never go back; for durations. */
  monotonic(): number;
}

/** Metrics named `headwater_<plugin>_<name>`; the same name twice is the same metric. */
export interface Metrics {
  readonly registry: Registry;
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
  ): Counter<Label>;
  gauge<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Gauge<Label>;
  histogram<Label extends string = never>(
    name: string,
    help: string,
    more: { readonly labels?: readonly Label[]; readonly buckets: readonly number[] },
  ): Histogram<Label>;
}

/** The only things of the house a plugin touches. */
export interface Kit {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: { newId(): string };
  readonly metrics: Metrics;
  readonly core: Core;
  readonly feed: ChangeFeed;
  /** The vendor names of headers (first = the one of answers) and of the rich text media type. */
  readonly vendor: { readonly header: readonly string[]; readonly mediaType: string };
  /** Health of core and of every plugin. `ok` is false while the service is stopping. */
  report(): Promise<HealthReport>;
  /** Long-lived state of this plugin that outlives a reload: made once, then found again by its name. */
  state<T>(name: string, make: () => T): T;
}

export type PartHealth = HealthReport['parts'][string];

/** A plugin that has been set up. */
export interface Running<Needs extends Facet = never, Gives extends Facet = Facet> {
  /** Koa middleware. Either answers or returns `next()`; throws `ServiceError` to refuse. */
  handle(ctx: GatewayContext<RequestState<Needs, Gives>>, next: Next): Promise<void>;
  health?(): Promise<PartHealth>;
  /** Gives back timers, files and subscriptions. */
  dispose?(): Promise<void>;
}

export interface Plugin {
  /** Kebab-case; the name of its folder and of its settings file. */
  readonly name: string;
  readonly phase: Phase;
  /** Plugins that come earlier, where they are in the pipeline at all. */
  readonly after: readonly string[];
  /** Surfaces it works on unless the settings say otherwise. */
  readonly surfaces: readonly SurfaceName[];
  readonly needs: readonly Facet[];
  readonly gives: readonly Facet[];
  /** Defaults, units, descriptions and rules of its settings. */
  readonly settings: z.ZodType;
  setup(settings: unknown, kit: Kit): Promise<Running> | Running;
}

export interface PluginDefinition<Settings extends z.ZodType, Needs extends Facet, Gives extends Facet> {
  readonly name: string;
  readonly phase: Phase;
  readonly after?: readonly string[];
  readonly surfaces: readonly SurfaceName[];
  readonly needs?: readonly Needs[];
  readonly gives?: readonly Gives[];
  readonly settings: Settings;
  /** Only here are files opened and timers started; importing a plugin does nothing. */
  setup(
    settings: z.output<Settings>,
    kit: Kit,
  ): Promise<Running<NoInfer<Needs>, NoInfer<Gives>>> | Running<NoInfer<Needs>, NoInfer<Gives>>;
}

export function definePlugin<
  Settings extends z.ZodType,
  const Needs extends Facet = never,
  const Gives extends Facet = never,
>(definition: PluginDefinition<Settings, Needs, Gives>): Plugin {
  return {
    name: definition.name,
    phase: definition.phase,
    after: definition.after ?? [],
    surfaces: definition.surfaces,
    needs: definition.needs ?? [],
    gives: definition.gives ?? [],
    settings: definition.settings,
    setup: (settings, kit) => definition.setup(settings as z.output<Settings>, kit),
  };
}
