import type { SurfaceFacet } from '../contract.ts';

/** What the published clients send: a preflight names each of these. */
export function allowHeaders(vendors: readonly string[]): string[] {
  return [
    'Authorization',
    'Content-Type',
    'Accept',
    'If-Match',
    'If-None-Match',
    'Range',
    'X-Continuation',
    'X-Request-ID',
    ...vendors.flatMap((vendor) => [
      `X-${vendor}-SDKID`,
      `X-${vendor}-SOURCE`,
      `X-${vendor}-Wait-For-Loading-New-Content`,
      `X-${vendor}-Content-Sequence`,
    ]),
  ];
}

/** Of a client that is set to another vendor's name: such headers have no effect, but its calls must pass. */
const OF_CLIENTS = /^x-[a-z0-9-]{1,40}-(sdkid|source|wait-for-loading-new-content|content-sequence)$/;

/** @param requested `Access-Control-Request-Headers` */
export function ofOtherVendors(requested: string | undefined): string[] {
  if (requested === undefined) return [];
  return requested
    .split(',', 50)
    .map((name) => name.trim().toLowerCase())
    .filter((name) => OF_CLIENTS.test(name));
}

/** Headers that a page may read, beside the few that it always may. */
export const EXPOSED = [
  'Accept-Ranges',
  'Age',
  'Cache-Status',
  'Content-Range',
  'ETag',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Continuation',
  'X-Request-ID',
  'X-Stale-Content',
] as const;

export function allowMethods(surface: SurfaceFacet['name']): string {
  return surface === 'manage' ? 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' : 'GET, HEAD, OPTIONS';
}
