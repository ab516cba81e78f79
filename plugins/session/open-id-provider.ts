import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import type { Clock } from '../contract.ts';
import type { OpenIdSettings } from './schema.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';

/** Endpoints and keys of a provider are read again after so long. */
const DISCOVERY_MS = 3_600_000;
/** A sign-in that has to be fresh is at most so old, in seconds. */
const FRESH_SECONDS = 300;

export type ConfiguredOpenId = OpenIdSettings & {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

/** Why a sign-in was refused. `unavailable`: the provider did not answer. */
export type OpenIdRefusal = 'attempt' | 'canceled' | 'mail' | 'provider' | 'unavailable';

export class OpenIdError extends Error {
  readonly reason: OpenIdRefusal;

  constructor(reason: OpenIdRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface OpenIdPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Verified by the provider. */
  readonly email: string;
  readonly name: string;
}

type Library = typeof import('openid-client');

/** Calls of the OpenID Connect provider, whose library is loaded with the first. */
export class OpenIdProvider {
  readonly #settings: ConfiguredOpenId;
  readonly #clock: Clock;
  #found: { readonly until: number; readonly configuration: Promise<Configuration> } | undefined;

  constructor(settings: ConfiguredOpenId, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Where a browser goes to sign in. @throws OpenIdError */
  async begin(
    redirectUri: string,
    to: string,
    isFresh: boolean,
  ): Promise<{ url: URL; attempt: SignInAttempt }> {
    const library = await loadLibrary();
    const configuration = await this.#configuration(library);
    const attempt: SignInAttempt = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      verifier: library.randomPKCECodeVerifier(),
      ...{ to, isFresh, began: this.#clock.now().getTime() },
    };
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes.join(' '),
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      ...(isFresh && { prompt: 'login', max_age: String(FRESH_SECONDS) }),
    });
    return { url, attempt };
  }

  /** @param url where the provider has sent the browser, with its query. @throws OpenIdError */
  async finish(url: URL, { state, nonce, verifier, isFresh }: SignInAttempt): Promise<OpenIdPerson> {
    const library = await loadLibrary();
    const configuration = await this.#configuration(library);
    const person = await refusing(library, async () => {
      const tokens = await library.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        ...(isFresh && { maxAge: FRESH_SECONDS }),
      });
      const claims = tokens.claims();
      if (claims === undefined || typeof claims['email'] === 'string') return claims;
      if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      const more = await library.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return { ...more, ...claims } as IDToken & UserInfoResponse;
    });
    const email = person?.['email'];
    if (person === undefined || typeof email !== 'string' || person['email_verified'] !== true)
      throw new OpenIdError('mail', 'The provider gives no verified mail address of the person.');
    const name = typeof person['name'] === 'string' && person['name'].trim() !== '' ? person['name'] : email;
    return { issuer: person.iss, subject: person.sub, email, name: name.slice(0, 200) };
  }

  /** Whether people of the domain get a user when they first sign in. */
  createsUser(email: string): boolean {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    return this.#settings.newUsersOf.some((one) => one.toLowerCase() === domain);
  }

  async #configuration(library: Library): Promise<Configuration> {
    const now = this.#clock.monotonic();
    if (this.#found === undefined || this.#found.until <= now)
      this.#found = { until: now + DISCOVERY_MS, configuration: this.#discover(library) };
    const { configuration } = this.#found;
    try {
      return await refusing(library, () => configuration);
    } catch (error) {
      if (this.#found?.configuration === configuration) this.#found = undefined;
      throw error;
    }
  }

  async #discover(library: Library): Promise<Configuration> {
    const { issuer, clientId, clientSecret, timeoutSeconds } = this.#settings;
    const server = new URL(issuer);
    const execute = server.protocol === 'http:' ? [library.allowInsecureRequests] : [];
    const configuration = await library.discovery(server, clientId, clientSecret, undefined, {
      execute: [...execute, library.enableNonRepudiationChecks],
      timeout: timeoutSeconds,
    });
    return configuration;
  }
}

let loaded: Promise<Library> | undefined;

function loadLibrary(): Promise<Library> {
  loaded ??= import('openid-client');
  return loaded;
}

/** @throws OpenIdError, whose message has nothing that the provider or the browser sent */
async function refusing<Value>(library: Library, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof library.AuthorizationResponseError)
      throw new OpenIdError('canceled', 'The provider has not signed the person in.');
    const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
    const isAway =
      code === 'OAUTH_TIMEOUT' ||
      (error instanceof TypeError && code === undefined) ||
      (error instanceof library.ResponseBodyError && error.status >= 500);
    if (isAway) throw new OpenIdError('unavailable', 'The provider does not answer.');
    const what = typeof code === 'string' ? code : String(name);
    throw new OpenIdError('provider', `The answer of the provider was refused (${what}).`);
  }
}
