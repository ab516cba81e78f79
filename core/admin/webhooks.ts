import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { closed, text } from '../http/openapi-shapes.ts';
import { bodyOf } from '../http/read-body.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import {
  findAttempted,
  listNotifications,
  NEWEST,
  NOTIFICATION_STATES,
  type NotificationState,
} from '../webhooks/operator/notification-log.ts';
import { rotateSecret, skipHead } from '../webhooks/operator/queue-controls.ts';
import type { ReplayRange } from '../webhooks/operator/replays.ts';
import {
  messageOfRow,
  recordManualAttempts,
  recordTest,
  sendManually,
  testMessage,
} from '../webhooks/operator/send-manually.ts';
import { findSent } from '../webhooks/operator/sent-notification.ts';
import {
  findWebhookQueue,
  listWebhookQueues,
  type WebhookQueue,
} from '../webhooks/queues/find-webhook-queue.ts';
import { LAST, listQueued } from '../webhooks/queues/list-queued.ts';
import { changeWebhook, setWebhookEnabled } from '../webhooks/registrations.ts';
import { type Answer, afterOf, type Call, instantOf, limitOf, NOTHING, ok, pageAnswer } from './call.ts';
import { creates, lists, pages, query, routesOf, shows } from './route.ts';
import {
  notificationJson,
  sentJson,
  sentNotificationJson,
  webhookJson,
  webhookWithReplay,
} from './webhook-json.ts';
import { WEBHOOK_CHANGE, webhookChange } from './webhook-triggers.ts';

const SINCE = "'since' must be an ISO 8601 date and time.";
const RANGE = z.object({
  since: z
    .string(SINCE)
    .refine((text) => instantOf(text) !== undefined, SINCE)
    .describe('ISO 8601; UTC without a zone.'),
  state: z
    .enum(
      ['delivered', 'dropped'],
      "'state' must be 'delivered' or 'dropped'; both are sent when it is not given.",
    )
    .nullish()
    .describe('Only these; both when not given.'),
});

const HEAD = z.object({
  notification: z
    .string()
    .optional()
    .describe(
      'Id of the notification to be dropped: where another one blocks the webhook, nothing is written (412).',
    ),
});

const WEBHOOKS = 'projects/:project/webhooks';
const WEBHOOK = `${WEBHOOKS}/:webhook`;

const string = { type: 'string' };

const route = routesOf({ read: 'manage-apis', write: 'manage-apis' });

