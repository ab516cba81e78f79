import type { SurfaceFacet } from '../contract.ts';

/**
 * The project id in a path, lower case; undefined where the path names none. It comes first on the read
 * surfaces, behind `projects` and an optional version on manage: `/v2/projects/{id}/…`, `/projects/{id}/…`.
 */
export function projectIdOf(surface: SurfaceFacet): string | undefined {
  const { path } = surface;
  const start = surface.name === 'manage' ? afterProjects(path) : 1;
  if (start === undefined) return undefined;
  const end = path.indexOf('/', start);
  const raw = end === -1 ? path.slice(start) : path.slice(start, end);
  if (raw === '') return undefined;
  // The plugin `limits` has checked the encoding.
  return (raw.includes('%') ? decodeURIComponent(raw) : raw).toLowerCase();
}

function afterProjects(path: string): number | undefined {
  if (path.startsWith('/projects/')) return 10;
  const version = path.indexOf('/', 1);
  if (version === -1 || !path.startsWith('/projects/', version)) return undefined;
  return version + 10;
}
