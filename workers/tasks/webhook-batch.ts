import { prepareNotification } from '../webhooks/prepare-notification.ts';
import type { TaskFunction } from './task.ts';

export const webhookBatch: TaskFunction<'webhook-batch'> = ({ notifications }) => ({
  prepared: notifications.map(prepareNotification),
});