export const webhookRoutes = [
  route(`GET ${WEBHOOKS}`, {
    id: 'listWebhooks',
    summary: 'List webhooks with their state',
    answers: lists('webhooks', 'AdminWebhook'),
    handler: ({ operations, at }) =>
      operations.read(at('project'), async (view) =>
        ok({
          webhooks: await Promise.all(
            (await listWebhookQueues(view)).map((queue) => webhookJson(view, queue)),
          ),
        }),
      ),
  }),
  route(`GET ${WEBHOOK}`, {
    id: 'getWebhook',
    tagged: registrationOf,
    summary: 'Read the state of a webhook',
    answers: shows('AdminWebhook'),
    handler: ({ operations, at }) =>
      operations.read(at('project'), async (view) =>
        ok(await webhookWithReplay(view, await findWebhookQueue(view, at('webhook')))),
      ),
  }),
  route(`PUT ${WEBHOOK}`, {
    id: 'changeWebhook',
    summary: 'Change name, URL and triggers of a webhook; what is queued goes to the new URL',
    body: bodyOf(WEBHOOK_CHANGE),
    answers: shows('AdminWebhook'),
    handler: change,
  }),
  route(`PUT ${WEBHOOK}/enable`, {
    id: 'enableWebhook',
    summary: 'Enable a webhook; queued notifications are sent first',
    handler: (call) => setEnabled(call, true),
  }),
  route(`PUT ${WEBHOOK}/disable`, {
    id: 'disableWebhook',
    summary: 'Disable a webhook; notifications are still queued',
    handler: (call) => setEnabled(call, false),
  }),
  route(`GET ${WEBHOOK}/notifications`, {
    id: 'listNotifications',
    summary: 'The delivery log of a webhook, newest first',
    ...pages('notifications', 'AdminNotification', [
      query('state', 'State of the notification.', { enum: [...NOTIFICATION_STATES] }),
    ]),
    handler: log,
  }),
  route(`GET ${WEBHOOK}/notifications/:notification`, {
    id: 'getNotification',
    summary: 'Read a notification with its body, and the headers and answers of its attempts',
    description:
      'Bodies of delivered notifications and headers are made again from the change: signatures with the secrets that sign now.',
    answers: shows('AdminSentNotification'),
    handler: readSent,
  }),
  route(`POST ${WEBHOOK}/notifications/:notification/replay`, {
    id: 'replayNotification',
    summary: 'Replay a notification at once, marked as manual; its schedule does not change',
    answers: shows('AdminSent'),
    conflict: true,
    handler: replay,
  }),
  route(`POST ${WEBHOOK}/replay-since`, {
    id: 'replaySince',
    summary: 'Replay delivered and dropped notifications since a time, in order, as a job',
    body: bodyOf(RANGE),
    answers: creates(closed({ job: string, total: { type: 'integer' } })),
    conflict: true,
    handler: replaySince,
  }),
  route(`POST ${WEBHOOK}/skip-head`, {
    id: 'skipHead',
    summary: 'Drop the notification that blocks the webhook',
    body: bodyOf(HEAD),
    bodyOptional: true,
    answers: shows(closed({ id: string })),
    conflict: true,
    handler: async (call) => {
      const { notification } = await call.body(HEAD);
      return write(call, async (transaction, queue) =>
        ok({ id: await skipHead(transaction, queue, notification) }),
      );
    },
  }),
  route(`POST ${WEBHOOK}/test`, {
    id: 'testWebhook',
    summary: 'Send a notification of the type webhook and the operation test, at once',
    answers: shows('AdminSent'),
    handler: test,
  }),
  route(`POST ${WEBHOOK}/rotate-secret`, {
    id: 'rotateSecret',
    summary: 'Rotate the secret of a webhook; the old one signs as well for a while',
    answers: shows(
      closed({
        secret: text('Shown only here and in the management API.'),
        previous_valid_until: string,
      }),
    ),
    handler: (call) =>
      write(call, async (transaction, queue) => {
        const { secret, previousUntil } = await rotateSecret(
          transaction,
          queue,
          call.operations.webhooks.overlapMs,
        );
        return ok({ secret, previous_valid_until: previousUntil });
      }),
  }),
];

async function log({ operations, at, query }: Call): Promise<Answer> {
  const before = afterOf(query, NEWEST);
  const limit = limitOf(query);
  const state = stateOf(query.get('state'));
  const rows = await operations.read(at('project'), async (view) =>
    listNotifications(view.tx, await findWebhookQueue(view, at('webhook')), {
      before,
      limit: limit + 1,
      ...(state !== undefined && { state }),
    }),
  );
  return pageAnswer('notifications', rows, limit, ({ cursor }) => cursor, notificationJson);
}

async function change(call: Call): Promise<Answer> {
  const input = webhookChange(await call.body(WEBHOOK_CHANGE));
  return write(call, async (transaction, { webhook }) => {
    await changeWebhook(transaction, webhook, input);
    return ok(await webhookJson(transaction, await findWebhookQueue(transaction, webhook)));
  });
}

async function readSent({ operations, at }: Call): Promise<Answer> {
  const { prepare } = operations.webhooks.manualSending;
  const id = at('notification');
  return operations.read(at('project'), async (view) => {
    const sent = await findSent(view.tx, await findWebhookQueue(view, at('webhook')), id, prepare);
    if (sent) return ok(sentNotificationJson(sent));
    throw new ServiceError(
      'objectNotFound',
      `The webhook has attempted no notification with the id '${id}'.`,
    );
  });
}

