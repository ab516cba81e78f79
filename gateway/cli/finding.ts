/** One line of `doctor`. */
export interface Finding {
  readonly state: 'ok' | 'warn' | 'bad';
  readonly subject: string;
  readonly detail: string;
}
