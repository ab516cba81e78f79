import type { NotificationToPrepare, PreparedNotification } from './notification.ts';

/** A batch, because a single notification is prepared faster than it is transferred. */
export interface WebhookBatch {
  readonly notifications: readonly NotificationToPrepare[];
}

export interface PreparedBatch {
  /** In the order of the notifications. */
  readonly prepared: readonly PreparedNotification[];
}
