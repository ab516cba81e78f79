import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { adminOpenapi } from '../../core/admin/openapi.ts';
import { routes as adminRoutes } from '../../core/admin/routes.ts';
import type { Route } from '../../core/http/route.ts';
import { managementOpenapi } from '../../core/management/openapi.ts';
import { routesV1 } from '../../core/management/v1/routes.ts';
import { routesV2 } from '../../core/management/v2/routes.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Exports of the modules of a folder with matching names. */
async function exportsOf(folder: string, names: RegExp): Promise<[name: string, value: unknown][]> {
  const root = new URL(`../../${folder}/`, import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const modules = await Promise.all(files.map((file) => import(new URL(file, root).href) as Promise<object>));
  return modules.flatMap((one) =>
    Object.entries(one).filter(([name, value]) => names.test(name) && typeof value === 'object'),
  );
}

for (const { folder, routes, openapi } of [
  { folder: 'core/admin', routes: adminRoutes, openapi: adminOpenapi },
  { folder: 'core/management', routes: [...routesV1, ...routesV2], openapi: managementOpenapi },
] as const) {
  describe(`The routes of ${folder}`, () => {
    it('are all listed in routes.ts', async () => {
      const found = await exportsOf(folder, /Routes$/);
      expect(found).not.to.have.length(0);
      const listed = new Set(routes.map(({ id }) => id));
      const missing = found.flatMap(([name, value]) =>
        (value as readonly Route<unknown>[])
          .filter((route) => !listed.has(route.id))
          .map(({ method, path }) => `${name}: ${method} ${path}`),
      );
      expect(missing).to.deep.equal([]);
    });

    it('are all in the OpenAPI document, with the schemas of their modules', async () => {
      const { paths, components } = openapi();
      const described = new Set(
        Object.entries(paths).flatMap(([path, item]) =>
          METHODS.filter((method) => method in item).map((method) => `${method.toUpperCase()} ${path}`),
        ),
      );
      for (const { method, path } of routes) {
        const template = path
          .split('/')
          .map((part) => part.replace(/^:(\w+)$/, '{$1}').replace(/^<(\w+)>$/, '{$1_id}'))
          .join('/');
        const isDescribed = [...described].some(
          (one) => one.startsWith(`${method} `) && (path === '' || one.endsWith(`/${template}`)),
        );
        expect(isDescribed, `${method} ${path}`).to.equal(true);
      }
      const found = await exportsOf(folder, /Schemas(V1)?$/);
      expect(found).not.to.have.length(0);
      const names = found.flatMap(([, value]) => Object.keys(value as object));
      expect(components.schemas).to.have.all.keys(...names);
    });
  });
}
