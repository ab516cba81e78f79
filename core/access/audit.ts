import type { Transaction } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import type { Operations } from '../transaction/operations.ts';

/** A call or command of the audit log: who did what, from where. */
export interface AuditedCall {
  /** Id of the project; null = the installation. */
  readonly project: string | null;
  /** `POST projects/:project/publish`, the name of a command, or what a person did. */
  readonly act: string;
  /** The path of the call: `projects/1f…/publish`. */
  readonly subject: string;
  /** The known properties of the body as JSON; none of them is a key. */
  readonly detail: string;
  /** `admin token`, `command line`, or the id of a user. */
  readonly actor: string;
  /** Address of the client; null = this machine. */
  readonly origin: string | null;
  readonly request: string | null;
}

export interface AuditEntry extends AuditedCall {
  readonly number: number;
  readonly at: string;
}

const DETAIL_LIMIT = 4000;

/**
 * Operations that write an audit entry in the transaction of the first change, so that every call that changes something has
 * an entry, and a refused one has none.
 * @param call asked for after the change
 */
export function audited<Type extends Operations>(operations: Type, call: () => AuditedCall): Type {
  let written = false;
  const record = async (tx: Transaction, result: unknown) => {
    if (written) return;
    await writeAuditEntry(tx, withCreated(call(), result));
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
  return sql.all<AuditEntry>(
    `SELECT number, project, act, subject, detail, actor, origin, request, at FROM audit
     WHERE ${where.join(' AND ')} ORDER BY number DESC LIMIT ?`,
    [...parameters, filter.limit],
  );
}

/** Writes an entry without a change of its own. */
export async function writeAuditEntry(tx: Transaction, call: AuditedCall): Promise<void> {
  await tx.run(
    `INSERT INTO audit (number, project, act, subject, detail, actor, origin, request, at)
     SELECT coalesce(max(number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ? FROM audit`,
    [
      call.project,
      call.act,
      call.subject,
      call.detail.length > DETAIL_LIMIT ? `${call.detail.slice(0, DETAIL_LIMIT)}…` : call.detail,
      call.actor,
      call.origin,
      call.request,
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

/** Adds the id of a created object, which exists only after the call. */
function withCreated(call: AuditedCall, result: unknown): AuditedCall {
  const created = typeof result === 'object' && result !== null && 'id' in result ? result.id : undefined;
  if (typeof created !== 'string' || !CREATES.test(call.act) || call.subject.includes(created)) return call;
  const project = call.project ?? (CREATES_PROJECT.has(call.act) ? created : null);
  return { ...call, project, subject: `${call.subject}/${created}` };
}
