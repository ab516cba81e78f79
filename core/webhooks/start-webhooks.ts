import type { Workers } from '../../workers/contract.ts';
import type { CoreLog } from '../log.ts';
import type { Duty } from '../storage/owner.ts';
import type { Storage } from '../storage/ports.ts';
import type { DispatchClock } from './dispatch/dispatch-clock.ts';
import type { AttemptRecorded } from './dispatch/dispatcher-options.ts';
import { type Dispatch, startDispatch } from './dispatch/start-dispatch.ts';
import { WebhookOperations } from './operator/webhook-operations.ts';
import { createPrepare } from './prepare.ts';
import { DEFAULT_WEBHOOK_SETTINGS, type WebhookSettings } from './webhook-settings.ts';

export interface RunningWebhooks {
  /** What operators see and do manually. */
  readonly operations: WebhookOperations;
  readonly dispatch: Dispatch;
  close(): Promise<void>;
}

/**
 * Starts delivery, where it is a duty of this process, and manual sending. Must be called after the change feed listens to commits: a site that rebuilds on a notification
 * then reads the new content.
 */
export function startWebhooks(options: {
  readonly storage: Storage;
  readonly settings: Partial<WebhookSettings> | undefined;
  /** The `SVC` of `X-SVC-Signature`. */
  readonly vendor: string;
  readonly workers: Workers | undefined;
  readonly now: () => Date;
  readonly clock: DispatchClock | undefined;
  /** Called for every attempt once its record is durable. */
  readonly onAttemptRecorded: (attempt: AttemptRecorded) => void;
  readonly duties: { readonly webhooks: boolean; readonly retention: Duty };
  readonly log: CoreLog;
}): RunningWebhooks {
  const { storage, vendor, workers, now, clock, onAttemptRecorded, duties, log } = options;
  const settings = { ...DEFAULT_WEBHOOK_SETTINGS, ...options.settings };
  const dispatch = startDispatch({
    storage,
    settings,
    vendor,
    workers,
    now,
    ...(clock && { clock }),
    onAttemptRecorded(attempt) {
      const [before, after] = attempt.deadSince;
      if (before === null && after !== null)
        log.warn(
          { webhook: attempt.webhook },
          'A notification was dropped after three days; later ones of the webhook are tried.',
        );
      onAttemptRecorded(attempt);
    },
    isPerformed: duties.webhooks,
    failed: (error) =>
      log.error(
        { error },
        'The queues of webhooks could not be read or written; the service tries again shortly.',
      ),
  });
  const operations = new WebhookOperations({
    storage,
    settings,
    manualSending: {
      prepare: createPrepare({ vendor, standardHeaders: settings.standardHeaders }, workers),
      send: dispatch.send,
      now,
    },
    retention: duties.retention,
    failed: (error) => log.error({ error }, 'A replay failed, or the delivery log could not be cleared.'),
  });
  operations.start();
  return {
    operations,
    dispatch,
    async close() {
      await operations.close();
      await dispatch.close();
    },
  };
}
