import type { SurfaceFacet } from '../contract.ts';

/** Surfaces that the console forwards to, by the start of the path, and what their own path starts with. */
const TARGETS = [
  { prefix: '/api/manage/', name: 'manage', start: '/v2/' },
  { prefix: '/api/admin/', name: 'admin', start: '/' },
  { prefix: '/api/delivery/', name: 'delivery', start: '/' },
  { prefix: '/api/preview/', name: 'preview', start: '/' },
] as const;

/** Where a call of the console goes; undefined for its own calls. */
export function target({ path, query }: SurfaceFacet): SurfaceFacet | undefined {
  const found = TARGETS.find(({ prefix }) => path.startsWith(prefix));
  return found && { name: found.name, path: found.start + path.slice(found.prefix.length), query };
}
