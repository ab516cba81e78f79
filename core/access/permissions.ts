import { ServiceError } from '../errors.ts';
import type { Sql } from '../storage/sql.ts';
import {
  CONTENT_PERMISSIONS,
  type ContentAccess,
  type ContentPermission,
  type ContentScope,
  isEverything,
} from '../transaction/content-access.ts';
import type { Person } from './sessions.ts';
import type { Capability } from './users.ts';

/** What a person may do in a project. */
export const PERMISSIONS = [
  ...CONTENT_PERMISSIONS,
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
 * Revisions name the user of a management key, so only operators make keys of others.
 * @throws forbidden
 */
export function requireOwnKey(person: Person | undefined, user: string): void {
  if (person === undefined || person.isOperator || person.account === user.toLowerCase()) return;
  throw new ServiceError(
    'forbidden',
    'You can make management keys in your own name only. An operator makes those of other users.',
  );
}

/**
 * @param project id of the project that the call is about; undefined = none
 * @returns what the person may do with its content; undefined = everything
 * @throws forbidden with what is missing, unknownProject for an archived project of the person
 */
export async function requirePermission(
  sql: Sql,
  person: Person,
  project: string | undefined,
  needed: RoutePermission,
): Promise<ContentAccess | undefined> {
  if (person.isOperator) return undefined;
  if (needed === 'operator' || project === undefined)
    throw new ServiceError('forbidden', 'Only operators of the installation may do this.');
  const [found] = await projectsOf(sql, person, project);
  if (found === undefined) {
    const archived = await sql.get(
      `SELECT p.id FROM membership m JOIN project p ON p.number = m.project
       WHERE m.account = ? AND p.id = ? AND p.archived IS NOT NULL`,
      [person.account, project.toLowerCase()],
    );
    if (archived)
      throw new ServiceError('unknownProject', 'The project was archived. An operator can restore it.');
    throw new ServiceError('forbidden', 'You have no role in this project. An operator can give you one.');
  }
  if (!found.permissions.includes(needed))
    throw new ServiceError('forbidden', `Your roles in this project do not include '${needed}'.`);
  return contentAccess(found);
}

/** @param person undefined = the admin token was used */
export async function mayManageApis(sql: Sql, person: Person | undefined, project: string): Promise<boolean> {
  if (person === undefined) return true;
  const [found] = await projectsOf(sql, person, project);
  return found?.permissions.includes('manage-apis') === true;
}

export interface PersonProject {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** Of the permissions that are not for all content: what they are for. */
  readonly limits: Limits;
}

export type Limits = Readonly<Partial<Record<ContentPermission, readonly ContentScope[]>>>;

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
    return rows.map((row) => ({ ...row, permissions: PERMISSIONS, limits: {} }));
  }
  const rows = await sql.all<Membership & { id: string; name: string }>(
    `SELECT p.id AS id, p.name AS name, m.capabilities AS capabilities, m.roles AS roles
     FROM membership m JOIN project p ON p.number = m.project
     WHERE m.account = ? AND p.archived IS NULL ${only} ORDER BY p.name, p.id`,
    [person.account, ...one],
  );
  const ofRole = await grantsOfRoles(sql);
  return rows.map(({ id, name, ...membership }) => ({
    id,
    name,
    ...combined(grantsOfMember(membership, ofRole)),
  }));
}

/** Mail addresses of the members of a project who have the permission, by a role or a capability. */
export async function addressesWith(
  sql: Sql,
  project: number,
  permission: Permission,
): Promise<ReadonlySet<string>> {
  const rows = await sql.all<Membership & { readonly email: string }>(
    `SELECT a.email AS email, m.capabilities AS capabilities, m.roles AS roles
     FROM membership m JOIN account a ON a.id = m.account WHERE m.project = ? AND a.removed IS NULL`,
    [project],
  );
  const ofRole = await grantsOfRoles(sql);
  return new Set(
    rows
      .filter((row) => grantsOfMember(row, ofRole).some(([granted]) => granted === permission))
      .map(({ email }) => email),
  );
}

/** Each as JSON. */
interface Membership {
  readonly capabilities: string;
  readonly roles: string;
}

/** A permission from a role or a capability, and the content it is for. */
type Grant = readonly [permission: Permission, scope: ContentScope];

const EVERYTHING: ContentScope = { types: null, languages: null };

async function grantsOfRoles(sql: Sql): Promise<ReadonlyMap<string, readonly Grant[]>> {
  const roles = await sql.all<{ id: string; permissions: string; limits: string }>(
    'SELECT id, permissions, limits FROM role',
  );
  return new Map(
    roles.map(({ id, permissions, limits }) => [id, grantsOf(JSON.parse(permissions), JSON.parse(limits))]),
  );
}

function grantsOfMember(
  { capabilities, roles }: Membership,
  ofRole: ReadonlyMap<string, readonly Grant[]>,
): Grant[] {
  return [
    ...(JSON.parse(roles) as string[]).flatMap((role) => ofRole.get(role) ?? []),
    ...(JSON.parse(capabilities) as Capability[]).flatMap((capability) =>
      grantsOf(OF_CAPABILITY[capability] ?? [], {}),
    ),
  ];
}

function grantsOf(
  permissions: readonly string[],
  limits: Readonly<Partial<Record<string, ContentScope>>>,
): readonly Grant[] {
  const given = permissions.includes('all')
    ? PERMISSIONS
    : PERMISSIONS.filter((permission) => permissions.includes(permission));
  return given.map((permission) => [permission, limits[permission] ?? EVERYTHING]);
}

function combined(grants: readonly Grant[]): Pick<PersonProject, 'permissions' | 'limits'> {
  const limits: Partial<Record<ContentPermission, readonly ContentScope[]>> = {};
  for (const permission of CONTENT_PERMISSIONS) {
    const scopes = grants.flatMap(([granted, scope]) => (granted === permission ? [scope] : []));
    if (scopes.length > 0 && !scopes.some(isEverything)) limits[permission] = scopes;
  }
  const permitted = new Set(grants.map(([permission]) => permission));
  return { permissions: PERMISSIONS.filter((permission) => permitted.has(permission)), limits };
}

function contentAccess({
  permissions,
  limits,
}: Pick<PersonProject, 'permissions' | 'limits'>): ContentAccess {
  const scopesOf = (permission: ContentPermission): readonly ContentScope[] =>
    permissions.includes(permission) ? (limits[permission] ?? [EVERYTHING]) : [];
  return {
    'view-content': scopesOf('view-content'),
    'create-content': scopesOf('create-content'),
    'edit-content': scopesOf('edit-content'),
    'delete-content': scopesOf('delete-content'),
    publish: scopesOf('publish'),
  };
}
