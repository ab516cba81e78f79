import { z } from 'zod';
import { GATEWAY_ROLES } from './role-settings.ts';

/** The APIs and pages of the service; the gateway itself answers `health`, `metrics`, `docs` and `console`. */
export const SURFACES = [
  'delivery',
  'preview',
  'manage',
  'assets',
  'admin',
  'console',
  'docs',
  'health',
  'metrics',
] as const;

export type SurfaceName = (typeof SURFACES)[number];

export const hostName = z
  .string()
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/,
    'must be a host name in lower case, without port',
  );

const prefix = z
  .string()
  .regex(/^(\/[A-Za-z0-9._~-]+)+$/, "must start with '/' and not end with one, for example /delivery");

const publicUrl = z
  .string()
  .regex(
    /^https?:\/\/[^/?#\s@]+(\/[^?#\s]*[^/?#\s])?$/,
    'must be an absolute http or https URL without a slash at its end, query, fragment, user name or password',
  )
  .refine((text) => URL.canParse(text), 'must be a URL with a host name and port that can exist');

function surface(name: SurfaceName, hosts: string[]) {
  return z
    .strictObject({
      prefix: prefix.default(`/${name}`).describe('Path prefix, on any host.'),
      hosts: z.array(hostName).default(hosts).describe('Host names that need no prefix.'),
      publicUrl: publicUrl
        .nullable()
        .default(null)
        .meta({
          description:
            'Base of its absolute URLs in responses; null = scheme, host and prefix of the request.',
          // The command line makes sign-in links where core runs.
          ...(name === 'console' && { roles: [...GATEWAY_ROLES, 'core'] }),
        }),
    })
    .prefault({})
    .describe(`Addresses of the ${name} surface.`);
}

export const surfaceSettings = z
  .strictObject({
    delivery: surface('delivery', ['deliver.localhost']),
    preview: surface('preview', ['preview-deliver.localhost']),
    manage: surface('manage', ['manage.localhost']),
    assets: surface('assets', ['assets.localhost']),
    admin: surface('admin', []),
    console: surface('console', []),
    docs: surface('docs', []),
    health: surface('health', []),
    metrics: surface('metrics', []),
  })
  .prefault({})
  .check(({ value, issues }) => {
    const seen = new Map<string, string>();
    for (const name of SURFACES) {
      for (const address of [value[name].prefix, ...value[name].hosts]) {
        const other = seen.get(address);
        if (other) {
          const path = address.startsWith('/') ? [name, 'prefix'] : [name, 'hosts'];
          const message = `must differ from ${other}: two surfaces cannot both be at ${address}`;
          issues.push({ code: 'custom', path, message, input: address });
        }
        seen.set(address, `surfaces.${name}`);
      }
    }
  })
  .meta({
    live: true,
    roles: GATEWAY_ROLES,
    description: 'Addresses of the surfaces: a path prefix on any host, and host names.',
  });
