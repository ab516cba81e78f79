import type { SurfaceFacet } from '../contract.ts';

/** What the published clients send: browsers ask for leave for each of these by name. */
export function allowHeaders(vendors: readonly string[]): string[] {
  return [
    'Authorization',
    'Content-Type',
    'Accept',
    'If-None-Match',
    'Range',
    'X-Continuation',
    'X-Request-ID',
    ...vendors.flatMap((vendor) => [
      `X-${vendor}-SDKID`,
      `X-${vendor}-SOURCE`,
      `X-${vendor}-Wait-For-Loading-New-Content`,
    ]),
  ];
}

/** What a page may read of an answer beside the few headers that are always readable. */
export const EXPOSED = [
  'ETag',
  'Location',
  'Retry-After',
  'X-Continuation',
  'X-Request-ID',
  'X-Stale-Content',
] as const;

export function allowMethods(surface: SurfaceFacet['name']): string {
  return surface === 'manage' ? 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' : 'GET, HEAD, OPTIONS';
}
