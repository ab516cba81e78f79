import { timestamp } from '../../storage/timestamp.ts';
import type { Outcome, Upcoming } from '../lanes/lane-types.ts';
import type { Answer } from '../send/send.ts';
import { nextAttempt } from './schedule.ts';

/** What an attempt means for its notification and its lane. */
export function outcomeOf(
  lane: number,
  notification: Upcoming,
  body: string,
  answer: Answer,
  times: { readonly began: number; readonly durationMs: number },
): Outcome {
  const { began, durationMs } = times;
  const first = notification.firstAttempt === null ? began : Date.parse(notification.firstAttempt);
  const due = nextAttempt(notification.attempts + 1, first, began + durationMs);
  return {
    lane,
    notification,
    body,
    attempt: {
      at: timestamp(began),
      durationMs,
      status: answer.status,
      answer: answer.answer === '' ? null : answer.answer,
      error: answer.error,
    },
    result: answer.taken
      ? { state: 'delivered' }
      : due === undefined
        ? { state: 'dropped', note: 'It was tried for 3 days.' }
        : { state: 'pending', due: timestamp(due) },
  };
}
