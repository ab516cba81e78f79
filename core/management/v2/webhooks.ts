import type { JsonObject } from '../../json-body/parse-body.ts';
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
import { Fields, withFindings } from '../fields.ts';
import { type Answer, type Route, route } from '../route.ts';

export const webhookRoutes: readonly Route[] = [
  // A bare array, never paged.
  route('GET', 'webhooks', (call) =>
    call.read(async (view) => ({ status: 200, body: (await listWebhooks(view)).map(toWebhookJson) })),
  ),
  route('POST', 'webhooks', async (call) => {
    const body = (await call.body()).object();
    return call.write(async (transaction) => {
      const issues = new Issues();
      const input = readWebhook(new Fields(issues, body));
      const webhook = await withFindings(issues, () => addWebhook(transaction, input));
      return { status: 201, location: `${call.base}/webhooks/${webhook.id}`, body: toWebhookJson(webhook) };
    });
  }),
  route('GET', 'webhooks/:id', (call) =>
    call.read(async (view) => ({
      status: 200,
      body: toWebhookJson(await findWebhook(view, textAt(call, 'id'))),
    })),
  ),
  route('PUT', 'webhooks/:id/enable', (call) => setEnabled(call, true)),
  route('PUT', 'webhooks/:id/disable', (call) => setEnabled(call, false)),
  route('DELETE', 'webhooks/:id', (call) =>
    call.write(async (transaction) => {
      await deleteWebhook(transaction, textAt(call, 'id'));
      return { status: 204 };
    }),
  ),
];

function setEnabled(call: Call, enabled: boolean): Promise<Answer> {
  return call.write(async (transaction) => {
    await setWebhookEnabled(transaction, textAt(call, 'id'), enabled);
    return { status: 204 };
  });
}

function readWebhook(fields: Fields): WebhookInput {
  const triggers = fields.object('triggers');
  return {
    name: fields.text('name') ?? '',
    url: fields.text('url') ?? '',
    secret: fields.text('secret'),
    contentChanges: (triggers?.list('delivery_api_content_changes') ?? []).map((change) => ({
      type: change.text('type') ?? '',
      operations: change.texts('operations') ?? [],
    })),
    workflowSteps: (triggers?.list('workflow_step_changes') ?? []).map((change) => ({
      type: change.text('type') ?? '',
      transitionsTo: change.references('transitions_to') ?? [],
    })),
  };
}

function toWebhookJson({ id, name, url, secret, triggers, lastModified }: WebhookRegistration): JsonObject {
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
