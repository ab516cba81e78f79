import { definePlugin, type SurfaceName } from '../contract.ts';
import { makeChecks } from './checks.ts';
import { knownKeys } from './known-keys.ts';
import { settings } from './schema.ts';

/** Tells who calls, and turns away who may not. */
export const plugin = definePlugin({
  name: 'auth',
  phase: 'identify',
  after: ['project'],
  surfaces: ['delivery', 'preview', 'manage', 'assets', 'admin'],
  needs: ['project'],
  gives: ['principal'],
  settings,
  setup({ rememberEntries }, kit) {
    const keys = knownKeys(kit, rememberEntries);
    const checks = makeChecks(keys, kit);
    return {
      handle: async function auth(ctx, next) {
        const { surface, project } = ctx.state;
        const check = checks[surface.name as SurfaceName];
        // A surface without a rule of its own is one that nobody but the operator gets to.
        const rule = check ?? checks.admin!;
        ctx.state.principal = await rule(ctx.req.headers.authorization, project);
        return next();
      },
      dispose: async () => keys.close(),
    };
  },
});
