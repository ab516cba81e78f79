import type { Knex } from 'knex';
import { SHIPPED_ROLES } from './0022-shipped-roles.ts';
import { runSchema } from './dialect.ts';

/** `role`: named sets of permissions; `membership.roles`: ids of the roles of a user in a project, as JSON. */
export async function up(knex: Knex): Promise<void> {
  await runSchema(knex, [
    `CREATE TABLE role (
      id TEXT PRIMARY KEY, codename TEXT NOT NULL UNIQUE, name TEXT NOT NULL, permissions TEXT NOT NULL)`,
    `ALTER TABLE membership ADD COLUMN roles TEXT NOT NULL DEFAULT '[]'`,
  ]);
  for (const { permissions, ...role } of SHIPPED_ROLES)
    await knex('role').insert({ ...role, permissions: JSON.stringify(permissions) });
}
