/** One line of what `doctor` found. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'bad';
  readonly subject: string;
  readonly detail: string;
}
