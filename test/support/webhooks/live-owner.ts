import type { QueueOwner } from '../../../core/webhooks/queues/webhook-queue-store.ts';

/** An owner of queues beside others, all of which live. */
export function liveOwner(id: string): QueueOwner {
  return { id, ended: async () => new Set() };
}
