/**
 * What a plugin is, which services it is given, and which facts about a request plugins share.
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
import { PHASES, type Phase } from '../config/pipeline-settings.ts';
import { SURFACES, type SurfaceName } from '../config/surface-settings.ts';
import type {
  ChangeFeed,
  Core,
  CoreAnswer,
  CoreRequest,
  ErrorName,
  HealthReport,
  Principal,
  ProcessIdentity,
  ProjectFacts,
  ServiceError,
} from '../core/contract.ts';
import type { CallTotals } from './counters/call-totals.ts';
import type { Limiter } from './counters/limiter.ts';

export type { Phase, ProcessIdentity, SurfaceName };
export { PHASES, SURFACES };

/** The surface of a request. `none`: no surface has its path or host. */
export interface SurfaceFacet {
  readonly name: SurfaceName | 'none';
  /** Path below the surface's prefix, percent-encoded as received; `//` folded, no slash at the end. */
  readonly path: string;
  /** Query string as received, without `?`. */
  readonly query: string;
}

/** The client of a request, as far as it is verified. */
export interface ClientFacet {
  /** The client's address: the peer, or what trusted proxies say. */
  readonly address: string;
  /** The resolved address is a loopback one, and no untrusted proxy header is present. */
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
  /** Null where there is no such project, or it is archived. The 404 comes after the key check. */
  readonly facts: ProjectFacts | null;
}

/** What the answer was made of. A cache stores an answer only while this is set and has tags. */
export type AnswerFacet = Pick<CoreAnswer, 'tags' | 'sequence'>;

/** What the cache did: RFC 9211's words where it has one. */
export type CacheVerdict =
  | 'hit'
  /** Revalidated with core: it still holds. */
  | 'checked'
  | 'stale'
  /** Core could not answer; the old answer did. */
  | 'stale-error'
  | 'miss'
  /** Shared the fetch of another request. */
  | 'collapsed'
  /** Not for the cache: a write, a stream, a surface without it. */
  | 'bypass';

/**
 * The result of a request. Plugins set the fields they know; the gateway completes it once the response has ended.
 * Access log, metrics and usage read the same object. It never holds a token: it names a key by its id.
 */
export interface Outcome {
  /** Milliseconds of the monotonic clock when the request was received. */
  readonly began: number;
  cache: CacheVerdict | undefined;
  limiter: 'admitted' | 'rejected' | 'would-reject' | undefined;
  /** Id of the key that was accepted. */
  key: string | undefined;
  /** Time spent waiting for core, in milliseconds. */
  upstreamMilliseconds: number | undefined;
  /** From here on: set once the response has ended. 499 = the client disconnected before there was one. */
  status: number;
  /** `Content-Length`; undefined where the body was streamed without one. */
  bytes: number | undefined;
  milliseconds: number;
  /** The client disconnected before the response was complete. */
  aborted: boolean;
}

/**
 * The facts that plugins share about a request. Your own plugin adds to it by declaration merging. The gateway
 * itself sets `surface`, `client`, `bases`, `unknownHost` and `outcome` before the first plugin runs.
 */
export interface Facets {
  surface: SurfaceFacet;
  client: ClientFacet;
  bases: BasesFacet;
  /** The host of a request that is refused because the host is not one of this service; undefined otherwise. */
  unknownHost: string | undefined;
  outcome: Outcome;
  /** Set in the request of a cache: the answer it has already. Core answers 304 if that still holds. */
  known: CoreRequest['known'];
  /** Set in the request of a cache: what the answer has to show at least. */
  atLeast: CoreRequest['atLeast'];
  requestId: string;
  /** 32 hexadecimal digits; found in all log lines about the request, in every process. */
  trace: string;
  /** The W3C header `traceparent` that a trusted proxy sent. */
  traceparent: string | undefined;
  /** The request's body behind the size limit; undefined where the request has none. */
  body: AsyncIterable<Uint8Array> | undefined;
  /** Bytes that the body of a request may have at most. */
  bodyBytes: number;
  project: ProjectFacet;
  principal: Principal;
  answer: AnswerFacet | undefined;
}

export type Facet = keyof Facets;
export const GATEWAY_FACETS = [
  'surface',
  'client',
  'bases',
  'unknownHost',
  'outcome',
  'known',
  'atLeast',
] as const satisfies readonly Facet[];
type GatewayFacet = (typeof GATEWAY_FACETS)[number];

/** A plugin sees what it needs, and may set what it gives. */
export type RequestState<Needs extends Facet, Gives extends Facet> = Pick<Facets, Needs | GatewayFacet> &
  Partial<Pick<Facets, Gives>>;

