import type { IncomingMessage } from 'node:http';
import type { Principal } from '../../core/contract.ts';
import { authorizationOf, bearerToken, isSingle, requireAdminToken, unauthorized } from '../bearer.ts';
import {
  type ClientFacet,
  definePlugin,
  type Facets,
  type ProjectFacet,
  type SurfaceName,
} from '../contract.ts';
import { type KnownKey, knownKeys } from './known-keys.ts';
import { ADMIN, notValidHere, RULES, type Rule } from './rules.ts';
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
  setup({ rememberEntries, rememberUnknown, failures }, services) {
    const { access } = services.core;
    const keys = knownKeys(services, { entries: rememberEntries, missingEntries: rememberUnknown });
    const { failedAttempts } = services;

    return {
      handle: async function auth(ctx, next) {
        const { surface, project, client } = ctx.state;
        const rule = RULES[surface.name as SurfaceName];
        // A surface without a rule of its own is one that nobody but the operator gets to.
        const judge = async () => (rule ? byKey(rule, ctx.req, project, client) : byToken(ctx.req, client));
        ctx.state.principal = await judge();
        const state: Partial<Facets> = ctx.state;
        // A body may take minutes: what it asks for is done if the key still stands when all of it is there.
        if (state.body) {
          const again = async () => (rule ? byKey(rule, ctx.req, project, client) : stillAdmin(ctx.req));
          state.body = checkedAtItsEnd(state.body, again);
        }
        return next();
      },
      fastPath: {
        // Keys that are remembered and good, and projects that need none; `handle` states the reason otherwise.
        handle({ req, state }) {
          const { surface, project } = state;
          const rule = RULES[surface.name as SurfaceName];
          if (rule === undefined || project.facts === null) return 'fallback';
          const key = rule.asks(project) ? rememberedKey(req) : undefined;
          if (key === null) return 'fallback';
          try {
            // Only a key has a time at which it ends.
            state.principal = rule.judge(key, project, key ? services.clock.now().getTime() : 0);
          } catch {
            return 'fallback';
          }
          return 'next';
        },
      },
      onResponse({ state }) {
        if (state.principal?.kind === 'key') access.used(state.principal.key);
      },
      activate: () => failedAttempts.adopt(failures),
      dispose: async () => keys.close(),
    };

    async function byKey(rule: Rule, req: IncomingMessage, project: ProjectFacet, client: ClientFacet) {
      const key = rule.asks(project) ? await keyOf(req, client) : undefined;
      return rule.judge(key, project, services.clock.now().getTime());
    }

    async function keyOf(req: IncomingMessage, client: ClientFacet): Promise<KnownKey> {
      const token = bearerToken(authorizationOf(req));
      if (token === undefined) {
        throw unauthorized("The request needs the header 'Authorization: Bearer <key>'.");
      }
      const known = keys.known(token);
      const key = known === undefined ? await failedAttempts.lookUp(client, () => keys.find(token)) : known;
      if (key === undefined || key === null) throw failedAttempts.refusal(client, notValidHere());
      return key;
    }

    function rememberedKey(req: IncomingMessage): KnownKey | null {
      const token = bearerToken(req.headers.authorization);
      return (token !== undefined && isSingle(req) && keys.known(token)) || null;
    }

    function byToken(req: IncomingMessage, client: ClientFacet): Principal {
      requireAdminToken(req, client, services);
      return ADMIN;
    }

    /** The token was accepted as the request began: a block since then, by others at the address, does not count. */
    function stillAdmin(req: IncomingMessage): void {
      if (!access.isAdminToken(bearerToken(authorizationOf(req)) ?? '')) throw notValidHere();
    }
  },
});

async function* checkedAtItsEnd(
  body: AsyncIterable<Uint8Array>,
  check: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  yield* body;
  await check();
}
