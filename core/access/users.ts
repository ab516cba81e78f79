import { keyTag } from '../changes/tags.ts';
import { ServiceError } from '../errors.ts';
import { checkName, Issues } from '../model/issues.ts';
import type { Sql } from '../storage/sql.ts';
import { type Installation, projectRow, recordInstallationChange } from '../transaction/installation.ts';
import { removePerson, renamePerson } from './people.ts';

/** Permissions of a user in a project. */
const CAPABILITIES = ['manage-apis', 'manage-content', 'manage-types', 'publish'] as const;
export type Capability = (typeof CAPABILITIES)[number];

const NAME_LIMIT = 200;
/** RFC 5321, 4.5.3.1.3; PostgreSQL indexes no text of thousands. */
const EMAIL_LIMIT = 254;
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

export interface UserInput {
  readonly name: string;
  readonly email: string;
  readonly projects?: readonly MembershipInput[];
}

/** What a user may do in a project: capabilities, and ids of roles. */
export interface MembershipInput {
  readonly id: string;
  readonly capabilities?: readonly string[];
  readonly roles?: readonly string[];
}

export interface User {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly created: string;
  readonly projects: readonly Required<MembershipInput>[];
  /** A user without a way to sign in only has keys. */
  readonly canSignIn: boolean;
  readonly isOperator: boolean;
}

export async function createUser(installation: Installation, input: UserInput): Promise<User> {
  const { tx, options } = installation;
  check(input);
  const id = options.newId();
  await tx.insert('account', ['id', 'name', 'email', 'created'], [[id, input.name, input.email, tx.now]]);
  await setMemberships(installation, id, input.projects ?? []);
  recordChange(installation, id, 'create');
  return findUser(tx, id);
}

/** Changes the given fields; `projects` is the whole list. Revokes management keys of other projects. */
export async function updateUser(
  installation: Installation,
  id: string,
  changes: Partial<UserInput>,
): Promise<User> {
  const { tx } = installation;
  const user = await findUser(tx, id);
  const changed = { ...user, ...changes };
  check(changed);
  await tx.run('UPDATE account SET name = ?, email = ? WHERE id = ?', [changed.name, changed.email, id]);
  if (changed.email !== user.email) await renamePerson(installation, { account: id, email: changed.email });
  if (changes.projects) await setMemberships(installation, id, changes.projects);
  recordChange(installation, id, 'upsert', await revokeKeysOfOtherProjects(installation, id));
  return findUser(tx, id);
}

/** Keeps the account for the history; revokes its management keys and ends its sessions. */
export async function removeUser(installation: Installation, id: string): Promise<void> {
  const { tx } = installation;
  await findUser(tx, id);
  await tx.run('UPDATE account SET removed = ? WHERE id = ?', [tx.now, id]);
  await tx.run('DELETE FROM membership WHERE account = ?', [id]);
  await removePerson(installation, id);
  recordChange(installation, id, 'delete', await revokeKeysOfOtherProjects(installation, id));
}

/**
 * Revokes keys to projects that the user does not belong to.
 * @returns tags of the keys
 */
async function revokeKeysOfOtherProjects({ tx }: Installation, account: string): Promise<string[]> {
  const beyond = `account = ? AND revoked IS NULL
    AND project NOT IN (SELECT project FROM membership WHERE account = ?)`;
  const keys = await tx.all<{ id: string }>(`SELECT id FROM api_key WHERE ${beyond}`, [account, account]);
  if (keys.length > 0)
    await tx.run(`UPDATE api_key SET revoked = ? WHERE ${beyond}`, [tx.now, account, account]);
  return keys.map(({ id }) => keyTag(id));
}

/** @throws objectNotFound */
export async function findUser(sql: Sql, id: string): Promise<User> {
  const [user] = await readUsers(sql, 'a.id = ?', [id]);
  if (!user) throw new ServiceError('objectNotFound', `There is no user with the id '${id}'.`);
  return user;
}

/** Lists users, oldest first. */
export function listUsers(sql: Sql): Promise<User[]> {
  return readUsers(sql, '1 = 1', []);
}

