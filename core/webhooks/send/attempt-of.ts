import { timestamp } from '../../storage/timestamp.ts';
import type { Attempt } from '../queues/queue-types.ts';
import type { ReceiverResponse } from './send.ts';

/** The attempt as it is logged. */
export function attemptOf(
  began: Date | number,
  durationMs: number,
  { status, answer, error }: ReceiverResponse,
): Attempt {
  return {
    at: timestamp(began),
    durationMs: Math.round(durationMs),
    status,
    answer: answer === '' ? null : answer,
    error,
  };
}
