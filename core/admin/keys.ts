import {
  type KeySlot,
  listKeys,
  type NewKey,
  regenerateKey,
  regenerateManagementKey,
  revokeKey,
} from '../access/keys.ts';
import { createManagementKey, setManagementApi, setSecureAccess } from '../access/projects.ts';
import { replaceAdminToken } from '../access/replace-admin-token.ts';
import { ServiceError } from '../errors.ts';
import type { JsonObject } from '../json-body/parse-body.ts';
import { booleanOf, NOTHING, ok, refuse, route, textOf } from './call.ts';

const SLOTS: readonly KeySlot[] = [
  'delivery-primary',
  'delivery-secondary',
  'preview-primary',
  'preview-secondary',
];
/** A hundred years. */
const DAYS_LIMIT = 36_500;

export const keyRoutes = [
  route('PUT', 'projects/:project/secure-access', async ({ operations, at, body }) => {
    const enabled = booleanOf(await body(), 'enabled');
    return ok(await operations.installation(null, (to) => setSecureAccess(to, at('project'), enabled)));
  }),
  route('PUT', 'projects/:project/management-api', async ({ operations, at, body }) => {
    const given = await body();
    const enabled = booleanOf(given, 'enabled');
    const user = given['user_id'] == null ? undefined : textOf(given, 'user_id');
    const set = await operations.installation(null, (to) =>
      setManagementApi(to, at('project'), enabled, user),
    );
    return ok({ enabled: set.enabled, ...(set.key && { key: set.key.key }) });
  }),
  route('GET', 'projects/:project/keys', async ({ operations, at }) =>
    ok({ keys: await listKeys(operations.reader.sql, at('project'), operations.keyUse) }),
  ),
  route('POST', 'projects/:project/keys/:slot/regenerate', async ({ operations, at }) => {
    const slot = SLOTS.find((one) => one === at('slot'));
    if (!slot)
      throw new ServiceError(
        'objectNotFound',
        `There is no slot '${at('slot')}'; there are ${SLOTS.join(', ')}.`,
      );
    const made = await operations.installation(null, (to) => regenerateKey(to, at('project'), slot));
    return ok({ slot, key: made.key, created: made.created });
  }),
  route('POST', 'projects/:project/management-keys', async ({ operations, at, body }) => {
    const given = await body();
    const user = textOf(given, 'user_id');
    const days = daysOf(given);
    const made = await operations.installation(null, (to) =>
      createManagementKey(to, at('project'), user, days),
    );
    return { status: 201, body: managementKey(made) };
  }),
  route('POST', 'projects/:project/management-keys/:key/regenerate', async ({ operations, at, body }) => {
    const days = daysOf(await body());
    const made = await operations.installation(null, (to) =>
      regenerateManagementKey(to, at('project'), at('key'), days),
    );
    return ok(managementKey(made));
  }),
  route('DELETE', 'projects/:project/management-keys/:key', async ({ operations, at }) => {
    await operations.installation(null, (to) => revokeKey(to, at('project'), at('key')));
    return NOTHING;
  }),
  route('POST', 'token/regenerate', async ({ operations }) => ok(await replaceAdminToken(operations))),
];

function managementKey({ id, key, expires, user }: NewKey & { readonly user: string }) {
  return { id, key, user_id: user, expires };
}

function daysOf(body: JsonObject): number | undefined {
  const days = body['expires_in_days'];
  if (days === undefined || days === null) return undefined;
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= DAYS_LIMIT) return days;
  return refuse(`'expires_in_days' must be a whole number from 1 to ${DAYS_LIMIT}.`, 'expires_in_days');
}
