import { ServiceError } from '../errors.ts';
import { Issues } from '../model/issues.ts';
import type { Sql } from '../storage/sql.ts';
import {
  CONTENT_PERMISSIONS,
  type ContentPermission,
  type ContentScope,
} from '../transaction/content-access.ts';
import { type Installation, recordInstallationChange } from '../transaction/installation.ts';
import { PERMISSIONS } from './permissions.ts';

/** The role that has every permission and cannot be changed. */
const MANAGER = 'project_manager';

export interface Role {
  readonly id: string;
  readonly codename: string;
  readonly name: string;
  readonly permissions: readonly string[];
  /** Permissions that are only for some content. */
  readonly limits: RoleLimits;
  readonly is_fixed: boolean;
}

export type RoleLimits = Readonly<Partial<Record<ContentPermission, ContentScope>>>;

export interface RoleInput {
  readonly codename: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly limits?: RoleLimits;
}

interface Row {
  readonly id: string;
  readonly codename: string;
  readonly name: string;
  readonly permissions: string;
  readonly limits: string;
}

const COLUMNS = ['id', 'codename', 'name', 'permissions', 'limits'] as const;
const ROLE = `SELECT ${COLUMNS.join(', ')} FROM role`;

export async function listRoles(sql: Sql): Promise<Role[]> {
  const rows = await sql.all<Row>(`${ROLE} ORDER BY id`);
  return rows.map(toRole);
}

/** @throws objectNotFound */
export async function findRole(sql: Sql, id: string): Promise<Role> {
  const row = await sql.get<Row>(`${ROLE} WHERE id = ?`, [id]);
  if (!row) throw new ServiceError('objectNotFound', `There is no role with the id '${id}'.`);
  return toRole(row);
}

/** @throws invalidBody, conflict for a codename in use */
export async function createRole(installation: Installation, input: RoleInput): Promise<Role> {
  const { tx, options } = installation;
  check(input);
  await refuseTaken(tx, input.codename, null);
  const id = options.newId();
  await tx.insert('role', COLUMNS, [
    [
      id,
      input.codename,
      input.name,
      JSON.stringify([...new Set(input.permissions)]),
      JSON.stringify(input.limits ?? {}),
    ],
  ]);
  recordChange(installation, id, 'create');
  return findRole(tx, id);
}

/** @throws objectNotFound, invalidBody, conflict */
export async function updateRole(
  installation: Installation,
  id: string,
  changes: Partial<RoleInput>,
): Promise<Role> {
  const { tx } = installation;
  const role = await findRole(tx, id);
  refuseFixed(role);
  const changed = { ...role, limits: keptLimits(role, changes), ...changes };
  check(changed);
  await refuseTaken(tx, changed.codename, id);
  await tx.run('UPDATE role SET codename = ?, name = ?, permissions = ?, limits = ? WHERE id = ?', [
    changed.codename,
    changed.name,
    JSON.stringify([...new Set(changed.permissions)]),
    JSON.stringify(changed.limits),
    id,
  ]);
  recordChange(installation, id, 'upsert');
  return findRole(tx, id);
}

/** @throws objectNotFound, conflict while a user has the role */
export async function deleteRole(installation: Installation, id: string): Promise<void> {
  const { tx } = installation;
  const role = await findRole(tx, id);
  refuseFixed(role);
  const used = await tx.get("SELECT 1 AS one FROM membership WHERE roles LIKE ? ESCAPE '\\' LIMIT 1", [
    `%"${id}"%`,
  ]);
  if (used)
    throw new ServiceError('conflict', `The role '${role.name}' is in use. Take it from its users first.`);
  await tx.run('DELETE FROM role WHERE id = ?', [id]);
  recordChange(installation, id, 'delete');
}

/** Without those of permissions that the role no longer has. */
function keptLimits({ limits }: Role, { permissions }: Partial<RoleInput>): RoleLimits {
  if (permissions === undefined) return limits;
  return Object.fromEntries(
    Object.entries(limits).filter(([permission]) => permissions.includes(permission)),
  );
}

function toRole({ permissions, limits, ...row }: Row): Role {
  const isFixed = row.codename === MANAGER;
  return {
    ...row,
    permissions: isFixed ? [...PERMISSIONS] : JSON.parse(permissions),
    limits: JSON.parse(limits),
    is_fixed: isFixed,
  };
}

function refuseFixed({ is_fixed, name }: Role): void {
  if (is_fixed)
    throw new ServiceError('conflict', `The role '${name}' has every permission and cannot be changed.`);
}

async function refuseTaken(sql: Sql, codename: string, id: string | null): Promise<void> {
  const other = await sql.get<{ id: string }>('SELECT id FROM role WHERE codename = ?', [codename]);
  if (other && other.id !== id)
    throw new ServiceError('conflict', `There is another role with the codename '${codename}'.`);
}

function check({ codename, name, permissions, limits = {} }: RoleInput): void {
  const issues = new Issues();
  if (!/^[a-z][a-z0-9_]{0,49}$/.test(codename))
    issues.add('A codename has up to 50 lower-case letters, digits and underscores.', 'codename');
  if (name.trim() === '' || name.length > 200) issues.add('A name has 1 to 200 characters.', 'name');
  for (const [index, permission] of permissions.entries()) {
    if (issues.isFull) break;
    if ((PERMISSIONS as readonly string[]).includes(permission)) continue;
    issues.add(
      `'${permission}' is no permission; there are ${PERMISSIONS.join(', ')}.`,
      `permissions[${index}]`,
    );
  }
  for (const [permission, { types, languages }] of Object.entries(limits)) {
    const path = `limits.${permission}`;
    if (!(CONTENT_PERMISSIONS as readonly string[]).includes(permission))
      issues.add(`Only ${CONTENT_PERMISSIONS.join(', ')} can be limited.`, path);
    else if (!permissions.includes(permission))
      issues.add(`The role has not the permission '${permission}' that is limited.`, path);
    else if (types?.length === 0 || languages?.length === 0)
      issues.add('A list names one codename or more; null means all.', path);
  }
  issues.refuse();
}

function recordChange(installation: Installation, object: string, operation: string): void {
  recordInstallationChange(installation, { type: 'role', operation, object, tags: ['roles'] });
}
