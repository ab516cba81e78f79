import { webhooksTag } from '../changes/tags.ts';
import { findWorkflowStep } from '../content/workflow.ts';
import { ServiceError } from '../errors.ts';
import type { Reference } from '../model/inputs.ts';
import { checkName, Issues } from '../model/issues.ts';
import { describe } from '../model/reference.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import type { WebhookTriggers } from './event-kinds.ts';
import { CONTENT_OPERATIONS, CONTENT_TYPES, maskOf, operationsOf } from './event-kinds.ts';
import { retryHeadNow } from './operator/queue-controls.ts';
import { createQueue } from './queues/create-queue.ts';
import { passUnchosen } from './queues/pass-unchosen.ts';
import { newSecret } from './queues/secrets.ts';
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
  /** Generated when absent. */
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

/** Columns of a `WebhookRow`. */
const COLUMNS = 'id, name, url, secret, triggers, enabled, last_modified';

/** Issue paths refer to the body of the registration, such as `triggers.delivery_api_content_changes[0].type`. */
export async function addWebhook(
  transaction: ProjectTransaction,
  input: WebhookInput,
): Promise<WebhookRegistration> {
  const { url, triggers } = readInput(input);
  const secret = input.secret ?? newSecret(transaction);
  const id = transaction.newId();
  await transaction.tx.insert(
    'webhook',
    ['id', 'project', 'name', 'url', 'secret', 'triggers', 'created', 'last_modified'],
    [
      [
        id,
        transaction.project.number,
        input.name,
        url,
        secret,
        JSON.stringify(triggers),
        transaction.now,
        transaction.now,
      ],
    ],
  );
  await createQueue(transaction, id, triggers);
  transaction.change('webhook', 'create', id, [webhooksTag(transaction.project.id)]);
  return {
    id,
    name: input.name,
    url,
    secret,
    triggers,
    enabled: true,
    lastModified: transaction.now,
  };
}

export async function listWebhooks({ tx, project }: ProjectView): Promise<WebhookRegistration[]> {
  const rows = await tx.all<WebhookRow>(
    `SELECT ${COLUMNS} FROM webhook WHERE project = ? ORDER BY created, id`,
    [project.number],
  );
  return rows.map(toRegistration);
}

/** @throws webhookNotFound */
export async function findWebhook({ tx, project }: ProjectView, id: string): Promise<WebhookRegistration> {
  const row = await tx.get<WebhookRow>(`SELECT ${COLUMNS} FROM webhook WHERE project = ? AND id = ?`, [
    project.number,
    id.toLowerCase(),
  ]);
  if (!row) throw new ServiceError('webhookNotFound', `There is no webhook with ${describe({ id })}.`);
  return toRegistration(row);
}

/**
 * Changes name, URL and triggers. What is queued goes to the new URL; queued events that the new triggers leave out are not
 * sent, nor earlier ones that only they choose, except behind one that waits.
 * @throws webhookNotFound, invalidBody
 */
export async function changeWebhook(
  transaction: ProjectTransaction,
  id: string,
  input: Omit<WebhookInput, 'secret'>,
): Promise<void> {
  const { tx, now, project } = transaction;
  const webhook = await findWebhook(transaction, id);
  const { url, triggers } = readInput(input, webhook);
  await tx.run('UPDATE webhook SET name = ?, url = ?, triggers = ?, last_modified = ? WHERE id = ?', [
    input.name,
    url,
    JSON.stringify(triggers),
    now,
    webhook.id,
  ]);
  await passUnchosen(tx, webhook.id, (work) => work(tx));
  await tx.run('UPDATE webhook_lane SET mask = ? WHERE webhook = ?', [maskOf(triggers), webhook.id]);
  // The new URL may work where the old one did not.
  if (url !== webhook.url) await retryHeadNow(transaction, webhook.id);
  transaction.change('webhook', 'upsert', webhook.id, [webhooksTag(project.id)]);
}

/**
 * A disabled webhook receives nothing; its notifications wait. Enabling it retries the head at once.
 * @throws webhookNotFound
 */
