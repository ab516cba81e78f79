import { PROJECTS, projectTag } from '../changes/tags.ts';
import { insertRows } from '../content/insert-rows.ts';
import { LANGUAGE_NAME_LIMIT } from '../content/languages.ts';
import { ServiceError } from '../errors.ts';
import { IS_IMPORTED } from '../jobs/job-kinds.ts';
import { isLanguageCodename, LANGUAGE_CODENAME_RULE } from '../model/codename.ts';
import { isId } from '../model/external-id.ts';
import type { ProjectInput } from '../model/inputs.ts';
import { checkName, Issues } from '../model/issues.ts';
import { DEFAULT_LANGUAGE_ID } from '../model/model.ts';
import type { Sql } from '../storage/sql.ts';
import { type Installation, type ProjectRow, projectRow } from '../transaction/installation.ts';
import { writeProjectEvent } from '../webhooks/plan/write-events.ts';
import { createKey, type NewKey, revokeSlot } from './keys.ts';

const NAME_LIMIT = 100;

export interface ProjectFacts {
  readonly id: string;
  readonly name: string;
  /** Delivery requires a key. */
  readonly secureAccess: boolean;
  readonly managementApi: boolean;
}

export interface NewProject {
  readonly id: string;
  readonly number: number;
  readonly name: string;
  readonly default_language: { readonly id: string; readonly name: string; readonly codename: string };
  /** Shown only once. */
  readonly keys: { readonly 'preview-primary': string; readonly 'preview-secondary': string };
}

/** Creates a project with its default language, an empty sitemap and both preview keys. */
export async function createProject(installation: Installation, input: ProjectInput): Promise<NewProject> {
  const { tx, options } = installation;
  const language = input.default_language ?? { name: 'Default', codename: 'default' };
  check(input, language);
  const id = input.id?.toLowerCase() ?? options.newId();
  if (await tx.get('SELECT number FROM project WHERE id = ?', [id])) {
    throw new ServiceError('conflict', `There already is a project with the id '${id}'.`);
  }
  const number = await tx.numbers('project');
  await tx.insert(
    'project',
    ['number', 'id', 'name', 'sequence', 'model_sequence', 'created'],
    [[number, id, input.name, tx.sequence, tx.sequence, tx.now]],
  );
  await insertRows({ tx, project: { number } }, 'language', [
    {
      id: DEFAULT_LANGUAGE_ID,
      name: language.name,
      codename: language.codename,
      external_id: null,
      ordinal: 0,
      active: 1,
      is_default: 1,
      fallback: null,
    },
  ]);
  recordChange(installation, { number, id }, 'create');
  const primary = await createKey(installation, { number, id }, { kind: 'preview-primary' });
  const secondary = await createKey(installation, { number, id }, { kind: 'preview-secondary' });
  return {
    id,
    number,
    name: input.name,
    default_language: { id: DEFAULT_LANGUAGE_ID, name: language.name, codename: language.codename },
    keys: { 'preview-primary': primary.key, 'preview-secondary': secondary.key },
  };
}

/** Returns undefined for an archived or unknown project. */
export async function findProject(sql: Sql, id: string): Promise<ProjectFacts | undefined> {
  const row = await sql.get<ProjectRow>(
    'SELECT id, name, secure_access, management_api FROM project WHERE id = ? AND archived IS NULL',
    [id],
  );
  return row && toFacts(row);
}

export interface ProjectListing extends ProjectFacts {
  readonly created: string;
  readonly archived: string | null;
}

const LISTED = 'SELECT id, name, secure_access, management_api, created, archived FROM project';

/** Lists all projects, archived ones included, oldest first. */
export async function listProjects(sql: Sql): Promise<ProjectListing[]> {
  return (await sql.all<ProjectRow>(`${LISTED} ORDER BY number`)).map(toListing);
}

/** Returns undefined for an archived or unknown project. */
export async function findListedProject(sql: Sql, id: string): Promise<ProjectListing | undefined> {
  const row = await sql.get<ProjectRow>(`${LISTED} WHERE id = ? AND archived IS NULL`, [id]);
  return row && toListing(row);
}

/** Hides the project from all surfaces until it is restored; deletes nothing. */
export async function archiveProject(installation: Installation, id: string): Promise<void> {
  const project = await projectRow(installation.tx, id);
  await installation.tx.run('UPDATE project SET archived = ? WHERE number = ?', [
    installation.tx.now,
    project.number,
  ]);
  recordChange(installation, project, 'archive');
  await writeProjectEvent(installation.tx, project.number, 'archive', installation.options.newId());
}

