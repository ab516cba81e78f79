import type { Reference } from '../../model/inputs.ts';
import { moveToStep, unpublishAndArchive } from '../../publishing/move-to-step.ts';
import { newVersion, publishVariant, unpublishVariant } from '../../publishing/publish.ts';
import { cancelScheduledPublish, schedulePublish } from '../../publishing/schedule.ts';
import type { ProjectTransaction } from '../../transaction/project-transaction.ts';
import { type Call, referenceAt } from '../call.ts';
import { type Route, route } from '../route.ts';

/** The way of a variant from draft to public and back (contract 4, facts 3.6). */
export const stateRoutes: readonly Route[] = [
  move('publish', async (call) => {
    const body = await call.body();
    const time = body.value === undefined ? undefined : body.object()['scheduled_to'];
    if (time === undefined || time === null) return publishVariant;
    return (transaction, item, language) => schedulePublish(transaction, item, language, time);
  }),
  move('cancel-scheduled-publish', async () => cancelScheduledPublish),
  move('unpublish', async () => unpublishVariant),
  move('unpublish-and-archive', async () => unpublishAndArchive),
  move('new-version', async () => newVersion),
  move(
    'workflow/<step>',
    async (call) => (transaction, item, language) =>
      moveToStep(transaction, item, language, referenceAt(call, 'step')),
  ),
];

type Move = (transaction: ProjectTransaction, item: Reference, language: Reference) => Promise<void>;

function move(name: string, moveOf: (call: Call) => Promise<Move>): Route {
  return route('PUT', `items/<item>/variants/<language>/${name}`, async (call) => {
    const run = await moveOf(call);
    await call.write((transaction) =>
      run(transaction, referenceAt(call, 'item'), referenceAt(call, 'language')),
    );
    return { status: 204 };
  });
}