export type GatewayContext<State = Pick<Facets, GatewayFacet> & Partial<Facets>> = ParameterizedContext<
  State,
  object
>;

/**
 * Runs the plugins behind this one; once at most. A cache gives them a context of its own (`subrequest`): the answer
 * may be for several clients and may outlast the request that caused it.
 */
export type Next = (ctx?: GatewayContext) => Promise<void>;

/** A request with its response and facets. A Koa context is one. */
export interface Exchange<State = Pick<Facets, GatewayFacet> & Partial<Facets>> {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly state: State;
  /** Sets a header of the response. */
  set(name: string, value: string): void;
  /** On the fast path only, which does without Koa: the headers set so far, names and values in turn. */
  readonly fastHeaders?: string[];
  /**
   * On the fast path over HTTP/1.1: sends status line and headers, in Latin-1, and a body as they are, at the end of this
   * turn of the event loop.
   */
  fastSend?(status: number, head: string, body: Buffer | undefined): void;
}

/**
 * What `onRequest` decided. `next`: the plugin is done with the request. `handle`: its `handle` takes over.
 * `responded`: the response is complete.
 */
export type OnRequestResult = 'next' | 'handle' | 'responded';

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
  /** Failures of one address before it is blocked. 0 = no counting. */
  readonly perMinute: number;
  readonly blockSeconds: number;
  readonly loopback: boolean;
  readonly addresses: number;
}

/** What the text of a refusal speaks of; the admin token, unless given. */
export type GuessedSecret = 'admin token' | 'password';

/** Wrong keys and admin tokens by the address of the client, counted on all surfaces together. */
export interface FailedAttempts {
  /** Applies the settings; counts and blocks stay. */
  adopt(settings: AttemptSettings): void;
  /** @throws rateLimited where the address is blocked: for secrets whose users share no address with others */
  refuseBlocked(client: ClientFacet, secret?: GuessedSecret): void;
  /** Looks a key up; calls from blocked addresses queue behind each other. */
  lookUp<T>(client: ClientFacet, work: () => Promise<T>): Promise<T>;
  /** Counts a failure and returns the error to refuse the request with. */
  refusal(client: ClientFacet, otherwise: ServiceError): ServiceError;
}

/** Metrics named `headwater_<plugin>_<name>`; the same name twice is the same metric. */
export interface Metrics {
  readonly registry: Registry;
  /** All metrics as Prometheus text; those of all gateway processes of this machine. */
  text(): Promise<string>;
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    /** Called before the values are read. */
    collect?: () => void,
  ): Counter<Label>;
  gauge<Label extends string = never>(
    name: string,
    help: string,
    labels?: readonly Label[],
    /** The value, each time it is read; of a gauge without labels. */
    read?: () => number,
  ): Gauge<Label>;
  histogram<Label extends string = never>(
    name: string,
    help: string,
    more: { readonly labels?: readonly Label[]; readonly buckets: readonly number[] },
  ): Histogram<Label>;
}

/** The parts of the service that a plugin may use. */
export interface PluginServices {
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: {
    newId(): string;
    /** The trace of a request that begins one (W3C Trace Context, 3.2.2.3). */
    newTrace(): string;
  };
  readonly metrics: Metrics;
  readonly core: Core;
  readonly feed: ChangeFeed;
  /** Wrong keys and admin tokens by address; a plugin that checks a secret counts failures here. Outlives a reload. */
  readonly failedAttempts: FailedAttempts;
  /** Counts calls for all gateway processes of this machine, or of all; undefined where there is one process. */
  readonly limiter?: Limiter;
  /** Counts that the gateways of all machines share; undefined without Redis. */
  readonly callTotals?: CallTotals;
  /** The vendor names in headers (the first is that of responses) and in the rich text media type. */
  readonly vendor: { readonly header: readonly string[]; readonly mediaType: string };
  /** What the process that the plugin runs in is called. */
  readonly process: ProcessIdentity;
  /** Health of core and of every plugin. `ok` is false while the service is stopping. */
  report(): Promise<HealthReport>;
  /** An error to throw: refuses the request with its status and the documented body. Your own plugin cannot import `ServiceError`. */
  refusal(error: ErrorName, message: string, headers?: Readonly<Record<string, string>>): ServiceError;
  /** State of this plugin that outlives a reload: made once, then found again by its name. */
  state<T>(name: string, make: () => T): T;
}

export type PartHealth = HealthReport['parts'][string];

