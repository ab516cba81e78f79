import { failureSentence } from './failure.ts';

/** One line of `doctor`. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'bad';
  readonly subject: string;
  readonly detail: string;
}

/** What was looked at failed. Details have no full stop. */
export function failedFinding(subject: string, error: unknown): Finding {
  return { state: 'bad', subject, detail: (failureSentence(error) ?? String(error)).replace(/\.$/, '') };
}
