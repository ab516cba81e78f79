/** A real OpenID Connect provider (oidc-provider) on loopback, which can also be made to answer wrongly. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'headwater', secret: 'a-secret-of-the-client-0123456789' };
const KEY_ID = 'signing';

/** Who signs in next, as the provider knows the person. */
export interface ProviderPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

export interface RunningProvider {
  readonly issuer: string;
  person: ProviderPerson;
  /** Changes the claims of the next ID token. */
  tamper: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** It takes requests and never answers. */
  isSilent: boolean;
  /** Paths that were asked for. */
  readonly requests: string[];
  /** Registers the client. @param redirectUris of the console */
  open(redirectUris: readonly string[]): void;
  close(): Promise<void>;
}

export async function runOpenIdProvider(): Promise<RunningProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = (_, response) =>
    response.writeHead(503).end();
  const server = createServer((request, response) => {
    running.requests.push(request.url?.split('?')[0] ?? '');
    if (!running.isSilent) void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const nonces = new Map<string, string>();

  const running: RunningProvider = {
    issuer,
    person: { sub: 'nobody' },
    tamper: undefined,
    isSilent: false,
    requests: [],
    open(redirectUris) {
      const provider = new Provider(issuer, {
        clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [...redirectUris] }],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }] },
        cookies: { keys: ['a key of the cookies'] },
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        features: { devInteractions: { enabled: false } },
        pkce: { required: () => true },
        interactions: { url: (_, { uid }) => `/interaction/${uid}` },
        findAccount: (_, accountId) => ({ accountId, claims: () => ({ ...running.person, sub: accountId }) }),
        async loadExistingGrant(ctx) {
          const { client, session } = ctx.oidc;
          const grant = new ctx.oidc.provider.Grant({
            clientId: client!.clientId,
            accountId: session!.accountId!,
          });
          grant.addOIDCScope('openid email profile');
          await grant.save();
          return grant;
        },
      });
      const own = provider.callback();
      answer = async (request, response) => {
        const url = new URL(request.url ?? '/', issuer);
        const nonce = url.searchParams.get('nonce');
        const state = url.searchParams.get('state');
        if (url.pathname === '/auth' && nonce !== null && state !== null) nonces.set('last', nonce);
        if (url.pathname.startsWith('/interaction/'))
          return provider.interactionFinished(request, response, {
            login: { accountId: running.person.sub },
          });
        if (url.pathname !== '/token' || running.tamper === undefined) return own(request, response);
        await text(request);
        const now = Math.floor(Date.now() / 1000);
        const claims = running.tamper({
          ...running.person,
          ...{
            iss: issuer,
            aud: CLIENT.id,
            nonce: nonces.get('last'),
            iat: now,
            exp: now + 60,
            auth_time: now,
          },
        });
        response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
        response.end(
          JSON.stringify({
            access_token: 'an access token',
            token_type: 'Bearer',
            expires_in: 60,
            id_token: signed(claims),
          }),
        );
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function signed(claims: Record<string, unknown>): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'RS256', kid: KEY_ID, typ: 'JWT' })}.${part(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
  }
  return running;
}
