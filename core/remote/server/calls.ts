import { z } from 'zod';
import { ROLES } from '../../../config/role-settings.ts';
import type { Core } from '../../compose/core.ts';
import type { RunningCore } from '../../compose/create-core.ts';
import type { CancelSignal } from '../../turns/cancel-signal.ts';
import { COUNTED_SURFACES } from '../../usage/counts.ts';
import type { CallName, Calls } from '../protocol/calls.ts';
import { Refusal } from './refusal.ts';

/** What gateways use of a core. */
export type ServedCore = Omit<Core, 'close' | 'feed'> & Pick<RunningCore, 'gatewayFeed'>;

/** An id, a hash or a date: longer texts name nothing. */
const text = z.string().max(200);

const processState = z.object({
  role: z.enum(ROLES),
  instance: text,
  version: text,
  started: text,
  address: text.nullable(),
  configuration: text.nullable(),
  protocol: z.int().min(0).nullable(),
});

const inputs = {
  project: z.object({ id: text }),
  key: z.object({ hash: text }),
  'admin-token': z.object({ hash: text }),
  'keys-used': z.object({ keys: z.array(text).max(10_000) }),
  usage: z.object({
    source: text,
    number: z.int().min(0),
    counts: z
      .array(
        z.object({
          project: text,
          surface: z.enum(COUNTED_SURFACES),
          day: z.string().regex(/^\d{4}-\d\d-\d\d$/),
          calls: z.int().min(0),
        }),
      )
      .max(100_000),
  }),
  quotas: z.object({ project: text }),
  'feed-confirmed': z.object({ gateway: text, sequence: z.int().min(0), process: processState.optional() }),
  'gateway-report': z.object({ gateway: text, request: text, report: z.unknown() }),
  openapi: z.null(),
  health: z.null(),
} satisfies { readonly [Name in CallName]: z.ZodType<Calls[Name]['input']> };

type Handlers = {
  readonly [Name in CallName]: (
    input: Calls[Name]['input'],
    signal: CancelSignal,
  ) => Promise<Calls[Name]['output']>;
};

/**
 * The functions of core behind `/calls/<name>`, of the bytes of their input. Both throw a Refusal, for a name without a
 * function and for wrong input.
 */
export function callsOf(
  core: ServedCore,
): (name: string) => (input: Buffer, signal: CancelSignal) => Promise<unknown> {
  const handlers: Handlers = {
    project: async ({ id }) => (await core.access.project(id)) ?? null,
    key: async ({ hash }) => (await core.access.key(hash)) ?? null,
    'admin-token': ({ hash }) => core.access.isAdminToken(hash),
    'keys-used': async ({ keys }) => {
      for (const key of keys) core.access.used(key);
      return null;
    },
    usage: async (batch, signal) => {
      await core.usage.add(batch, signal);
      return null;
    },
    quotas: async ({ project }) => [...(await core.usage.quotas(project))],
    'feed-confirmed': async ({ gateway, sequence, process }) => {
      core.gatewayFeed.confirm(gateway, sequence, process);
      return null;
    },
    'gateway-report': async ({ gateway, request, report = null }) => {
      core.gatewayFeed.reports.received(gateway, request, report);
      return null;
    },
    openapi: () => core.openapi(),
    health: () => core.health(),
  };
  return (name) => {
    if (!isName(name)) throw new Refusal(404, 'Core has no such call.');
    const handler: (input: never, signal: CancelSignal) => Promise<unknown> = handlers[name];
    return async (bytes, signal) => {
      const input = inputs[name].safeParse(parse(bytes));
      if (!input.success) throw new Refusal(400, `The body is no input of the call ${name}.`);
      return handler(input.data as never, signal);
    };
  };
}

function isName(name: string): name is CallName {
  return Object.hasOwn(inputs, name);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
