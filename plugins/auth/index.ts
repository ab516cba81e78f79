import type { IncomingMessage } from 'node:http';
import { type Principal, tokenHash } from '../../core/contract.ts';
import {
  type ClientFacet,
  definePlugin,
  type Facets,
  type ProjectFacet,
  type SurfaceName,
} from '../contract.ts';
import { requireAdminToken, tokenOf } from '../http/bearer.ts';
import { type KnownKey, knownKeys } from './known-keys.ts';
import { presentedKeys } from './presented-keys.ts';
import { ADMIN, notValidHere, RULES, type Rule } from './rules.ts';
import { settings } from './schema.ts';

type State = Pick<Facets, 'surface' | 'project' | 'client'> & Partial<Facets>;

/** Identifies the caller, and refuses those without the right key. */
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
    const hashOf = presentedKeys();

    return {
      onRequest({ req, state }) {
        const rule = RULES[state.surface.name as SurfaceName];
        // A surface without a rule is the operator's.
        if (rule === undefined) return 'handle';
        const needsKey = rule.needsKey(state.project);
        const key = needsKey ? knownKey(req, state.client) : undefined;
        if (needsKey && key === undefined) return 'handle';
        accept(rule, key, req, state);
        return 'next';
      },
      handle: async function auth({ req, state }, next) {
        const rule = RULES[state.surface.name as SurfaceName];
        if (rule === undefined) await acceptAdmin(req, state);
        else accept(rule, await findKey(req, state.client), req, state);
        return next();
      },
      onResponse({ state }) {
        if (state.principal?.kind === 'key') access.used(state.principal.key);
      },
      activate: () => failedAttempts.adopt(failures),
      dispose: async () => keys.close(),
    };

    /** @throws ServiceError 401, 429 */
    async function acceptAdmin(req: IncomingMessage, state: State): Promise<void> {
      await requireAdminToken(req, state.client, services);
      state.principal = ADMIN;
      if (!state.body) return;
      state.body = checkedAtItsEnd(state.body, async () => {
        // A block since the request began, by others at the address, does not count.
        if (!(await access.isAdminToken(tokenHash(tokenOf(req))))) throw notValidHere();
      });
    }

    /** @throws ServiceError 401, 403, 404 */
    function accept(rule: Rule, key: KnownKey | undefined, req: IncomingMessage, state: State): void {
      state.principal = authorize(rule, key, state.project);
      if (!state.body) return;
      // A body may take minutes: the request takes effect only if the key still holds at its end.
      state.body = checkedAtItsEnd(state.body, async () => {
        const { project, client } = state;
        authorize(rule, key && (knownKey(req, client) ?? (await findKey(req, client))), project);
      });
    }

    function authorize(rule: Rule, key: KnownKey | undefined, project: ProjectFacet): Principal {
      // Only a key can expire.
      return rule.authorize(key, project, key === undefined ? 0 : services.clock.now().getTime());
    }

    /** Undefined where the key has to be looked up. @throws unauthorized, rateLimited */
    function knownKey(req: IncomingMessage, client: ClientFacet): KnownKey | undefined {
      const key = keys.known(hashOf(req));
      if (key === null) throw failedAttempts.refusal(client, notValidHere());
      return key;
    }

    async function findKey(req: IncomingMessage, client: ClientFacet): Promise<KnownKey> {
      const key = await failedAttempts.lookUp(client, () => keys.find(hashOf(req)));
      if (key === undefined) throw failedAttempts.refusal(client, notValidHere());
      return key;
    }
  },
});

async function* checkedAtItsEnd(
  body: AsyncIterable<Uint8Array>,
  check: () => unknown,
): AsyncGenerator<Uint8Array> {
  yield* body;
  await check();
}
