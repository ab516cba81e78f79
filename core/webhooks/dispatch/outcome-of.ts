import { timestamp } from '../../storage/timestamp.ts';
import type { Outcome, Upcoming } from '../queues/queue-types.ts';
import { attemptOf } from '../send/attempt-of.ts';
import type { ReceiverResponse } from '../send/send.ts';
import { nextAttempt } from './schedule.ts';

/** The effect of an attempt on its notification and its queue. */
export function outcomeOf(
  queue: number,
  notification: Upcoming,
  body: string,
  answer: ReceiverResponse,
  times: { readonly began: number; readonly durationMs: number },
): Outcome {
  const { began, durationMs } = times;
  const first = notification.firstAttempt === null ? began : Date.parse(notification.firstAttempt);
  const due = nextAttempt(notification.attempts + 1, first, began + durationMs);
  return {
    queue,
    notification,
    body,
    attempt: attemptOf(began, durationMs, answer),
    result: answer.accepted
      ? { state: 'delivered' }
      : due === undefined
        ? { state: 'dropped', note: 'It was tried for 3 days.' }
        : { state: 'pending', due: timestamp(due) },
  };
}
