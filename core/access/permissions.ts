import { ServiceError } from '../errors.ts';
import type { Sql } from '../storage/sql.ts';
import type { Person } from './sessions.ts';
import type { Capability } from './users.ts';

/** What a person may do in a project. */
export const PERMISSIONS = [
  'view-content',
  'create-content',
  /** Includes assets. */
  'edit-content',
  'delete-content',
  'publish',
  'manage-types',
  'manage-taxonomies',
  'manage-sitemap',
  'manage-languages',
  /** Keys and webhooks. A management key has every permission in its project. */
  'manage-apis',
  /** Archive and export; only operators restore. */
  'manage-project',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What a call needs of a person. `operator`: it is about the whole installation. */
export type RoutePermission = Permission | 'operator';

/** What the capabilities of a user, which the admin API had before there were roles, permit in the console. */
const OF_CAPABILITY: Readonly<Record<Capability, readonly Permission[]>> = {
  'manage-content': ['view-content', 'create-content', 'edit-content', 'delete-content'],
  'manage-types': ['view-content', 'manage-types', 'manage-taxonomies', 'manage-sitemap', 'manage-languages'],
  'manage-apis': ['view-content', 'manage-apis'],
  publish: ['view-content', 'publish'],
};

/** Calls that need a fresh sign-in: they change who may do what. */
const GUARDED: ReadonlySet<RoutePermission> = new Set(['operator', 'manage-apis', 'manage-project']);

/**
 * @throws forbidden with a header that asks for the password, where the person has not given it lately
 */
export function requireConfirmed(person: Person, method: string, needed: RoutePermission): void {
  if (person.isConfirmed || method === 'GET' || !GUARDED.has(needed)) return;
  throw new ServiceError('forbidden', 'Confirm your password to do this.', {
    headers: { 'x-confirm-password': '1' },
  });
}

/**
 * @param project id of the project that the call is about; undefined = none
 * @throws forbidden with what is missing
 */
export async function requirePermission(
  sql: Sql,
  person: Person,
  project: string | undefined,
  needed: RoutePermission,
): Promise<void> {
  if (person.isOperator) return;
  if (needed === 'operator' || project === undefined)
    throw new ServiceError('forbidden', 'Only operators of the installation may do this.');
  const { permissions } = (await projectsOf(sql, person, project))[0] ?? {};
  if (permissions === undefined)
    throw new ServiceError('forbidden', 'You have no role in this project. An operator can give you one.');
  if (!permissions.includes(needed))
    throw new ServiceError('forbidden', `Your roles in this project do not include '${needed}'.`);
}

export interface PersonProject {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/**
 * Projects of a person that are not archived, by name.
 * @param project id of the only one to look for
 */
export async function projectsOf(sql: Sql, person: Person, project?: string): Promise<PersonProject[]> {
  const only = project === undefined ? '' : 'AND p.id = ?';
  const one = project === undefined ? [] : [project.toLowerCase()];
  if (person.isOperator) {
    const rows = await sql.all<{ id: string; name: string }>(
      `SELECT id, name FROM project p WHERE archived IS NULL ${only} ORDER BY name, id`,
      one,
    );
    return rows.map((row) => ({ ...row, permissions: PERMISSIONS }));
  }
  const rows = await sql.all<{ id: string; name: string; capabilities: string; roles: string }>(
    `SELECT p.id AS id, p.name AS name, m.capabilities AS capabilities, m.roles AS roles
     FROM membership m JOIN project p ON p.number = m.project
     WHERE m.account = ? AND p.archived IS NULL ${only} ORDER BY p.name, p.id`,
    [person.account, ...one],
  );
  const ofRole = new Map(
    (await sql.all<{ id: string; permissions: string }>('SELECT id, permissions FROM role')).map(
      ({ id, permissions }) => [id, expand(JSON.parse(permissions))],
    ),
  );
  return rows.map(({ id, name, capabilities, roles }) => {
    const permitted = new Set([
      ...(JSON.parse(roles) as string[]).flatMap((role) => ofRole.get(role) ?? []),
      ...(JSON.parse(capabilities) as Capability[]).flatMap((capability) => OF_CAPABILITY[capability] ?? []),
    ]);
    return { id, name, permissions: PERMISSIONS.filter((permission) => permitted.has(permission)) };
  });
}

function expand(permissions: readonly string[]): readonly Permission[] {
  if (permissions.includes('all')) return PERMISSIONS;
  return PERMISSIONS.filter((permission) => permissions.includes(permission));
}
