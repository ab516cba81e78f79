import type { RunningCore } from '../../compose/create-core.ts';
import type { CallName, Calls } from '../protocol/calls.ts';

type Handlers = {
  readonly [Name in CallName]: (input: Calls[Name]['input']) => Promise<Calls[Name]['output']>;
};

/** The functions of core behind `/calls/<name>`. */
export function callsOf(
  core: Omit<RunningCore, 'close'>,
): Readonly<Record<string, ((input: unknown) => Promise<unknown>) | undefined>> {
  const handlers: Handlers = {
    project: async ({ id }) => (await core.access.project(id)) ?? null,
    key: async ({ hash }) => (await core.access.key(hash)) ?? null,
    'admin-token': ({ hash }) => core.access.isAdminToken(hash),
    'keys-used': async ({ keys }) => {
      for (const key of keys) core.access.used(key);
      return null;
    },
    usage: async (batch) => {
      await core.usage.add(batch);
      return null;
    },
    quotas: async ({ project }) => [...(await core.usage.quotas(project))],
    'feed-confirmed': async ({ gateway, sequence }) => {
      core.gatewayFeed.confirm(gateway, sequence);
      return null;
    },
    openapi: () => core.openapi(),
    health: () => core.health(),
  };
  return Object.assign(Object.create(null), handlers);
}