/** @throws conflict while the project is being imported */
export async function restoreProject(installation: Installation, id: string): Promise<void> {
  const project = await projectRow(installation.tx, id, true);
  if (project.archived === null) return;
  const isPart = await installation.tx.get(
    `SELECT j.id FROM project p JOIN job j ON j.project = p.number WHERE p.number = ? AND ${IS_IMPORTED}`,
    [project.number],
  );
  if (isPart)
    throw new ServiceError(
      'conflict',
      `The project '${id}' is being imported. It can be used when the import is done.`,
    );
  await installation.tx.run('UPDATE project SET archived = NULL WHERE number = ?', [project.number]);
  recordChange(installation, project, 'restore');
  await writeProjectEvent(installation.tx, project.number, 'restore', installation.options.newId());
}

export interface SecureAccess {
  readonly enabled: boolean;
  /** Only in the answer that creates them. */
  readonly primary?: string;
  readonly secondary?: string;
}

/** Turning secure access on creates both delivery keys; turning it off revokes them. */
export async function setSecureAccess(
  installation: Installation,
  id: string,
  enabled: boolean,
): Promise<SecureAccess> {
  const project = await projectRow(installation.tx, id);
  if ((project.secure_access === 1) === enabled) return { enabled };
  await installation.tx.run('UPDATE project SET secure_access = ? WHERE number = ?', [
    enabled ? 1 : 0,
    project.number,
  ]);
  recordChange(installation, project, 'upsert');
  // Also when it is turned on: a slot may have been regenerated while it was off, and has one valid key.
  await revokeSlot(installation, project, 'delivery-primary');
  await revokeSlot(installation, project, 'delivery-secondary');
  if (!enabled) return { enabled };
  const primary = await createKey(installation, project, { kind: 'delivery-primary' });
  const secondary = await createKey(installation, project, { kind: 'delivery-secondary' });
  return { enabled, primary: primary.key, secondary: secondary.key };
}

/** Turns the management API on or off; turning it on for a user creates a key. */
export async function setManagementApi(
  installation: Installation,
  id: string,
  enabled: boolean,
  user?: string,
): Promise<{ readonly enabled: boolean; readonly key?: NewKey }> {
  const project = await projectRow(installation.tx, id);
  if ((project.management_api === 1) !== enabled) {
    await installation.tx.run('UPDATE project SET management_api = ? WHERE number = ?', [
      enabled ? 1 : 0,
      project.number,
    ]);
    recordChange(installation, project, 'upsert');
  }
  if (!enabled || user === undefined) return { enabled };
  const member = await memberOf(installation.tx, project, user);
  return { enabled, key: await createKey(installation, project, { kind: 'management', user: member }) };
}

/** Creates a management key for a user of the project and enables the management API. */
export async function createManagementKey(
  installation: Installation,
  id: string,
  user: string,
  expiresInDays?: number,
): Promise<NewKey & { readonly user: string }> {
  await setManagementApi(installation, id, true);
  const project = await projectRow(installation.tx, id);
  const member = await memberOf(installation.tx, project, user);
  const key = await createKey(installation, project, {
    kind: 'management',
    user: member,
    ...(expiresInDays === undefined ? {} : { expiresInDays }),
  });
  return { ...key, user: member };
}

/** Returns the id as stored. */
async function memberOf(sql: Sql, project: ProjectRow, user: string): Promise<string> {
  const row = await sql.get<{ id: string }>(
    `SELECT a.id FROM account a JOIN membership m ON m.account = a.id
     WHERE a.id = ? AND m.project = ? AND a.removed IS NULL`,
    [user.toLowerCase(), project.number],
  );
  if (!row) {
    throw new ServiceError(
      'objectNotFound',
      `The project has no user with the id '${user}'. Give the user access to it in the console or with PATCH /admin/users/{id}.`,
    );
  }
  return row.id;
}

/** Checks the body of a request, whose types are not verified yet. */
function check(input: ProjectInput, language: NonNullable<ProjectInput['default_language']>): void {
  const issues = new Issues();
  checkName(issues, input.name, NAME_LIMIT);
  if (input.id !== undefined && !(typeof input.id === 'string' && isId(input.id.toLowerCase()))) {
    issues.add('The id must be a GUID.', 'id');
  }
  checkName(issues, language.name, LANGUAGE_NAME_LIMIT, 'default_language.name');
  if (typeof language.codename !== 'string' || !isLanguageCodename(language.codename)) {
    issues.add(LANGUAGE_CODENAME_RULE, 'default_language.codename');
  }
  issues.refuse();
}

function toFacts(row: ProjectRow): ProjectFacts {
  return {
    id: row.id,
    name: row.name,
    secureAccess: row.secure_access === 1,
    managementApi: row.management_api === 1,
  };
}

function toListing(row: ProjectRow): ProjectListing {
  return { ...toFacts(row), created: row.created, archived: row.archived };
}

function recordChange(
  { tx, actor }: Installation,
  project: { number: number; id: string },
  operation: string,
): void {
  tx.change({
    project: project.number,
    projectId: project.id,
    type: 'project',
    operation,
    object: project.id,
    tags: [projectTag(project.id), PROJECTS],
    actor,
  });
}
