import { open, text } from '../../http/openapi-shapes.ts';
import type { RouteDescription } from '../../http/route.ts';
import { invalidBody } from '../../json-body/parse-body.ts';
import type { Reference } from '../../model/inputs.ts';
import { moveToStep, unpublishAndArchive } from '../../publishing/move-to-step.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../publishing/publish.ts';
import { cancelScheduledPublish, schedulePublish } from '../../publishing/schedule.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import { type Call, referenceAt } from '../call.ts';
import { type Route, routesOf } from '../route.ts';

const route = routesOf('Publishing', { read: 'view-content', write: 'publish' });

/** Publishing and workflow of variants. */
export const stateRoutes: readonly Route[] = [
  move(
    'publish',
    {
      id: 'publish',
      summary: 'Publish a variant, now or at a time',
      description:
        'Refused with `validation_errors` where the draft lacks a required value or breaks a limit of its type; their `path` is inside the variant, by codenames. A schedule that comes due with such a draft ends as a failed job.',
      body: open({ scheduled_to: text('ISO 8601 time; now when absent.') }),
      bodyOptional: true,
    },
    async (call) => {
      const time = await scheduledTime(call);
      if (time === null) return publishVariant;
      return (transaction, item, language) => schedulePublish(transaction, item, language, time);
    },
  ),
  move(
    'cancel-scheduled-publish',
    { id: 'cancelScheduledPublish', summary: 'Cancel a schedule' },
    async () => cancelScheduledPublish,
  ),
  unpublishNow('unpublish', { id: 'unpublish', summary: 'Unpublish a variant' }, unpublishVariant),
  unpublishNow(
    'unpublish-and-archive',
    { id: 'unpublishAndArchive', summary: 'Unpublish a variant and archive it' },
    unpublishAndArchive,
  ),
  move(
    'new-version',
    { id: 'newVersion', summary: 'Open a published variant for changes', permission: 'edit-content' },
    async () => newVersion,
  ),
  move(
    'workflow/<step>',
    { id: 'moveToStep', summary: 'Move a variant to a workflow step', permission: 'edit-content' },
    async (call) => (transaction, item, language) =>
      moveToStep(transaction, item, language, referenceAt(call, 'step')),
  ),
];

type Move = (transaction: ProjectTransaction, item: Reference, language: Reference) => Promise<void>;

function move(
  path: string,
  description: Omit<RouteDescription, 'tag'>,
  moveOf: (call: Call) => Promise<Move>,
): Route {
  return route(`PUT items/<item>/variants/<language>/${path}`, {
    ...description,
    handler: async (call) => {
      const run = await moveOf(call);
      await call.write((transaction) =>
        run(transaction, referenceAt(call, 'item'), referenceAt(call, 'language')),
      );
      return { status: 204 };
    },
  });
}

/** Refuses a time, because the content would otherwise be offline before it. */
function unpublishNow(path: string, description: Pick<RouteDescription, 'id' | 'summary'>, run: Move): Route {
  const body = open({ scheduled_to: text('Null or absent: only publishing can be scheduled.') });
  return move(path, { ...description, body, bodyOptional: true }, async (call) => {
    if ((await scheduledTime(call)) === null) return run;
    const message = 'Unpublishing cannot be scheduled; call it without a time when the time has come.';
    throw invalidBody([{ message, path: 'scheduled_to' }]);
  });
}

/** Null without a body or a time in it. */
async function scheduledTime(call: Call): Promise<unknown> {
  const body = await call.body();
  return body.value === undefined ? null : (body.object()['scheduled_to'] ?? null);
}
