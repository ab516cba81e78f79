import { webhooksTag } from '../changes/tags.ts';
import { findWorkflowStep } from '../content/workflow.ts';
import { ServiceError } from '../errors.ts';
import type { Reference } from '../model/inputs.ts';
import { checkName, Issues } from '../model/issues.ts';
import { describe } from '../model/reference.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { startHeadAnew } from './desk/lane-controls.ts';
import type { WebhookTriggers } from './event-kinds.ts';
import { CONTENT_OPERATIONS, CONTENT_TYPES } from './event-kinds.ts';
import { newSecret } from './lanes/lane-secret.ts';
import { openLane } from './lanes/open-lane.ts';
import { parseWebhookUrl } from './webhook-url.ts';

const NAME_LIMIT = 200;
const SECRET_LIMIT = 200;
const TRIGGER_LIMIT = 50;

export interface WebhookRegistration {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Signs notifications. */
  readonly secret: string;
  readonly triggers: WebhookTriggers;
  readonly enabled: boolean;
  readonly lastModified: string;
}

export interface WebhookInput {
  readonly name: string;
  readonly url: string;
  /** Made when absent. */
  readonly secret?: string;
  readonly contentChanges: readonly { readonly type: string; readonly operations: readonly string[] }[];
  readonly workflowSteps: readonly { readonly type: string; readonly transitionsTo: readonly Reference[] }[];
}

interface WebhookRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly triggers: string;
  readonly enabled: number;
  readonly last_modified: string;
}

/** Paths of findings are those of the registration's body, `triggers.delivery_api_content_changes[0].type`. */
export async function addWebhook(
  session: ProjectTransaction,
  input: WebhookInput,
): Promise<WebhookRegistration> {
  const issues = new Issues();
  checkName(issues, input.name, NAME_LIMIT);
  const parsed = parseWebhookUrl(input.url);
  if ('problem' in parsed) issues.add(parsed.problem, 'url');
  if (input.secret !== undefined) checkSecret(issues, input.secret);
  const triggers = readTriggers(issues, input);
  issues.refuse();
  const url = 'url' in parsed ? parsed.url : '';
  const secret = input.secret ?? newSecret(session);
  const id = session.newId();
  await session.tx.insert(
    'webhook',
    ['id', 'project', 'name', 'url', 'secret', 'triggers', 'created', 'last_modified'],
    [
      [
        id,
        session.project.number,
        input.name,
        url,
        secret,
        JSON.stringify(triggers),
        session.now,
        session.now,
      ],
    ],
  );
  await openLane(session, id, triggers);
  session.change('webhook', 'create', id, [webhooksTag(session.project.id)]);
  return {
    id,
    name: input.name,
    url,
    secret,
    triggers,
    enabled: true,
    lastModified: session.now,
  };
}

export async function listWebhooks({ tx, project }: ProjectView): Promise<WebhookRegistration[]> {
  const rows = await tx.all<WebhookRow>('SELECT * FROM webhook WHERE project = ? ORDER BY created, id', [
    project.number,
  ]);
  return rows.map(toRegistration);
}

/** @throws webhookNotFound */
export async function findWebhook({ tx, project }: ProjectView, id: string): Promise<WebhookRegistration> {
  const row = await tx.get<WebhookRow>('SELECT * FROM webhook WHERE project = ? AND id = ?', [
    project.number,
    id.toLowerCase(),
  ]);
  if (!row) throw new ServiceError('webhookNotFound', `There is no webhook with ${describe({ id })}.`);
  return toRegistration(row);
}

/**
 * A webhook that is disabled is sent nothing; what happens meanwhile waits for it. Enabled, it is tried at once.
 * @throws webhookNotFound
 */
export async function setWebhookEnabled(
  session: ProjectTransaction,
  id: string,
  enabled: boolean,
): Promise<void> {
  const webhook = await findWebhook(session, id);
  if (webhook.enabled === enabled) return;
  await session.tx.run('UPDATE webhook SET enabled = ?, last_modified = ? WHERE id = ?', [
    enabled ? 1 : 0,
    session.now,
    webhook.id,
  ]);
  if (enabled) await startHeadAnew(session, webhook.id);
  session.change('webhook', 'upsert', webhook.id, [webhooksTag(session.project.id)]);
}

/** @throws webhookNotFound */
export async function deleteWebhook(session: ProjectTransaction, id: string): Promise<void> {
  const webhook = await findWebhook(session, id);
  await session.tx.run('DELETE FROM webhook WHERE id = ?', [webhook.id]);
  session.change('webhook', 'delete', webhook.id, [webhooksTag(session.project.id)]);
}

function checkSecret(issues: Issues, secret: string): void {
  if (secret.trim() === '')
    issues.add('The secret must not be empty; one is made when it is left out.', 'secret');
  else if (secret.includes('\0')) issues.add('The secret must not hold null characters.', 'secret');
  else if (secret.length > SECRET_LIMIT)
    issues.add(`The secret must not be longer than ${SECRET_LIMIT} characters.`, 'secret');
}

function readTriggers(issues: Issues, input: WebhookInput): WebhookTriggers {
  const { contentChanges, workflowSteps } = input;
  if (contentChanges.length + workflowSteps.length > TRIGGER_LIMIT) {
    issues.add(`A webhook can have at most ${TRIGGER_LIMIT} triggers.`, 'triggers');
  }
  for (const [index, { type, operations }] of contentChanges.entries()) {
    const path = `triggers.delivery_api_content_changes[${index}]`;
    checkType(issues, type, path);
    for (const [at, operation] of operations.entries()) {
      if (!CONTENT_OPERATIONS.has(operation)) {
        issues.add(`The operations are ${[...CONTENT_OPERATIONS].join(', ')}.`, `${path}.operations[${at}]`);
      }
    }
  }
  return {
    contentChanges,
    workflowSteps: workflowSteps.map(({ type, transitionsTo }, index) => {
      const path = `triggers.workflow_step_changes[${index}]`;
      checkType(issues, type, path);
      return {
        type,
        transitionsTo: transitionsTo.map((reference, at) => {
          const step = findWorkflowStep(reference);
          if (!step) {
            issues.add(
              `There is no workflow step with ${describe(reference)}.`,
              `${path}.transitions_to[${at}]`,
            );
          }
          return step?.id ?? '';
        }),
      };
    }),
  };
}

function checkType(issues: Issues, type: string, path: string): void {
  if (!CONTENT_TYPES.has(type)) issues.add(`The types are ${[...CONTENT_TYPES].join(', ')}.`, `${path}.type`);
}

function toRegistration(row: WebhookRow): WebhookRegistration {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    secret: row.secret,
    triggers: JSON.parse(row.triggers),
    enabled: row.enabled === 1,
    lastModified: row.last_modified,
  };
}
