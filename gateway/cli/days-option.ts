import { KEY_DAYS_LIMIT } from '../../core/contract.ts';
import { type Call, wholeNumber } from './command.ts';

/** How long a management key is to be valid. @throws UsageError */
export function daysOption(call: Call): number | undefined {
  const text = call.options['days'];
  return text === undefined ? undefined : wholeNumber(text, 'days', KEY_DAYS_LIMIT);
}
