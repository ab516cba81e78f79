import { type Principal, ServiceError } from '../../core/contract.ts';
import type { Facet, GatewayContext, Next, PluginServices, RequestState } from '../contract.ts';
import { requestLogFields } from '../http/request-log-fields.ts';
import {
  type ConfiguredOpenId,
  OpenIdError,
  OpenIdProvider,
  type OpenIdRefusal,
} from './open-id-provider.ts';
import { AttemptSeal, attemptCookie, attemptOf, endedAttemptCookie } from './sign-in-attempt.ts';

/** Path below the console; the provider sends people to `<path>/callback`. */
const PATH = '/api/session/open-id';
/** A path below the console, with query. */
const PLACE = /^\/(?:[\w\-.~/%]*)(?:\?[\w\-.~/%=&+:,]*)?$/;
const LONGEST_PLACE = 1000;

/** What the sign-in page says; `user`: core has no user for the person. */
type Refusal = OpenIdRefusal | 'user';

interface Checked {
  readonly principal: Principal;
  /** Where the person continues. */
  readonly to: string;
  /** For the case that core refuses the principal. */
  readonly refusal: Refusal;
}

type Context = GatewayContext<RequestState<never, Facet>>;

/**
 * Signs people in through an OpenID Connect provider: authorization code with PKCE. The gateway checks what the provider
 * answers; core finds the user and starts the session.
 */
export class OpenIdSignIn {
  readonly #provider: OpenIdProvider;
  readonly #seal: AttemptSeal;
  readonly #services: Pick<PluginServices, 'clock' | 'log' | 'failedAttempts'>;

  constructor(
    settings: ConfiguredOpenId,
    services: Pick<PluginServices, 'clock' | 'log' | 'failedAttempts'>,
  ) {
    this.#provider = new OpenIdProvider(settings, services.clock);
    this.#seal = new AttemptSeal(settings.clientSecret);
    this.#services = services;
  }

  /** @returns false where the request is for something else */
  async handle(ctx: Context, next: Next): Promise<boolean> {
    const { path } = ctx.state.surface;
    if (ctx.method !== 'GET') return false;
    if (path === PATH) await this.#begin(ctx);
    else if (path === `${PATH}/callback`) await this.#finish(ctx, next);
    else return false;
    return true;
  }

  async #begin(ctx: Context): Promise<void> {
    const query = new URLSearchParams(ctx.state.surface.query);
    const to = query.get('to') ?? '/';
    const place = PLACE.test(to) && to.length <= LONGEST_PLACE ? to : '/';
    try {
      const begun = await this.#provider.begin(callbackOf(ctx), place, query.get('fresh') === 'true');
      const sealed = this.#seal.seal(begun.attempt);
      ctx.append('set-cookie', attemptCookie(sealed, ctx.state.bases.console, cookiePath(ctx)));
      redirect(ctx, begun.url.href);
    } catch (error) {
      if (!(error instanceof OpenIdError)) throw error;
      this.#log(ctx, error);
      redirect(ctx, refusedUrl(ctx, error.reason));
    }
  }

  async #finish(ctx: Context, next: Next): Promise<void> {
    // Images and frames of other sites must not count as guesses of this address.
    const destination = ctx.req.headers['sec-fetch-dest'];
    if (destination !== undefined && destination !== 'document')
      throw new ServiceError('forbidden', 'The provider leads the page itself to this address.');
    this.#services.failedAttempts.refuseBlocked(ctx.state.client, 'password');
    const { principal, to, refusal } = await this.#check(ctx);
    const { state } = ctx;
    const surface = { ...state.surface, path: PATH, query: '' };
    const forwarded = Object.create(ctx, {
      method: { value: 'POST' },
      state: { value: { ...state, surface, principal } },
    }) as GatewayContext;
    let url = `${state.bases.console}${to}`;
    try {
      await next(forwarded);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.errorName !== 'unauthorized') throw error;
      url = refusedUrl(ctx, refusal);
    }
    ctx.append('set-cookie', endedAttemptCookie(state.bases.console, cookiePath(ctx)));
    redirect(ctx, url);
  }

  async #check(ctx: Context): Promise<Checked> {
    const { surface } = ctx.state;
    const cookie = attemptOf(ctx.req.headers.cookie, ctx.state.bases.console);
    const attempt = this.#seal.open(cookie, this.#services.clock.now().getTime());
    try {
      const url = new URL(`${callbackOf(ctx)}?${surface.query}`);
      if (attempt === undefined || url.searchParams.get('state') !== attempt.state)
        throw new OpenIdError('attempt', 'This browser has not begun the sign-in, or too long ago.');
      const person = await this.#provider.finish(url, attempt);
      const createsUser = this.#provider.createsUser(person.email);
      return {
        principal: { kind: 'identity', ...person, isFresh: attempt.isFresh, createsUser },
        to: attempt.to,
        refusal: 'user',
      };
    } catch (error) {
      if (!(error instanceof OpenIdError)) throw error;
      this.#log(ctx, error);
      const { reason } = error;
      return { principal: { kind: 'refused-identity', reason }, to: '/', refusal: reason };
    }
  }

  #log({ state }: Context, { reason, message }: OpenIdError): void {
    this.#services.log.warn(
      { ...requestLogFields(state), reason },
      `A sign-in by OpenID Connect failed: ${message}`,
    );
  }
}

function callbackOf({ state }: Context): string {
  return `${state.bases.console}${PATH}/callback`;
}

function cookiePath({ state }: Context): string {
  return `${new URL(state.bases.console).pathname.replace(/\/$/, '')}${PATH}`;
}

function refusedUrl({ state }: Context, reason: Refusal): string {
  return `${state.bases.console}/sign-in?refused=${reason}`;
}

function redirect(ctx: Context, url: string): void {
  ctx.status = 303;
  ctx.set('location', url);
  ctx.set('cache-control', 'no-store');
  ctx.set('referrer-policy', 'no-referrer');
  ctx.body = '';
}