/** An ended request as operators see it in the console. It holds no secret: no query, header or body. */
export interface RecentRequest {
  /** Counts those of the process. */
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  readonly id: string | null;
  readonly surface: string;
  readonly method: string;
  /** Without query. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number | null;
  readonly cache: string | null;
  readonly limiter: string | null;
  /** Id of the key. */
  readonly key: string | null;
  /** Address of the client. */
  readonly client: string;
}

/** A plugin that has been set up. It has `onRequest`, `handle`, `onResponse` or several of them. */
export interface PluginInstance<Needs extends Facet = never, Gives extends Facet = Facet> {
  /**
   * Called once for each request; synchronous; throws `ServiceError` to refuse. GET and HEAD without a body take
   * the fast path: the gateway calls `onRequest` of one plugin after the other without Koa, promises or closures, which
   * is how a cache hit is answered. Where one does not return `next`, Koa starts and continues with that plugin.
   */
  onRequest?(exchange: Exchange<RequestState<Needs, Gives>>): OnRequestResult;
  /**
   * Koa middleware: answers, or returns `next()`; throws `ServiceError` to refuse. Called where `onRequest` returned
   * `handle`. Without `onRequest` it is called for each request, and the fast path ends in front of the plugin.
   */
  handle?(ctx: GatewayContext<RequestState<Needs, Gives>>, next: Next): Promise<void>;
  /** `handle` acts on what the plugins behind it answer or throw: the fast path skips it, Koa always calls it. */
  readonly wraps?: boolean;
  /** Called once for each request of its surfaces, on either path, when the response has ended. */
  onResponse?(exchange: Exchange): void;
  health?(): Promise<PartHealth>;
  /** The last requests from a time on (ISO 8601), for an operator who watches; all that are kept for null. */
  recentRequests?(after: string | null): readonly RecentRequest[];
  /**
   * Called when the whole pipeline is set up and replaces the one before it. Changes to a `state()` that the earlier
   * pipeline still uses belong here: a reload may undo `setup`. Does not throw.
   */
  activate?(): void;
  /** Called when the service begins to stop: ends responses that would not end by themselves. Does not throw. */
  stopping?(): void;
  /** Releases timers, files and subscriptions. */
  dispose?(): Promise<void>;
}

export interface Plugin {
  /** Kebab-case; the name of its folder and of its settings file. */
  readonly name: string;
  readonly phase: Phase;
  /** Plugins that run earlier, where the pipeline has them. */
  readonly after: readonly string[];
  /** Never calls `next`: it runs after the other plugins of its phase. */
  readonly terminal?: boolean | undefined;
  /** Surfaces it runs on unless the settings name others. */
  readonly surfaces: readonly SurfaceName[];
  readonly needs: readonly Facet[];
  readonly gives: readonly Facet[];
  /** Defaults, units, descriptions and rules of its settings. */
  readonly settings: z.ZodType;
  setup(settings: unknown, services: PluginServices): Promise<PluginInstance> | PluginInstance;
}

export interface PluginDefinition<Settings extends z.ZodType, Needs extends Facet, Gives extends Facet> {
  readonly name: string;
  readonly phase: Phase;
  readonly after?: readonly string[];
  readonly terminal?: boolean;
  readonly surfaces: readonly SurfaceName[];
  readonly needs?: readonly Needs[];
  readonly gives?: readonly Gives[];
  readonly settings: Settings;
  /** Opens files and starts timers; importing a plugin does nothing. */
  setup(
    settings: z.output<Settings>,
    services: PluginServices,
  ): Promise<PluginInstance<NoInfer<Needs>, NoInfer<Gives>>> | PluginInstance<NoInfer<Needs>, NoInfer<Gives>>;
}

/** What the module of an operator's own plugin exports as `plugin`. */
export type OwnPlugin<
  Settings extends object = object,
  Needs extends Facet = never,
  Gives extends Facet = never,
> = Omit<PluginDefinition<z.ZodType<Settings>, Needs, Gives>, 'settings'> & {
  /** A function without dependencies gets zod. */
  readonly settings: z.ZodType<Settings> | ((zod: typeof z) => z.ZodType<Settings>);
};

export function definePlugin<
  Settings extends z.ZodType,
  const Needs extends Facet = never,
  const Gives extends Facet = never,
>(definition: PluginDefinition<Settings, Needs, Gives>): Plugin {
  return {
    name: definition.name,
    phase: definition.phase,
    after: definition.after ?? [],
    terminal: definition.terminal,
    surfaces: definition.surfaces,
    needs: definition.needs ?? [],
    gives: definition.gives ?? [],
    settings: definition.settings,
    setup: (settings, services) => definition.setup(settings as z.output<Settings>, services),
  };
}