async function readUsers(sql: Sql, where: string, parameters: readonly string[]): Promise<User[]> {
  const rows = await sql.all<{
    id: string;
    name: string;
    email: string;
    created: string;
    project: string | null;
    capabilities: string | null;
    roles: string | null;
    operator: number | null;
  }>(
    `SELECT a.id AS id, a.name AS name, a.email AS email, a.created AS created, p.id AS project,
       m.capabilities AS capabilities, m.roles AS roles, s.operator AS operator
     FROM account a LEFT JOIN membership m ON m.account = a.id LEFT JOIN project p ON p.number = m.project
       LEFT JOIN person s ON s.account = a.id
     WHERE ${where} AND a.removed IS NULL ORDER BY a.created, a.id, p.number`,
    parameters,
  );
  const users = new Map<string, User & { projects: Required<MembershipInput>[] }>();
  for (const { id, name, email, created, project, capabilities, roles, operator } of rows) {
    const user = users.get(id) ?? {
      ...{ id, name, email, created },
      projects: [],
      canSignIn: operator !== null,
      isOperator: operator === 1,
    };
    users.set(id, user);
    if (project !== null)
      user.projects.push({
        id: project,
        capabilities: JSON.parse(capabilities ?? '[]'),
        roles: JSON.parse(roles ?? '[]'),
      });
  }
  return [...users.values()];
}

async function setMemberships(
  { tx }: Installation,
  account: string,
  projects: NonNullable<UserInput['projects']>,
): Promise<void> {
  await refuseUnknownRoles(tx, projects);
  const before = await tx.all<{ project: number }>('SELECT project FROM membership WHERE account = ?', [
    account,
  ]);
  await tx.run('DELETE FROM membership WHERE account = ?', [account]);
  for (const { id, capabilities = [], roles = [] } of projects) {
    // Members of an archived project may stay in it: it can be restored.
    const { number } = await projectRow(tx, id, true);
    if (!before.some(({ project }) => project === number)) await projectRow(tx, id);
    await tx.insert(
      'membership',
      ['account', 'project', 'capabilities', 'roles'],
      [
        [
          account,
          number,
          JSON.stringify([...new Set(capabilities)]),
          JSON.stringify([...new Set(roles.map((role) => role.toLowerCase()))]),
        ],
      ],
    );
  }
}

async function refuseUnknownRoles(sql: Sql, projects: readonly MembershipInput[]): Promise<void> {
  const known = new Set((await sql.all<{ id: string }>('SELECT id FROM role')).map(({ id }) => id));
  const issues = new Issues();
  for (const [index, { roles = [] }] of projects.entries())
    for (const role of roles)
      if (!known.has(role.toLowerCase()) && !issues.isFull)
        issues.add(`There is no role with the id '${role}'.`, `projects[${index}].roles`);
  issues.refuse();
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function check(input: UserInput): void {
  const issues = new Issues();
  checkName(issues, input.name, NAME_LIMIT);
  if (typeof input.email !== 'string' || input.email.length > EMAIL_LIMIT || !EMAIL.test(input.email))
    issues.add('A mail address is expected.', 'email');
  const seen = new Set<string>();
  const projects: unknown = input.projects ?? [];
  if (!Array.isArray(projects)) issues.add('An array of projects is expected.', 'projects');
  for (const [index, project] of (Array.isArray(projects) ? projects : []).entries()) {
    if (issues.isFull) break;
    const {
      id,
      capabilities = [],
      roles,
    } = (project ?? {}) as Partial<Record<keyof MembershipInput, unknown>>;
    if (typeof id !== 'string' || !isTexts(capabilities) || !(roles === undefined || isTexts(roles))) {
      issues.add('A project is {id, capabilities: […], roles: […]}.', `projects[${index}]`);
      continue;
    }
    if (seen.has(id.toLowerCase()))
      issues.add(`The project '${id}' is given twice.`, `projects[${index}].id`);
    seen.add(id.toLowerCase());
    for (const capability of capabilities) {
      if (issues.isFull) break;
      if ((CAPABILITIES as readonly string[]).includes(capability)) continue;
      issues.add(
        `'${capability}' is no capability; there are ${CAPABILITIES.join(', ')}.`,
        `projects[${index}].capabilities`,
      );
    }
  }
  issues.refuse();
}

function recordChange(
  installation: Installation,
  object: string,
  operation: string,
  tags: readonly string[] = [],
): void {
  recordInstallationChange(installation, { type: 'user', operation, object, tags: ['users', ...tags] });
}
