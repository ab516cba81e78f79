import { arrayOf, closed, count, mapOf, oneOf, orNull, schema, text, time } from '../http/openapi-shapes.ts';
import { JOB_STATES } from '../jobs/jobs.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { type LoggedNotification, NOTIFICATION_STATES } from '../webhooks/operator/notification-log.ts';
import { lastReplay } from '../webhooks/operator/replays.ts';
import type { ManuallySent } from '../webhooks/operator/send-manually.ts';
import type { SentNotification } from '../webhooks/operator/sent-notification.ts';
import type { WebhookQueue } from '../webhooks/queues/find-webhook-queue.ts';
import type { Attempt } from '../webhooks/queues/queue-types.ts';
import { triggersJson, triggersSchema } from './webhook-triggers.ts';

/** Limit for the count of queued notifications. */
const COUNTED = 1000;

export function webhookState({ deadSince, failingSince }: WebhookQueue): 'working' | 'failing' | 'dead' {
  return deadSince !== null ? 'dead' : failingSince !== null ? 'failing' : 'working';
}

/** Without the secret, which only the management API and a rotation show. */
export async function webhookJson({ tx }: ProjectView, queue: WebhookQueue) {
  const waiting = await tx.get<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM (SELECT 1 AS one FROM webhook_event e
       JOIN webhook_lane l ON l.number = ? AND e.kind & l.mask <> 0
     WHERE e.project = ? AND e.number > coalesce((SELECT event FROM webhook_notification WHERE number = ?), ?)
     LIMIT ${COUNTED}) AS queued`,
    [queue.number, queue.project, queue.head, queue.cursor],
  );
  const head =
    queue.head === null
      ? undefined
      : await tx.get<{ id: string }>('SELECT id FROM webhook_notification WHERE number = ?', [queue.head]);
  return {
    id: queue.webhook,
    name: queue.name,
    url: queue.url,
    triggers: triggersJson(queue.triggers),
    enabled: queue.enabled,
    state: webhookState(queue),
    failing_since: queue.failingSince,
    waiting: waiting?.waiting ?? 0,
    next_attempt: queue.nextDue,
    blocked_by: head?.id ?? null,
    previous_secret_until: queue.secrets.previous?.until ?? null,
    last_modified: queue.lastModified,
  };
}

/** With its last replay. */
export async function webhookWithReplay(view: ProjectView, queue: WebhookQueue) {
  const replay = await lastReplay(view.tx, queue.webhook);
  return {
    ...(await webhookJson(view, queue)),
    replay: replay
      ? { job: replay.id, state: replay.state, done: replay.done, total: replay.total, error: replay.error }
      : null,
  };
}

export function sentJson({ id, accepted, attempts }: ManuallySent) {
  const last = attempts.at(-1) ?? attempts[0];
  return { id, delivered: accepted, attempt: attemptJson({ ...last, manual: true }) };
}

export function notificationJson({
  id,
  type,
  operation,
  state,
  created,
  note,
  attempts,
  nextAttempt,
}: LoggedNotification) {
  return {
    id,
    type,
    operation,
    state,
    created,
    note,
    attempts: attempts.map(attemptJson),
    next_attempt: nextAttempt,
  };
}

function attemptJson({
  at,
  status,
  durationMs,
  answer,
  error,
  manual,
}: Attempt & { readonly manual: boolean }) {
  return { at, status, duration_ms: durationMs, answer, error, manual };
}

export function sentNotificationJson({ body, attempts, ...notification }: SentNotification) {
  return {
    ...notificationJson({ ...notification, attempts: [] }),
    body,
    attempts: attempts.map((one) => ({ ...attemptJson(one), headers: one.headers })),
  };
}

const attemptSchema = {
  at: time('When it began.'),
  status: orNull({ type: 'integer', description: 'Status of the answer; null = there was none.' }),
  duration_ms: { type: 'integer', minimum: 0, description: 'How long it took.' },
  answer: orNull(text('The first 2 kB of the answer.')),
  error: orNull(text('Why there was no answer.')),
  manual: { type: 'boolean', description: 'A test or a replay, outside the schedule.' },
};
const notificationSchema = {
  id: text('`message.id` of the body.'),
  type: text('`message.type`.'),
  operation: text('`message.operation`.'),
  state: { enum: [...NOTIFICATION_STATES], description: '`pending`: queued, or to be tried again.' },
  created: time('When the change was committed.'),
  note: orNull(text('Why it was dropped.')),
  attempts: arrayOf(schema('AdminAttempt'), 'Oldest first.'),
  next_attempt: orNull(time('When it is tried next, if it failed before.')),
};

export const webhookSchemas = {
  AdminWebhook: closed<keyof Awaited<ReturnType<typeof webhookWithReplay>>>(
    {
      id: text('Id of the webhook.'),
      name: text('Name.'),
      url: text('Where notifications go.'),
      triggers: triggersSchema,
      enabled: { type: 'boolean', description: 'False: nothing is sent, queueing continues.' },
      state: {
        enum: ['working', 'failing', 'dead'],
        description:
          '`failing`: the last attempt failed. `dead`: a notification was dropped after 3 days and none was delivered since.',
      },
      failing_since: orNull(time('First failure since the last success.')),
      waiting: {
        type: 'integer',
        minimum: 0,
        description: 'Queued behind the one that is tried; 1000 = that many or more.',
      },
      next_attempt: orNull(time('When the blocking notification is tried next.')),
      blocked_by: orNull(text('Id of the notification that failed and is tried again before all others.')),
      previous_secret_until: orNull(time('Until when the previous secret signs as well.')),
      last_modified: time('Last change of the registration.'),
      replay: orNull(
        closed(
          {
            job: text('Id of the job.'),
            state: oneOf(JOB_STATES, 'State.'),
            done: count('Sent again.'),
            total: orNull(count('To be sent again.')),
            error: orNull(text('Why it ended early.')),
          },
          'The last replay since a time; null without one. In the answer for one webhook only.',
        ),
      ),
    },
    'The state of a webhook.',
    ['replay'],
  ),
  AdminAttempt: closed<keyof ReturnType<typeof attemptJson>>(attemptSchema, 'One attempt to deliver.'),
  AdminNotification: closed<keyof ReturnType<typeof notificationJson>>(
    notificationSchema,
    'A notification of the log.',
  ),
  AdminSentNotification: closed<keyof ReturnType<typeof sentNotificationJson>>(
    {
      ...notificationSchema,
      body: orNull(text('What is sent; null where the content of the notification was removed.')),
      attempts: arrayOf(
        closed(
          {
            ...attemptSchema,
            headers: orNull(mapOf({ type: 'string' }, 'Of the request, without host and length.')),
          },
          'One attempt to deliver, with its headers.',
        ),
        'Oldest first.',
      ),
    },
    'A notification with what was sent.',
  ),
  AdminSent: closed<keyof ReturnType<typeof sentJson>>(
    {
      id: text('`message.id` of what was sent.'),
      delivered: { type: 'boolean', description: 'The receiver answered 200 to 299.' },
      attempt: schema('AdminAttempt'),
    },
    'The result of a manual attempt.',
  ),
};
