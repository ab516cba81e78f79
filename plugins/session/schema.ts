import { z } from 'zod';

const calls = (period: string, normal: number) =>
  z.int().min(1).max(10_000_000).default(normal).describe(`Calls of one session in any ${period}.`);

const openId = z
  .strictObject({
    issuer: z
      .string()
      .refine(isSafeUrl, 'must be an https:// URL; http:// only on this machine')
      .nullable()
      .default(null)
      .describe(
        'URL of the provider, as its discovery document names it; null = people sign in with passwords and links only. Its redirect URI is `<console>/api/session/open-id/callback`.',
      ),
    clientId: z.string().min(1).max(500).nullable().default(null).describe('Name of this client there.'),
    clientSecret: z
      .string()
      .min(1)
      .max(2000)
      .nullable()
      .default(null)
      .meta({ secret: true, description: 'Secret of this client there; the same on every gateway.' }),
    name: z
      .string()
      .min(1)
      .max(60)
      .default('OpenID Connect')
      .describe('What the sign-in page calls the provider.'),
    scopes: z
      .array(
        z
          .string()
          .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be visible ASCII characters without spaces and quotes'),
      )
      .max(20)
      .default(['openid', 'email', 'profile'])
      .describe('What the provider is asked for. The mail address is needed, and has to be verified there.'),
    newUsersOf: z
      .array(z.string().regex(/^[^\s@]+$/, 'must be the part of a mail address behind the @'))
      .max(100)
      .default([])
      .describe(
        'Domains of mail addresses whose people get a user, without roles, when they first sign in; empty = people need a user before.',
      ),
    timeoutSeconds: z
      .number()
      .min(0.1)
      .max(60)
      .default(5)
      .describe('How long one call of the provider may take.'),
  })
  .superRefine(({ issuer, clientId, clientSecret, scopes }, context) => {
    if (issuer === null) return;
    const missing = clientId === null ? 'clientId' : clientSecret === null ? 'clientSecret' : undefined;
    if (missing !== undefined)
      context.addIssue({ code: 'custom', path: [missing], message: 'is missing beside the issuer' });
    if (!scopes.includes('openid'))
      context.addIssue({ code: 'custom', path: ['scopes'], message: "must include 'openid'" });
  })
  .prefault({})
  .describe('Signing in through an OpenID Connect provider.');

export type OpenIdSettings = z.output<typeof openId>;

export const settings = z.strictObject({
  limits: z
    .strictObject({ second: calls('second', 50), minute: calls('minute', 1000), hour: calls('hour', 20_000) })
    .prefault({})
    .describe('A browser with one person; calls are not counted as usage of a project.'),
  openId,
});

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return (
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  );
}
