import { arrayOf, closed, id, open, type Schema, schema, text, time } from '../../http/openapi-shapes.ts';
import { WHOLE } from '../../http/route.ts';
import { Issues } from '../../model/issues.ts';
import {
  addWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  setWebhookEnabled,
  type WebhookInput,
  type WebhookRegistration,
} from '../../webhooks/registrations.ts';
import { type Call, textAt } from '../call.ts';
import { Fields, withIssues } from '../fields.ts';
import { idReference, reference } from '../management-schemas.ts';
import { type Answer, answersCreated, type Route, routesOf } from '../route.ts';

const route = routesOf('Webhooks', { read: 'manage-apis', write: 'manage-apis' });
const webhook = schema('ManagedWebhook');

export const webhookRoutes: readonly Route[] = [
  // The answer is an array without pages.
  route('GET webhooks', {
    id: 'listWebhooks',
    summary: 'List webhooks',
    answers: { 200: { schema: arrayOf(webhook, 'All webhooks.') } },
    handler: (call) =>
      call.read(async (view) => ({ status: 200, body: (await listWebhooks(view)).map(toWebhookJson) })),
  }),
  route('POST webhooks', {
    id: 'addWebhook',
    summary: 'Register a webhook',
    body: schema('ManagedWebhookInput'),
    answers: answersCreated(webhook),
    handler: async (call) => {
      const body = (await call.body()).object();
      return call.write(async (transaction) => {
        const issues = new Issues();
        const input = await readWebhook(new Fields(issues, body));
        const webhook = await withIssues(issues, () => addWebhook(transaction, input));
        return { status: 201, location: `${call.base}/webhooks/${webhook.id}`, body: toWebhookJson(webhook) };
      });
    },
  }),
  route('GET webhooks/:webhook_id', {
    id: 'getWebhook',
    tagged: WHOLE,
    summary: 'Read a webhook',
    answers: { 200: { schema: webhook } },
    handler: (call) =>
      call.read(async (view) => ({
        status: 200,
        body: toWebhookJson(await findWebhook(view, textAt(call, 'webhook_id'))),
      })),
  }),
  route('PUT webhooks/:webhook_id/enable', {
    id: 'enableWebhook',
    summary: 'Enable a webhook',
    handler: (call) => setEnabled(call, true),
  }),
  route('PUT webhooks/:webhook_id/disable', {
    id: 'disableWebhook',
    summary: 'Disable a webhook',
    handler: (call) => setEnabled(call, false),
  }),
  route('DELETE webhooks/:webhook_id', {
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    handler: (call) =>
      call.write(async (transaction) => {
        await deleteWebhook(transaction, textAt(call, 'webhook_id'));
        return { status: 204 };
      }),
  }),
];

function setEnabled(call: Call, enabled: boolean): Promise<Answer> {
  return call.write(async (transaction) => {
    await setWebhookEnabled(transaction, textAt(call, 'webhook_id'), enabled);
    return { status: 204 };
  });
}

async function readWebhook(fields: Fields): Promise<WebhookInput> {
  const triggers = fields.object('triggers');
  return {
    name: fields.text('name') ?? '',
    url: fields.text('url') ?? '',
    secret: fields.text('secret'),
    contentChanges:
      (await triggers?.each('delivery_api_content_changes', async (change) => ({
        type: change.text('type') ?? '',
        operations: (await change.texts('operations')) ?? [],
      }))) ?? [],
    workflowSteps:
      (await triggers?.each('workflow_step_changes', async (change) => ({
        type: change.text('type') ?? '',
        transitionsTo: (await change.references('transitions_to')) ?? [],
      }))) ?? [],
  };
}

function toWebhookJson({ id, name, url, secret, triggers, lastModified }: WebhookRegistration) {
  return {
    last_modified: lastModified,
    id,
    name,
    url,
    secret,
    triggers: {
      delivery_api_content_changes: triggers.contentChanges.map(({ type, operations }) => ({
        type,
        operations,
      })),
      workflow_step_changes: triggers.workflowSteps.map(({ type, transitionsTo }) => ({
        type,
        transitions_to: transitionsTo.map((step) => ({ id: step })),
      })),
    },
  };
}

const triggers = (steps: Schema): Record<string, Schema> => ({
  delivery_api_content_changes: arrayOf(
    open(
      {
        type: text('What is changed: `content_item_variant`, `taxonomy`, …'),
        operations: arrayOf(
          text('`publish`, `unpublish`, …'),
          'What is done; everything when empty. `restore` includes `restore_publish`.',
        ),
      },
      'Changes of published content.',
      ['type'],
    ),
    'Changes of published content that it notifies of.',
  ),
  workflow_step_changes: arrayOf(
    open({ type: text('What is moved.'), transitions_to: arrayOf(steps, 'Steps.') }, 'Moves.', ['type']),
    'Workflow moves that it notifies of.',
  ),
});

export const webhookSchemas = {
  ManagedWebhook: closed<keyof ReturnType<typeof toWebhookJson>>(
    {
      last_modified: time('Last change.'),
      id: id('Id.'),
      name: text('Name.'),
      url: text(
        'Where notifications go, as the URL parser reads it: without spaces around it, percent-encoded; without a path where none was given.',
      ),
      secret: text('Signs notifications.'),
      triggers: closed(triggers(idReference), 'The changes that it notifies of; all when empty.'),
    },
    'A webhook.',
  ),
  ManagedWebhookInput: open(
    {
      name: text('At most 200 characters.'),
      url: text(
        'Absolute, http or https, at most 250 characters once it is percent-encoded; no control characters, user name or password. A fragment is kept and never sent.',
      ),
      secret: text('Generated when absent.'),
      triggers: open(triggers(reference), 'The changes that it notifies of.'),
    },
    'A webhook to be registered.',
    ['name', 'url'],
  ),
};
