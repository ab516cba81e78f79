import { KEY_DAYS_LIMIT } from '../../core/contract.ts';
import { type Call, UsageError } from './command.ts';

/** How long a management key is to be valid. @throws UsageError */
export function daysOption(call: Call): number | undefined {
  const text = call.options['days'];
  if (text === undefined) return undefined;
  const days = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= KEY_DAYS_LIMIT) return days;
  throw new UsageError(`--days must be a whole number from 1 to ${KEY_DAYS_LIMIT}.`);
}
