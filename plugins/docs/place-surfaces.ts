/**
 * Puts the real places of the surfaces into the document: the leading `/<surface>` of each path gives way to
 * the path of that surface's base URL, and `servers` names the origins.
 */
type Json = Record<string, unknown>;
type PathItem = Json & { readonly 'x-surface'?: string; readonly servers?: readonly Server[] };

interface Server {
  readonly url: string;
  readonly description?: string;
}

/**
 * @param document paths start with `/<surface>` and carry `x-surface`
 * @param bases base URL of each surface, without a slash at the end; the one of `docs` gives the origin of the
 *   document, a surface at another origin gets `servers` of its own
 */
export function placeSurfaces(document: Json, bases: Readonly<Record<string, string>>): Json {
  const home = new URL(bases['docs']!).origin;
  const paths: Record<string, PathItem> = {};
  for (const [template, item] of Object.entries(document['paths'] as Record<string, PathItem>)) {
    const surface = item['x-surface'];
    const base = surface === undefined ? undefined : bases[surface];
    if (surface === undefined || base === undefined) {
      paths[template] = item;
      continue;
    }
    const { origin, pathname } = new URL(base);
    const place = pathname.replace(/\/$/, '') + template.slice(surface.length + 1) || '/';
    const placed: PathItem =
      origin === home ? item : { ...item, servers: [{ url: origin, description: `Host of ${surface}.` }] };
    const there = paths[place];
    paths[place] = there ? sameCall(there, placed, home) : placed;
  }
  return { ...document, servers: [{ url: home }], paths };
}

/**
 * Two surfaces whose hosts differ but whose paths are the same are one path with two servers; its security
 * then allows what either allows.
 */
function sameCall(there: PathItem, here: PathItem, home: string): PathItem {
  const get = there['get'] as Json;
  const other = here['get'] as Json;
  return {
    ...there,
    servers: [...(there.servers ?? [{ url: home }]), ...(here.servers ?? [{ url: home }])],
    get: {
      ...get,
      tags: [...(get['tags'] as string[]), ...(other['tags'] as string[])],
      security: [...(get['security'] as Json[]), ...(other['security'] as Json[])],
    },
  };
}
