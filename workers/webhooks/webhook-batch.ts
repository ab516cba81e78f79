import type { NotificationToPrepare, PreparedNotification } from './notification.ts';

/** Many at once, because one alone is made faster than it is handed over. */
export interface WebhookBatch {
  readonly notifications: readonly NotificationToPrepare[];
}

export interface PreparedBatch {
  /** In the order of the notifications. */
  readonly prepared: readonly PreparedNotification[];
}
