import { ServiceError } from '../errors.ts';
import { checkName, Issues } from '../model/issues.ts';
import type { Sql } from '../storage/sql.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';

/** A list of content with a name: what the query of the listing says. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  /** Query of the listing, and of its columns. */
  readonly query: string;
  /** Everyone in the project sees it. */
  readonly isShared: boolean;
  /** Id of its user; null = the installation. */
  readonly account: string | null;
  /** Name of its user. */
  readonly owner: string | null;
}

const NAME_LIMIT = 100;
const QUERY_LIMIT = 4000;
/** Of one user in one project. */
const MOST_VIEWS = 200;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly shared: number;
  readonly account: string | null;
  readonly owner: string | null;
}

const VIEW = `SELECT s.id AS id, s.name AS name, s.query AS query, s.shared AS shared, s.account AS account,
  a.name AS owner FROM saved_view s LEFT JOIN account a ON a.id = s.account`;

/**
 * The own views of a user and the shared ones, by name.
 * @param account null = the installation
 */
export async function listViews({ tx, project }: ProjectView, account: string | null): Promise<SavedView[]> {
  const rows = await tx.all<Row>(
    `${VIEW} WHERE s.project = ? AND (s.shared = 1 OR coalesce(s.account, '') = ?) ORDER BY s.name, s.id`,
    [project.number, account ?? ''],
  );
  return rows.map(toView);
}

export interface ViewInput {
  readonly name: string;
  readonly query: string;
  readonly isShared: boolean;
}

/** @throws invalidBody */
export async function saveView(transaction: ProjectTransaction, input: ViewInput): Promise<SavedView> {
  const { tx, project, actor } = transaction;
  checkInput(input);
  const id = transaction.newId();
  const own = await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM saved_view WHERE project = ? AND coalesce(account, '') = ?`,
    [project.number, actor ?? ''],
  );
  if (Number(own?.count) >= MOST_VIEWS)
    throw new ServiceError('conflict', `A user has at most ${MOST_VIEWS} views in a project.`);
  await tx.insert(
    'saved_view',
    ['id', 'project', 'account', 'name', 'query', 'shared', 'created'],
    [[id, project.number, actor, input.name, input.query, input.isShared ? 1 : 0, tx.now]],
  );
  return findView(tx, project.number, id);
}

/** @throws objectNotFound, forbidden for a view of another user, invalidBody */
export async function changeView(
  transaction: ProjectTransaction,
  id: string,
  changes: Partial<ViewInput>,
): Promise<SavedView> {
  const view = await findChangeable(transaction, id);
  const input = { ...view, ...changes };
  checkInput(input);
  await transaction.tx.run('UPDATE saved_view SET name = ?, query = ?, shared = ? WHERE id = ?', [
    input.name,
    input.query,
    input.isShared ? 1 : 0,
    id,
  ]);
  return { ...view, ...changes };
}

/** @throws objectNotFound, forbidden for a view of another user */
export async function removeView(transaction: ProjectTransaction, id: string): Promise<void> {
  await findChangeable(transaction, id);
  await transaction.tx.run('DELETE FROM saved_view WHERE id = ?', [id]);
}

async function findView(sql: Sql, project: number, id: string): Promise<SavedView> {
  const row = await sql.get<Row>(`${VIEW} WHERE s.project = ? AND s.id = ?`, [project, id]);
  if (!row) throw new ServiceError('objectNotFound', `There is no view with the id '${id}'.`);
  return toView(row);
}

/**
 * Operators also change shared views, whose owners may have left.
 * @param actor null = the installation, which may change every view
 */
export function mayChangeView(
  { account, isShared }: SavedView,
  actor: string | null,
  isOperator: boolean,
): boolean {
  return actor === null || account === actor || (isShared && isOperator);
}

async function findChangeable(
  { tx, project, actor, access }: ProjectTransaction,
  id: string,
): Promise<SavedView> {
  const view = await findView(tx, project.number, id);
  if (mayChangeView(view, actor, access === undefined)) return view;
  // A view that is not shared does not exist for others.
  if (!view.isShared) throw new ServiceError('objectNotFound', `There is no view with the id '${id}'.`);
  throw new ServiceError('forbidden', 'Only its owner or an operator changes a shared view.');
}

function checkInput({ name, query }: ViewInput): void {
  const issues = new Issues();
  checkName(issues, name, NAME_LIMIT);
  if (query.length > QUERY_LIMIT || query.includes('\0'))
    issues.add(`A query has at most ${QUERY_LIMIT} characters.`, 'query');
  issues.refuse();
}

function toView({ shared, ...view }: Row): SavedView {
  return { ...view, isShared: shared === 1 };
}
