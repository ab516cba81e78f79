/** Where parts of core report what an operator should know. */
export interface CoreLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}
