import { z } from 'zod';
import { KEY_DAYS_LIMIT, KEY_SLOTS } from '../access/key-kinds.ts';
import {
  type KeyListing,
  listKeys,
  type NewKey,
  regenerateKey,
  regenerateManagementKey,
  revokeKey,
} from '../access/keys.ts';
import { requireOwnKey } from '../access/permissions.ts';
import { createManagementKey, setManagementApi, setSecureAccess } from '../access/projects.ts';
import { replaceAdminToken } from '../access/replace-admin-token.ts';
import { ServiceError } from '../errors.ts';
import { closed, id, orNull, text, time } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { type Answer, type Call, NOTHING, ok } from './call.ts';
import { creates, lists, routesOf, shows, string, stringOrNull } from './route.ts';

const boolean = { type: 'boolean' };

const enabled = z.boolean("'enabled' must be true or false.");
const NO_USER = "'user_id' is missing or no text.";
const user = z.string(NO_USER).min(1, NO_USER);
const DAYS = `'expires_in_days' must be a whole number from 1 to ${KEY_DAYS_LIMIT}.`;
const days = z.int(DAYS).min(1, DAYS).max(KEY_DAYS_LIMIT, DAYS).nullish();

const SECURE_ACCESS = z.object({ enabled });
const MANAGEMENT_API = z.object({ enabled, user_id: user.nullish() });
const NEW_KEY = z.object({ user_id: user, expires_in_days: days });
const RENEWED_KEY = z.object({ expires_in_days: days });

const managementKeySchema = closed({ id: string, key: string, user_id: string, expires: stringOrNull });

const route = routesOf({ read: 'manage-apis', write: 'manage-apis' });

export const keyRoutes = [
  route('PUT projects/:project/secure-access', {
    id: 'setSecureAccess',
    summary: 'Turn secure access on or off',
    body: bodyOf(SECURE_ACCESS),
    answers: shows(
      closed({ enabled: boolean, primary: string, secondary: string }, undefined, ['primary', 'secondary']),
    ),
    handler: async ({ operations, at, body }) => {
      const { enabled } = await body(SECURE_ACCESS);
      return ok(await operations.installation(null, (to) => setSecureAccess(to, at('project'), enabled)));
    },
  }),
  route('PUT projects/:project/management-api', {
    id: 'setManagementApi',
    summary: 'Turn the management API on or off',
    body: bodyOf(MANAGEMENT_API),
    answers: shows(closed({ enabled: boolean, key: string }, undefined, ['key'])),
    handler: async ({ operations, person, at, body }) => {
      const { enabled, user_id } = await body(MANAGEMENT_API);
      if (typeof user_id === 'string') requireOwnKey(person, user_id);
      const set = await operations.installation(null, (to) =>
        setManagementApi(to, at('project'), enabled, user_id ?? undefined),
      );
      return ok({ enabled: set.enabled, ...(set.key && { key: set.key.key }) });
    },
  }),
  route('GET projects/:project/keys', {
    id: 'listKeys',
    summary: 'List the keys of a project',
    answers: lists('keys', 'AdminKey'),
    handler: async ({ operations, at }) =>
      ok({ keys: await listKeys(operations.reader.sql, at('project'), operations.keyUse) }),
  }),
  route('GET projects/:project/keys/:slot', {
    id: 'getKey',
    tagged: withoutUse,
    summary: 'Read the data about the key of a slot',
    answers: shows('AdminKey'),
    handler: (call) =>
      findKey(
        call,
        `the slot '${call.at('slot')}'`,
        ({ kind, user }) => user === null && kind === call.at('slot'),
      ),
  }),
  route('GET projects/:project/management-keys/:key', {
    id: 'getManagementKey',
    tagged: withoutUse,
    summary: 'Read the data about a management key',
    answers: shows('AdminKey'),
    handler: (call) => findKey(call, `the id '${call.at('key')}'`, ({ id }) => id === call.at('key')),
  }),
  route('POST projects/:project/keys/:slot/regenerate', {
    id: 'regenerateKey',
    summary: 'Replace the key of a slot',
    answers: shows(closed({ slot: string, key: string, created: string })),
    handler: async ({ operations, at }) => {
      const slot = KEY_SLOTS.find((one) => one === at('slot'));
      if (!slot)
        throw new ServiceError(
          'objectNotFound',
          `There is no slot '${at('slot')}'; there are ${KEY_SLOTS.join(', ')}.`,
        );
      const made = await operations.installation(null, (to) => regenerateKey(to, at('project'), slot));
      return ok({ slot, key: made.key, created: made.created });
    },
  }),
  route('POST projects/:project/management-keys', {
    id: 'createManagementKey',
    summary: "Make a user's management key",
    body: bodyOf(NEW_KEY),
    answers: creates(managementKeySchema),
    handler: async ({ operations, person, at, body }) => {
      const { user_id, expires_in_days } = await body(NEW_KEY);
      requireOwnKey(person, user_id);
      const made = await operations.installation(null, (to) =>
        createManagementKey(to, at('project'), user_id, expires_in_days ?? undefined),
      );
      return { status: 201, body: managementKey(made) };
    },
  }),
  route('POST projects/:project/management-keys/:key/regenerate', {
    id: 'regenerateManagementKey',
    summary: "Replace a user's management key; the old one is revoked",
    body: bodyOf(RENEWED_KEY),
    bodyOptional: true,
    answers: shows(managementKeySchema),
    conflict: true,
    handler: async ({ operations, person, at, body }) => {
      const { expires_in_days } = await body(RENEWED_KEY);
      const made = await operations.installation(null, async (to) => {
        const key = await regenerateManagementKey(to, at('project'), at('key'), expires_in_days ?? undefined);
        requireOwnKey(person, key.user);
        return key;
      });
      return ok(managementKey(made));
    },
  }),
  route('DELETE projects/:project/management-keys/:key', {
    id: 'revokeManagementKey',
    summary: 'Revoke a management key',
    handler: async ({ operations, at }) => {
      await operations.installation(null, (to) => revokeKey(to, at('project'), at('key')));
      return NOTHING;
    },
  }),
  route('POST token/regenerate', {
    id: 'regenerateAdminToken',
    summary: 'Replace the admin token; the old one no longer works',
    permission: 'operator',
    answers: shows(closed({ token: string, created: string })),
    conflict: true,
    handler: async ({ operations }) => ok(await replaceAdminToken(operations)),
  }),
];

async function findKey(
  { operations, at }: Call,
  named: string,
  isWanted: (key: KeyListing) => boolean,
): Promise<Answer> {
  const key = (await listKeys(operations.reader.sql, at('project'), operations.keyUse)).find(isWanted);
  if (key) return ok(key);
  throw new ServiceError('objectNotFound', `There is no key with ${named} in this project.`);
}

function withoutUse({ last_used: _changesByItself, ...key }: KeyListing) {
  return key;
}

function managementKey({ id, key, expires, user }: NewKey & { readonly user: string }) {
  return { id, key, user_id: user, expires };
}

export const keySchemas = {
  AdminKey: closed(
    {
      id: id('Id of the key.'),
      kind: text('`delivery-primary`, `preview-secondary`, `management` …'),
      slot: orNull(
        text('Slot of a delivery or preview key, by which it is regenerated; null for a management key.'),
      ),
      user: orNull(id('User of the management key.')),
      user_name: orNull(text('Name of that user.')),
      tail: text('Last characters, to distinguish keys.'),
      created: time('When it was created.'),
      expires: orNull(time('When it stops working; null = never.')),
      last_used: orNull(time('When it was used last, roughly.')),
    },
    'Data about a key, without the key itself.',
  ),
};