/** Answers with the result of the attempt; the receiver has up to 60 s. */
async function replay({ operations, at }: Call): Promise<Answer> {
  // Audited before it is sent.
  const { queue, row, message } = await operations.inProject(at('project'), null, async (view) => {
    const queue = await findWebhookQueue(view, at('webhook'));
    const row = await findAttempted(view.tx, queue.number, at('notification'));
    if (!row) throw await notAttempted(view, queue, at('notification'));
    return { queue, row, message: await messageOfRow(view.tx, queue, row) };
  });
  const sent = await sendManually(operations.webhooks.manualSending, queue, message, row.body, 'replay');
  await operations.inProject(at('project'), null, (transaction) =>
    recordManualAttempts(transaction.tx, row.number, sent.attempts),
  );
  return ok(sentJson(sent));
}

async function replaySince({ operations, at, body }: Call): Promise<Answer> {
  const range = rangeOf(await body(RANGE));
  const { job, queue } = await operations.inProject(at('project'), null, async (transaction) => {
    const queue = await findWebhookQueue(transaction, at('webhook'));
    return { queue, job: await operations.webhooks.replays.create(transaction, queue, range) };
  });
  if (job.total > 0) operations.webhooks.replays.run(job.id, queue, range);
  return { status: 201, body: { job: job.id, total: job.total } };
}

async function test({ operations, at }: Call): Promise<Answer> {
  const { manualSending } = operations.webhooks;
  const { queue, message } = await operations.inProject(at('project'), null, async (transaction) => {
    const queue = await findWebhookQueue(transaction, at('webhook'));
    return { queue, message: testMessage(queue, transaction.newId(), transaction.now) };
  });
  const sent = await sendManually(manualSending, queue, message, null, 'test');
  await operations.inProject(at('project'), null, async ({ tx }) => {
    // It may have been deleted meanwhile.
    const exists = await tx.get('SELECT number FROM webhook_lane WHERE number = ?', [queue.number]);
    if (exists) await recordTest(tx, queue, sent);
  });
  return ok(sentJson(sent));
}

function setEnabled(call: Call, enabled: boolean): Promise<Answer> {
  return write(call, async (transaction, queue) => {
    await setWebhookEnabled(transaction, queue.webhook, enabled);
    return NOTHING;
  });
}

function write(
  call: Call,
  work: (transaction: ProjectTransaction, queue: WebhookQueue) => Promise<Answer>,
): Promise<Answer> {
  return call.operations.inProject(call.at('project'), null, async (transaction) =>
    work(transaction, await findWebhookQueue(transaction, call.at('webhook'))),
  );
}

/** A queued notification already has an id; the dispatcher will send it. */
async function notAttempted({ tx }: ProjectView, queue: WebhookQueue, id: string): Promise<ServiceError> {
  const queued = await listQueued(tx, queue, LAST, 10_000);
  return queued.some((one) => one.id === id)
    ? new ServiceError('conflict', 'The notification is still queued; it will be sent after those before it.')
    : new ServiceError('objectNotFound', `The webhook has no notification with the id '${id}'.`);
}

function stateOf(given: string | null): NotificationState | undefined {
  if (given === null || given === '') return undefined;
  const state = NOTIFICATION_STATES.find((one) => one === given);
  if (state) return state;
  throw new ServiceError('badRequest', `The states are ${NOTIFICATION_STATES.join(', ')}.`);
}

function rangeOf({ since, state }: z.infer<typeof RANGE>): ReplayRange {
  return { since: instantOf(since)!, ...(state && { state }) };
}

/** Without the state of its queue. */
function registrationOf({
  id,
  name,
  url,
  triggers,
  enabled,
  last_modified,
}: Awaited<ReturnType<typeof webhookJson>>) {
  return { id, name, url, triggers, enabled, last_modified };
}