export async function setWebhookEnabled(
  transaction: ProjectTransaction,
  id: string,
  enabled: boolean,
): Promise<void> {
  const webhook = await findWebhook(transaction, id);
  if (webhook.enabled === enabled) return;
  await transaction.tx.run('UPDATE webhook SET enabled = ?, last_modified = ? WHERE id = ?', [
    enabled ? 1 : 0,
    transaction.now,
    webhook.id,
  ]);
  if (enabled) await retryHeadNow(transaction, webhook.id);
  transaction.change('webhook', 'upsert', webhook.id, [webhooksTag(transaction.project.id)]);
}

/** @throws webhookNotFound */
export async function deleteWebhook(transaction: ProjectTransaction, id: string): Promise<void> {
  const webhook = await findWebhook(transaction, id);
  await transaction.tx.run('DELETE FROM webhook WHERE id = ?', [webhook.id]);
  transaction.change('webhook', 'delete', webhook.id, [webhooksTag(transaction.project.id)]);
}

/**
 * @param present the webhook: it keeps its URL whatever its length, and triggers that never occur, which 0.2.0 took
 * @throws invalidBody
 */
function readInput(
  input: WebhookInput,
  present?: Pick<WebhookRegistration, 'url' | 'triggers'>,
): { readonly url: string; readonly triggers: WebhookTriggers } {
  const issues = new Issues();
  checkName(issues, input.name, NAME_LIMIT);
  const parsed = input.url === present?.url ? { url: present.url } : parseWebhookUrl(input.url);
  if ('problem' in parsed) issues.add(parsed.problem, 'url');
  if (input.secret !== undefined) checkSecret(issues, input.secret);
  const triggers = readTriggers(issues, input, present?.triggers);
  issues.refuse();
  return { url: 'url' in parsed ? parsed.url : '', triggers };
}

function checkSecret(issues: Issues, secret: string): void {
  if (secret.trim() === '')
    issues.add('The secret must not be empty; one is generated when it is left out.', 'secret');
  else if (secret.includes('\0')) issues.add('The secret must not hold null characters.', 'secret');
  else if (secret.length > SECRET_LIMIT)
    issues.add(`The secret must not be longer than ${SECRET_LIMIT} characters.`, 'secret');
}

function readTriggers(issues: Issues, input: WebhookInput, present?: WebhookTriggers): WebhookTriggers {
  const { contentChanges, workflowSteps } = input;
  const kept = new Set(
    present?.contentChanges.map(({ type, operations }) => JSON.stringify([type, operations])),
  );
  if (contentChanges.length + workflowSteps.length > TRIGGER_LIMIT) {
    issues.add(`A webhook can have at most ${TRIGGER_LIMIT} triggers.`, 'triggers');
  }
  for (const [index, { type, operations }] of contentChanges.entries()) {
    if (issues.isFull) break;
    const path = `triggers.delivery_api_content_changes[${index}]`;
    checkType(issues, type, path);
    for (const [at, operation] of operations.entries()) {
      if (issues.isFull) break;
      if (!CONTENT_OPERATIONS.has(operation)) {
        issues.add(`The operations are ${[...CONTENT_OPERATIONS].join(', ')}.`, `${path}.operations[${at}]`);
      }
    }
    const occurring = operationsOf(type);
    const known = operations.filter((operation) => CONTENT_OPERATIONS.has(operation));
    if (kept.has(JSON.stringify([type, operations]))) continue;
    // It would never be notified. Others beside one that occurs do no harm.
    if (occurring.length > 0 && known.length > 0 && !known.some((one) => occurring.includes(one)))
      issues.add(`The operations of '${type}' are ${occurring.join(', ')}.`, `${path}.operations`);
  }
  return {
    contentChanges,
    workflowSteps: workflowSteps.map(({ type, transitionsTo }, index) => {
      const path = `triggers.workflow_step_changes[${index}]`;
      checkType(issues, type, path);
      return {
        type,
        transitionsTo: transitionsTo.map((reference, at) => {
          if (issues.isFull) return '';
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
