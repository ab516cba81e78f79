import type { Workers } from '../../workers/contract.ts';
import type { CoreLog } from '../log.ts';
import type { Storage } from '../storage/ports.ts';
import { DEFAULT_DESK_SETTINGS, WebhookDesk, type WebhookDeskSettings } from './desk/desk.ts';
import type { DispatchClock } from './dispatch/dispatch-clock.ts';
import type { LaneNews } from './dispatch/dispatcher-options.ts';
import {
  DEFAULT_WEBHOOK_SETTINGS,
  type Dispatch,
  startDispatch,
  type WebhookSettings,
} from './dispatch/start-dispatch.ts';
import { createPrepare } from './prepare.ts';

export interface RunningWebhooks {
  /** What operators see and do by hand. */
  readonly desk: WebhookDesk;
  readonly dispatch: Dispatch;
  close(): Promise<void>;
}

/**
 * Sends what the lanes hold, from now on. To be called when the change feed listens to commits already: a site
 * that rebuilds on a notification then reads the new content.
 */
export function startWebhooks(options: {
  readonly storage: Storage;
  readonly settings: Partial<WebhookSettings & WebhookDeskSettings> | undefined;
  /** The `SVC` of `X-SVC-Signature`. */
  readonly vendor: string;
  readonly workers: Workers | undefined;
  readonly now: () => Date;
  readonly clock: DispatchClock | undefined;
  /** Told of every attempt once it is on record. */
  readonly told: (news: LaneNews) => void;
  readonly log: CoreLog;
}): RunningWebhooks {
  const { storage, vendor, workers, now, clock, told, log } = options;
  const settings = { ...DEFAULT_WEBHOOK_SETTINGS, ...DEFAULT_DESK_SETTINGS, ...options.settings };
  const dispatch = startDispatch({
    storage,
    settings,
    vendor,
    workers,
    now,
    ...(clock && { clock }),
    told,
    failed: (error) =>
      log.error({ err: error }, 'The lanes of webhooks could not be read or written; tried again shortly.'),
  });
  const desk = new WebhookDesk({
    storage,
    settings,
    byHand: {
      prepare: createPrepare({ vendor, standardHeaders: settings.standardHeaders }, workers),
      send: dispatch.send,
      now,
    },
    failed: (error) =>
      log.error({ err: error }, 'Notifications could not be sent again, or their log could not be cleared.'),
  });
  desk.start();
  return {
    desk,
    dispatch,
    async close() {
      await desk.close();
      await dispatch.close();
    },
  };
}
