import { z } from 'zod';
import { PERMISSIONS } from '../access/permissions.ts';
import { createRole, deleteRole, findRole, listRoles, type Role, updateRole } from '../access/roles.ts';
import { arrayOf, closed, contentScope, flag, id, mapOf, text } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import { WHOLE } from '../http/route.ts';
import { CONTENT_PERMISSIONS } from '../transaction/content-access.ts';
import { defined, NOTHING, ok } from './call.ts';
import { creates, lists, routesOf, shows } from './route.ts';

const codenames = z.array(z.string().min(1).max(200)).max(200).nullable().default(null);
const LIMIT = z.strictObject({ types: codenames, languages: codenames });

const ROLE = z.strictObject({
  codename: z.string(),
  name: z.string(),
  permissions: z.array(z.string()).max(100),
  limits: z.partialRecord(z.enum(CONTENT_PERMISSIONS), LIMIT).optional(),
});
const CHANGES = ROLE.partial();

const route = routesOf({ read: 'operator', write: 'operator' });

// The operations check the values.
export const roleRoutes = [
  route('GET roles', {
    id: 'listRoles',
    summary: 'List roles',
    answers: lists('roles', 'AdminRole'),
    handler: async ({ operations }) => ok({ roles: (await listRoles(operations.reader.sql)).map(toJson) }),
  }),
  route('POST roles', {
    id: 'createRole',
    summary: 'Create a role',
    body: bodyOf(ROLE),
    answers: creates('AdminRole'),
    conflict: true,
    handler: async ({ operations, body }) => {
      const input = await body(ROLE);
      const role = await operations.installation(null, (to) => createRole(to, input));
      return { status: 201, body: toJson(role) };
    },
  }),
  route('GET roles/:role', {
    id: 'getRole',
    tagged: WHOLE,
    summary: 'Read a role',
    answers: shows('AdminRole'),
    handler: async ({ operations, at }) => ok(toJson(await findRole(operations.reader.sql, at('role')))),
  }),
  route('PATCH roles/:role', {
    id: 'updateRole',
    summary: 'Change a role',
    body: bodyOf(CHANGES),
    answers: shows('AdminRole'),
    conflict: true,
    handler: async ({ operations, at, body }) => {
      const changes = defined(await body(CHANGES));
      return ok(toJson(await operations.installation(null, (to) => updateRole(to, at('role'), changes))));
    },
  }),
  route('DELETE roles/:role', {
    id: 'deleteRole',
    summary: 'Delete a role that no user has',
    conflict: true,
    handler: async ({ operations, at }) => {
      await operations.installation(null, (to) => deleteRole(to, at('role')));
      return NOTHING;
    },
  }),
];

function toJson({ id, codename, name, permissions, limits, is_fixed }: Role) {
  return { id, codename, name, permissions, limits, is_fixed };
}

export const roleSchemas = {
  AdminRole: closed<keyof ReturnType<typeof toJson>>(
    {
      id: id('Id of the role.'),
      codename: text('Codename.'),
      name: text('Name.'),
      permissions: arrayOf({ enum: [...PERMISSIONS] }, 'What people with the role may do in a project.'),
      limits: mapOf(contentScope, 'Permissions that are only for some content.', {
        enum: [...CONTENT_PERMISSIONS],
      }),
      is_fixed: flag('It has every permission and cannot be changed.'),
    },
    'A role.',
  ),
};
