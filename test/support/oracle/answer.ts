/**
 * The whole oracle: a content set and a request in, the expected status and JSON out. Slow and plain on
 * purpose: every step reads as its table of the specification.
 */
import { compareCodePoints } from './code-points.ts';
import { fieldsOf, type OracleChannel, type OracleContent } from './content.ts';
import { passes } from './filters.ts';
import { itemJson } from './item-json.ts';
import { modularContent } from './linked.ts';
import { elementJson, languageJson, taxonomyJson, typeJson } from './model-json.ts';
import { inOrder } from './order.ts';
import { OracleError, type Query, readQuery } from './query.ts';
import { type Bases, nextPageParameters, type Pairs } from './urls.ts';
import { type Found, find, findAll, openView, type View } from './view.ts';

export interface Expected {
  readonly status: number;
  /** Without `pagination.next_page`, which is in `next`. */
  readonly body: unknown;
  /** Parameters of `next_page`; null when there is no next page, undefined when the answer has no pages. */
  readonly next?: Pairs | null;
  /** Set for errors: the body's `error_code`. */
  readonly errorCode?: number;
}

/** @param path below the project: `/items`, `/types/article`. */
export function expectedAnswer(
  content: OracleContent,
  channel: OracleChannel,
  path: string,
  queryText: string,
  bases: Bases,
): Expected {
  try {
    const segments = path.split('/').slice(1).map(decodeURIComponent);
    // Two resources take no parameters at all, so none of theirs can be wrong.
    const [resource, name, sub] = segments;
    const takesNone = sub === 'elements' || (resource === 'taxonomies' && name !== undefined);
    return route(content, channel, segments, readQuery(takesNone ? '' : queryText), bases);
  } catch (error) {
    if (!(error instanceof OracleError)) throw error;
    return { status: error.status, errorCode: error.code, body: undefined };
  }
}

function route(
  content: OracleContent,
  channel: OracleChannel,
  [resource, name, sub, subName, ...rest]: readonly string[],
  query: Query,
  bases: Bases,
): Expected {
  const view = openView(content, channel, query.language);
  if (rest.length > 0) throw new OracleError(404, 1);
  if (sub !== undefined && !(resource === 'types' && sub === 'elements' && subName !== undefined))
    throw new OracleError(404, 1);
  switch (resource) {
    case 'items':
      return name === undefined ? listing(view, query, bases) : single(view, name, query, bases);
    case 'items-feed':
      return feed(view, query, bases);
    case 'types': {
      if (name === undefined) {
        const types = sorted(content.types).map((type) => typeJson(content, type, query.projection));
        return collection('types', types, query);
      }
      const type = content.types.find((candidate) => candidate.codename === name);
      if (!type) throw new OracleError(404, 101);
      if (subName === undefined) return { status: 200, body: typeJson(content, type, query.projection) };
      const field = fieldsOf(content, type).find((candidate) => candidate.codename === subName);
      if (!field) throw new OracleError(404, 102);
      return { status: 200, body: elementJson(content, field) };
    }
    case 'taxonomies': {
      if (name === undefined)
        return collection('taxonomies', sorted(content.taxonomies).map(taxonomyJson), query);
      const taxonomy = content.taxonomies.find((candidate) => candidate.codename === name);
      if (!taxonomy) throw new OracleError(404, 104);
      return { status: 200, body: taxonomyJson(taxonomy) };
    }
    case 'languages': {
      if (name !== undefined) throw new OracleError(404, 1);
      // In the order they were added, so that the default language comes first.
      const active = content.languages.filter((language) => language.active);
      return collection('languages', active.map(languageJson), query);
    }
    default:
      throw new OracleError(404, 1);
  }
}

function sorted<T extends { readonly codename: string }>(things: readonly T[]): T[] {
  return [...things].sort((a, b) => compareCodePoints(a.codename, b.codename));
}

/** All items that pass the filters, in order, before paging. */
export function matching(view: View, query: Query, bases: Bases): Found[] {
  const found = findAll(view).filter((one) =>
    query.filters.every((filter) => passes(view, one, filter, bases)),
  );
  return inOrder(view, found, query.order, bases);
}

function listing(view: View, query: Query, bases: Bases): Expected {
  const all = matching(view, query, bases);
  const { page, pagination, next } = paged(all, query);
  return {
    status: 200,
    next,
    body: {
      items: page.map((found) => itemJson(view, found, bases, query.projection)),
      modular_content: modularContent(view, page, query.depth, bases, query.projection),
      pagination: query.total ? { ...pagination, total_count: all.length } : pagination,
    },
  };
}

/** The feed as a whole, its pages put together (only components in `modular_content`). */
function feed(view: View, query: Query, bases: Bases): Expected {
  const all = matching(view, query, bases);
  return {
    status: 200,
    body: {
      items: all.map((found) => itemJson(view, found, bases, query.projection)),
      modular_content: modularContent(view, all, 0, bases, query.projection),
    },
  };
}

function single(view: View, codename: string, query: Query, bases: Bases): Expected {
  const item = view.content.items.find((candidate) => candidate.codename === codename);
  const found = item && find(view, item);
  if (!found || !query.filters.every((filter) => passes(view, found, filter, bases)))
    throw new OracleError(404, 100);
  return {
    status: 200,
    body: {
      item: itemJson(view, found, bases, query.projection),
      modular_content: modularContent(view, [found], query.depth, bases, query.projection),
    },
  };
}

function collection(name: string, all: readonly object[], query: Query): Expected {
  const { page, pagination, next } = paged(all, query);
  return { status: 200, next, body: { [name]: page, pagination } };
}

function paged<T>(all: readonly T[], query: Query) {
  const { skip, limit } = query;
  const page = all.slice(skip, limit === undefined ? undefined : skip + limit);
  const more = skip + page.length < all.length;
  return {
    page,
    pagination: { skip, limit: limit ?? 0, count: page.length },
    next: more ? nextPageParameters(query.pairs, skip + page.length) : null,
  };
}
