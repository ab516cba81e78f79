import type { Services } from '../http/services.ts';
import type { Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';

/** An administrative act. */
export interface Act {
  /** Id of the project; null = the installation. */
  readonly project: string | null;
  /** The call: `POST projects/:project/publish`. */
  readonly act: string;
  /** The path of the call: `projects/1f…/publish`. */
  readonly subject: string;
  /** The body as JSON; bodies never contain keys. */
  readonly detail: string;
  /** `admin token`, `command line`, or the id of a user. */
  readonly actor: string;
  /** Address of the client; null = this machine. */
  readonly origin: string | null;
  readonly request: string | null;
}

export interface AuditEntry extends Act {
  readonly number: number;
  readonly at: string;
}

const DETAIL_LIMIT = 4000;

/**
 * Services that write an audit entry in the transaction of the act, so that every act has an entry, and a refused one has
 * none.
 * @param act called after the act
 */
export function audited(operations: Services, act: () => Act): Services {
  let written = false;
  const record = async (tx: Transaction, result: unknown) => {
    if (written) return;
    await writeAct(tx, withCreated(act(), result));
    written = true;
  };
  return {
    ...operations,
    inProject: (project, actor, work, options) =>
      operations.inProject(
        project,
        actor,
        async (transaction) => {
          const result = await work(transaction);
          await record(transaction.tx, result);
          return result;
        },
        options,
      ),
    installation: (actor, work) =>
      operations.installation(actor, async (installation) => {
        const result = await work(installation);
        await record(installation.tx, result);
        return result;
      }),
  };
}

export interface AuditFilter {
  readonly project?: string;
  /** Who: the id of a user, `admin token` or `command line`. */
  readonly actor?: string;
  /** Pattern of LIKE for the act in lower case. */
  readonly act?: string;
  /** From this time on, until before the other one. */
  readonly from?: string;
  readonly to?: string;
}

/** Newest first. */
export function listAudit(
  sql: Sql,
  filter: AuditFilter & { readonly before: number; readonly limit: number },
): Promise<AuditEntry[]> {
  const where = ['number < ?'];
  const parameters: (string | number)[] = [filter.before];
  for (const [condition, value] of [
    ['project = ?', filter.project],
    ['actor = ?', filter.actor],
    [`lower(act) LIKE ? ESCAPE '\\'`, filter.act],
    ['at >= ?', filter.from],
    ['at < ?', filter.to],
  ] as const) {
    if (value === undefined) continue;
    where.push(condition);
    parameters.push(value);
  }
  return sql.all<AuditEntry & Record<string, string | number | null>>(
    `SELECT number, project, act, subject, detail, actor, origin, request, at FROM audit
     WHERE ${where.join(' AND ')} ORDER BY number DESC LIMIT ?`,
    [...parameters, filter.limit],
  );
}

/** Writes an entry without a change of its own. */
export async function writeAct(tx: Transaction, act: Act): Promise<void> {
  await tx.run(
    `INSERT INTO audit (number, project, act, subject, detail, actor, origin, request, at)
     SELECT coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? FROM audit`,
    [
      act.project,
      act.act,
      act.subject,
      act.detail.length > DETAIL_LIMIT ? `${act.detail.slice(0, DETAIL_LIMIT)}…` : act.detail,
      act.actor,
      act.origin,
      act.request,
      tx.now,
    ],
  );
}

const CREATES_PROJECT: ReadonlySet<string> = new Set([
  'POST projects',
  'POST projects/import',
  'project create',
  'import',
]);
const CREATES = /^POST |^import$| create$/;

/** Adds the id of a created object, which exists only after the act. */
function withCreated(act: Act, result: unknown): Act {
  const created = typeof result === 'object' && result !== null && 'id' in result ? result.id : undefined;
  if (typeof created !== 'string' || !CREATES.test(act.act) || act.subject.includes(created)) return act;
  const project = act.project ?? (CREATES_PROJECT.has(act.act) ? created : null);
  return { ...act, project, subject: `${act.subject}/${created}` };
}
