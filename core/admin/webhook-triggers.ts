import { z } from 'zod';
import { arrayOf, closed, id, text } from '../http/openapi-shapes.ts';
import type { WebhookTriggers } from '../webhooks/event-kinds.ts';
import type { WebhookInput } from '../webhooks/registrations.ts';

/** Members of a list; how many triggers there can be is checked with them. */
const MOST = 1000;

const STEP = z.object({ id: z.string().optional(), codename: z.string().optional() });

/** Body of a change of a registration. */
export const WEBHOOK_CHANGE = z.object({
  name: z.string().describe('At most 200 characters.'),
  url: z.string().describe('Absolute, http or https, at most 250 characters once it is percent-encoded.'),
  triggers: z
    .object({
      delivery_api_content_changes: z
        .array(z.object({ type: z.string(), operations: z.array(z.string()).max(MOST).optional() }))
        .max(MOST)
        .optional()
        .describe('Changes of published content that it notifies of.'),
      workflow_step_changes: z
        .array(z.object({ type: z.string(), transitions_to: z.array(STEP).max(MOST) }))
        .max(MOST)
        .optional()
        .describe('Workflow moves that it notifies of.'),
    })
    .optional()
    .describe('The changes that it notifies of; all when empty.'),
});

export function webhookChange({
  name,
  url,
  triggers = {},
}: z.infer<typeof WEBHOOK_CHANGE>): Omit<WebhookInput, 'secret'> {
  const { delivery_api_content_changes: changes = [], workflow_step_changes: moves = [] } = triggers;
  return {
    name,
    url,
    contentChanges: changes.map(({ type, operations = [] }) => ({ type, operations })),
    workflowSteps: moves.map(({ type, transitions_to }) => ({ type, transitionsTo: transitions_to })),
  };
}

export function triggersJson({ contentChanges, workflowSteps }: WebhookTriggers) {
  return {
    delivery_api_content_changes: contentChanges.map(({ type, operations }) => ({ type, operations })),
    workflow_step_changes: workflowSteps.map(({ type, transitionsTo }) => ({
      type,
      transitions_to: transitionsTo.map((step) => ({ id: step })),
    })),
  };
}

export const triggersSchema = closed<keyof ReturnType<typeof triggersJson>>(
  {
    delivery_api_content_changes: arrayOf(
      closed({
        type: text('What is changed: `content_item_variant`, `taxonomy` …'),
        operations: arrayOf(text('`publish`, `unpublish` …'), 'Everything when empty.'),
      }),
      'Changes of published content.',
    ),
    workflow_step_changes: arrayOf(
      closed({
        type: text('What is moved.'),
        transitions_to: arrayOf(closed({ id: id('Id of the step.') }), 'Steps.'),
      }),
      'Moves in the workflow.',
    ),
  },
  'The changes that it notifies of; all when empty.',
);
