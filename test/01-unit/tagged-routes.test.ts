/** Which calls honour `If-Match`, and for which object. */
import { expect } from 'chai';
import { routes as adminRoutes } from '../../core/admin/routes.ts';
import type { Route } from '../../core/http/route.ts';
import { TaggedObjects } from '../../core/http/tagged-objects.ts';
import { routesV2 } from '../../core/management/v2/routes.ts';

/** What one GET reads and no one edits: a version never changes, the state of the others changes by itself. */
const UNTAGGED = [
  'GET projects/:project/items/:item/variants/:language/versions/:version',
  'GET projects/:project/acts/:job',
  'GET projects/:project/webhooks/:webhook/notifications/:notification',
  'GET jobs/:job',
  'GET projects/:project/exports/:job',
];

const HONOURED: Readonly<Record<string, string | undefined>> = {
  'PUT items/<item>': 'items/<item>',
  'PUT items/<item>/variants/<language>': 'items/<item>/variants/<language>',
  'PUT items/<item>/variants/<language>/publish': 'items/<item>/variants/<language>',
  'PATCH types/<type>': 'types/<type>',
  'DELETE taxonomies/<taxonomy>': 'taxonomies/<taxonomy>',
  'PATCH folders': 'folders',
  'POST types': undefined,
  'PUT projects/:project/sitemap': 'projects/:project/sitemap',
  'PATCH users/:user': 'users/:user',
  'PUT users/:user/operator': 'users/:user',
  'DELETE roles/:role': 'roles/:role',
  'POST projects/:project/keys/:slot/regenerate': 'projects/:project/keys/:slot',
  'POST projects/:project/items/:item/archive': 'projects/:project/items/:item',
  'PUT projects/:project/webhooks/:webhook/enable': 'projects/:project/webhooks/:webhook',
  'PUT projects/:project/secure-access': 'projects/:project',
  'POST projects': undefined,
};

describe('the objects with an ETag', () => {
  const surfaces: readonly (readonly Route<unknown>[])[] = [adminRoutes, routesV2];
  const nameOf = ({ method, path }: Route<unknown>) => `${method} ${path}`;

  it('are all that a GET reads by its id', () => {
    const untagged = surfaces
      .flat()
      .filter(
        ({ method, path, tagged }) => method === 'GET' && /[:<]\w+>?$/.test(path) && tagged === undefined,
      );
    expect(untagged.map(nameOf)).to.deep.equal(UNTAGGED);
  });

  it('are at the path of a write, or the nearest above it', () => {
    const found = surfaces.flatMap((routes) => {
      const objects = new TaggedObjects(routes);
      return routes
        .filter((route) => nameOf(route) in HONOURED)
        .map((route) => [nameOf(route), objects.changedBy(route)?.path]);
    });
    expect(Object.fromEntries(found)).to.deep.equal(HONOURED);
  });
});
