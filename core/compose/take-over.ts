import { WakeLoop } from '../jobs/wake-loop.ts';
import { endInterruptedWork } from './interrupted-work.ts';
import type { Resources } from './open-resources.ts';
import type { Background } from './start-background.ts';
import type { Duties } from './take-duties.ts';

const RETRY_MS = 5000;

/** Takes over queues and jobs of processes that ended before, and of those that end or stall while this one runs. */
export function startTakeOver(
  { storage, failed }: Resources,
  { webhooks, mail, actJobs }: Background,
  duties: Duties,
): Pick<WakeLoop, 'close'> {
  const loop = new WakeLoop({
    async work() {
      if (duties.webhooks) {
        webhooks.dispatch.takeOver();
        // The ended process may have recorded an attempt without its mail.
        mail.checkWebhooks();
      }
      await endInterruptedWork(storage);
      await actJobs.takeOver();
    },
    next: async () => undefined,
    failed: failed('The work of another process that ended could not be taken over; tried again shortly.'),
    afterFailure: RETRY_MS,
  });
  if (duties.takesOver) {
    storage.owner.onEnded(() => loop.wake());
    // For acts of earlier processes, and for a process that was found to have ended while this one started.
    loop.wake();
  }
  return loop;
}
