/**
 * Applies the base URLs of the surfaces to the document: their paths replace the leading `/<surface>`, and `servers` has
 * the origins.
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
export function applyBaseUrls(document: Json, bases: Readonly<Record<string, string>>): Json {
  const docsOrigin = new URL(bases['docs']!).origin;
  const paths: Record<string, PathItem> = {};
  for (const [template, item] of Object.entries(document['paths'] as Record<string, PathItem>)) {
    const surface = item['x-surface'];
    const base = surface === undefined ? undefined : bases[surface];
    if (surface === undefined || base === undefined) {
      paths[template] = item;
      continue;
    }
    const { origin, pathname } = new URL(base);
    const path = pathname.replace(/\/$/, '') + template.slice(surface.length + 1) || '/';
    const moved: PathItem =
      origin === docsOrigin
        ? item
        : { ...item, servers: [{ url: origin, description: `Host of ${surface}.` }] };
    const first = paths[path];
    paths[path] = first ? sameCall(first, moved, docsOrigin) : moved;
  }
  return { ...document, servers: [{ url: docsOrigin }], paths };
}

/**
 * Two surfaces whose hosts differ but whose paths are the same are one path with two servers; its security
 * then allows what either allows.
 */
function sameCall(first: PathItem, second: PathItem, docsOrigin: string): PathItem {
  const get = first['get'] as Json;
  const other = second['get'] as Json;
  return {
    ...first,
    servers: [...(first.servers ?? [{ url: docsOrigin }]), ...(second.servers ?? [{ url: docsOrigin }])],
    get: {
      ...get,
      tags: [...(get['tags'] as string[]), ...(other['tags'] as string[])],
      security: [...(get['security'] as Json[]), ...(other['security'] as Json[])],
    },
  };
}
