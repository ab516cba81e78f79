/** Webhooks in the OpenAPI description of the admin API: the delivery log and what can be done with queues. */
import { arrayOf, closed, type Schema, schema, text } from '../http/openapi-shapes.ts';
import { NOTIFICATION_STATES } from '../webhooks/operator/notification-log.ts';
import type { DocumentedCall } from './documented-call.ts';

const WEBHOOK = 'projects/:project/webhooks/:webhook';
const of = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const shape = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const listOf = (key: string, name: string, more: Record<string, unknown> = {}) =>
  shape({ [key]: { type: 'array', items: of(name) }, ...more });

export const webhookCalls: readonly DocumentedCall[] = [
  {
    method: 'get',
    path: 'projects/:project/webhooks',
    id: 'listWebhooks',
    summary: 'List webhooks with how each is doing',
    answer: listOf('webhooks', 'AdminWebhook'),
  },
  {
    method: 'get',
    path: WEBHOOK,
    id: 'getWebhook',
    summary: 'How a webhook is doing',
    answer: of('AdminWebhook'),
  },
  {
    method: 'put',
    path: `${WEBHOOK}/enable`,
    id: 'enableWebhook',
    summary: 'Send again, what was queued meanwhile first',
  },
  {
    method: 'put',
    path: `${WEBHOOK}/disable`,
    id: 'disableWebhook',
    summary: 'Send nothing for now; queueing goes on',
  },
  {
    method: 'get',
    path: `${WEBHOOK}/notifications`,
    id: 'listNotifications',
    summary: 'The delivery log of a webhook, newest first',
    query: ['notificationState', 'after', 'limit'],
    answer: listOf('notifications', 'AdminNotification', { pagination: of('AdminPage') }),
  },
  {
    method: 'post',
    path: `${WEBHOOK}/notifications/:notification/replay`,
    id: 'replayNotification',
    summary: 'Send a notification once more, at once, marked; its schedule stays as it is',
    answer: of('AdminSent'),
    conflict: true,
  },
  {
    method: 'post',
    path: `${WEBHOOK}/replay-since`,
    id: 'replaySince',
    summary: 'Send what was settled since a time once more, in order, as a job',
    body: {
      properties: {
        since: { type: 'string', description: 'ISO 8601.' },
        state: { enum: ['delivered', 'dropped'], description: 'Only these; both when not given.' },
      },
      required: ['since'],
    },
    answer: shape({ job: { type: 'string' }, total: { type: 'integer' } }),
    created: true,
    conflict: true,
  },
  {
    method: 'post',
    path: `${WEBHOOK}/skip-head`,
    id: 'skipHead',
    summary: 'Drop the notification that blocks the webhook, on record',
    answer: shape({ id: { type: 'string' } }),
    conflict: true,
  },
  {
    method: 'post',
    path: `${WEBHOOK}/test`,
    id: 'testWebhook',
    summary: 'Send a notification of the type webhook and the operation test, at once',
    answer: of('AdminSent'),
  },
  {
    method: 'post',
    path: `${WEBHOOK}/rotate-secret`,
    id: 'rotateSecret',
    summary: 'Give a webhook a new secret; the old one signs as well for a while',
    answer: shape({
      secret: { type: 'string', description: 'Shown here alone, and in the management API.' },
      previous_valid_until: { type: 'string' },
    }),
  },
];

const time = (description: string): Schema => text(`${description} ISO 8601, UTC.`);
const orNull = ({ type, ...rest }: Schema): Schema => ({ type: [type, 'null'], ...rest });

export function webhookSchemas(): Readonly<Record<string, Schema>> {
  return {
    AdminWebhook: closed(
      {
        id: text('Id of the webhook.'),
        name: text('Name.'),
        url: text('Where notifications go.'),
        enabled: { type: 'boolean', description: 'False: nothing is sent, queueing goes on.' },
        state: {
          enum: ['working', 'failing', 'dead'],
          description:
            '`failing`: the last attempt failed. `dead`: a notification was dropped after 3 days and none got through since.',
        },
        failing_since: orNull(time('First failure since the last success.')),
        waiting: {
          type: 'integer',
          minimum: 0,
          description: 'Queued behind the one that is tried; 1000 = that many or more.',
        },
        next_attempt: orNull(time('When the blocking notification is tried next.')),
        previous_secret_until: orNull(time('Until when the secret before signs as well.')),
        last_modified: time('Last change of the registration.'),
      },
      'How a webhook is doing.',
    ),
    AdminAttempt: closed(
      {
        at: time('When it began.'),
        status: orNull({ type: 'integer', description: 'Status of the answer; null = there was none.' }),
        duration_ms: { type: 'integer', minimum: 0, description: 'How long it took.' },
        answer: orNull(text('The first 2 kB of the answer.')),
        error: orNull(text('Why there was no answer.')),
        manual: { type: 'boolean', description: 'A test or a replay, outside the schedule.' },
      },
      'One attempt to deliver.',
    ),
    AdminNotification: closed(
      {
        id: text('`message.id` of the body.'),
        type: text('`message.type`.'),
        operation: text('`message.operation`.'),
        state: { enum: [...NOTIFICATION_STATES], description: '`pending`: queued, or to be tried again.' },
        created: time('When the change was committed.'),
        note: orNull(text('Why it was dropped.')),
        attempts: arrayOf(schema('AdminAttempt'), 'Oldest first.'),
        next_attempt: orNull(time('When it is tried next, if it failed before.')),
      },
      'A notification of the log.',
    ),
    AdminSent: closed(
      {
        id: text('`message.id` of what was sent.'),
        delivered: { type: 'boolean', description: 'The receiver answered 200 to 299.' },
        attempt: schema('AdminAttempt'),
      },
      'What came of sending by hand.',
    ),
  };
}
