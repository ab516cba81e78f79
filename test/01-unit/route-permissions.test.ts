/** What a person needs for each call, against a table by hand: a changed or new route has to be changed there as well. */
import { expect } from 'chai';
import { routes as adminRoutes } from '../../core/admin/routes.ts';
import type { RouteDescription } from '../../core/http/route.ts';
import type { Routed } from '../../core/http/router.ts';
import { routesV2 } from '../../core/management/v2/routes.ts';
import { ROUTE_PERMISSIONS } from '../support/console/route-permissions.ts';

const permissionsOf = (routes: readonly (Routed & RouteDescription)[]) =>
  Object.fromEntries(routes.map(({ method, path, permission }) => [`${method} ${path}`, permission]));

describe('what a person who signed in needs', () => {
  it('for the calls of the admin API', () => {
    expect(permissionsOf(adminRoutes)).to.deep.equal(ROUTE_PERMISSIONS.admin);
  });

  it('for the calls of the management API', () => {
    expect(permissionsOf(routesV2)).to.deep.equal(ROUTE_PERMISSIONS.management);
  });
});
