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
import type { IncomingMessage, ServerResponse } from 'node:http';
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
  ServiceError,
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

/** What the caller has left in the window that has least left. */
export interface QuotaFacet {
  /** Calls; Infinity where nothing is limited. */
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** What the answer was made of, for the cache. */
export type AnswerFacet = Pick<CoreAnswer, 'tags' | 'sequence'>;

/** What the cache did: RFC 9211's words where it has one. */
export type CacheVerdict =
  | 'hit'
  /** Asked core whether it still holds; it does. */
  | 'checked'
  | 'stale'
  /** Core could not answer; the old answer did. */
  | 'stale-error'
  | 'miss'
  /** Shared the fetch of somebody else. */
  | 'collapsed'
  /** Not for the cache: a write, a stream, a surface without it. */
  | 'bypass';

/**
 * What became of a request, told by those who know; the gateway completes it when the answer has left. Access
 * log, metrics and usage read the same object. Never holds a token: a key is known by its id.
 */
export interface Outcome {
  /** Milliseconds of the monotonic clock when the request came in. */
  readonly began: number;
  cache: CacheVerdict | undefined;
  limiter: 'admitted' | 'rejected' | 'would-reject' | undefined;
  /** Id of the key that was accepted. */
  key: string | undefined;
  /** Time spent waiting for core, in milliseconds. */
  upstreamMilliseconds: number | undefined;
  /** From here on: set when the answer has left. 499 = the client left before there was one. */
  status: number;
  /** Body as announced; undefined where it was streamed without a length. */
  bytes: number | undefined;
  milliseconds: number;
  /** The client left before the answer was complete. */
  aborted: boolean;
}

/**
 * All that plugins tell each other. A plugin of your own adds to it by declaration merging. `surface`,
 * `client`, `bases`, `foreignHost` and `outcome` come from the gateway itself and are there from the first plugin on.
 */
export interface Facets {
  surface: SurfaceFacet;
  client: ClientFacet;
  bases: BasesFacet;
  /** The host of a request that is refused because it names none of this service's; undefined for all others. */
  foreignHost: string | undefined;
  outcome: Outcome;
  requestId: string;
  /** The request's body behind the size limit; undefined where the request has none. */
  body: AsyncIterable<Uint8Array> | undefined;
  project: ProjectFacet;
  principal: Principal;
  quota: QuotaFacet;
  answer: AnswerFacet;
}

export type Facet = keyof Facets;
export const GATEWAY_FACETS = [
  'surface',
  'client',
  'bases',
  'foreignHost',
  'outcome',
] as const satisfies readonly Facet[];
type GatewayFacet = (typeof GATEWAY_FACETS)[number];

/** A plugin sees what it needs, and may set what it gives. */
export type RequestState<Needs extends Facet, Gives extends Facet> = Pick<Facets, Needs | GatewayFacet> &
  Partial<Pick<Facets, Gives>>;

export type GatewayContext<State = Pick<Facets, GatewayFacet> & Partial<Facets>> = ParameterizedContext<
  State,
  object
>;

export type Next = () => Promise<void>;

/** A request as both roads know it: a Koa context is one. Facets stand in `state`. */
export interface Visit<State = Pick<Facets, GatewayFacet> & Partial<Facets>> {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: State;
}

/** A request on the express lane. Only GET and HEAD over HTTP/1.x come this way. */
export interface ExpressVisit<State = Pick<Facets, GatewayFacet> & Partial<Facets>> extends Visit<State> {
  /** Header names and values in turn; what is pushed here is sent with the answer, if one is given here. */
  readonly headers: string[];
}

/**
 * `next`: nothing against it. `whole-road`: let `handle` of all plugins decide, from the first one on.
 * `answered`: the answer is written and ended.
 */
export type ExpressStep = 'next' | 'whole-road' | 'answered';

/**
 * The synchronous part of a plugin, by which a cache hit is answered without Koa, promises or closures. A surface
 * has an express lane when every plugin in front of one that `answers` offers a part.
 *
 * A part does what `handle` would do for an ordinary good request and says `whole-road` for everything else:
 * whatever it would have to wait for, refuse, or is not sure of. It may set facets in `state` (they stay) and push
 * headers (they are dropped), and changes nothing else, because the whole road may follow. It does not throw.
 */
export interface ExpressPart<State = Pick<Facets, GatewayFacet> & Partial<Facets>> {
  readonly answers?: boolean;
  enter(visit: ExpressVisit<State>): ExpressStep;
}

/** The express part of a plugin that has nothing to do for a good request; costs nothing. */
export const NOTHING_TO_DO: ExpressPart<unknown> = { enter: () => 'next' };

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

/** Settings `failures` of the plugin `auth`. */
export interface AttemptSettings {
  /** Failures of one address that are still answered as such. 0 = no counting. */
  readonly perMinute: number;
  readonly blockSeconds: number;
  readonly loopback: boolean;
  readonly addresses: number;
}

/** Wrong keys and admin tokens by the address of the client, counted on all surfaces together. */
export interface FailedAttempts {
  /** The settings hold from now on; counts and blocks stay. */
  adopt(settings: AttemptSettings): void;
  /** @throws rateLimited where the address is blocked: for secrets that nobody shares an address for */
  refuseBlocked(client: ClientFacet): void;
  /** Looks a key up; from an address that is blocked, behind the others of its kind. */
  lookUp<T>(client: ClientFacet, work: () => Promise<T>): Promise<T>;
  /** Counts a failure and answers with what to refuse the request. */
  refusal(client: ClientFacet, otherwise: ServiceError): ServiceError;
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
  /** Wrong keys and admin tokens by address: whoever judges a secret counts them here. Outlives a reload. */
  readonly failedAttempts: FailedAttempts;
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
  /** Without one there is no express lane on the plugin's surfaces. */
  readonly express?: ExpressPart<RequestState<Needs, Gives>>;
  /** Told once of each request of its surfaces, whichever road it took, when the answer has left. */
  left?(visit: Visit): void;
  health?(): Promise<PartHealth>;
  /**
   * The pipeline takes over: all of it is set up and nothing fails any more. What is changed of a `state()` that the
   * pipeline before it still works with is changed here, not in setup, which a reload may undo. Does not throw.
   */
  begin?(): void;
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
