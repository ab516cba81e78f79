/** Why the service does not start, in one sentence; the command line prints it and exits with 1. */
export class StartError extends Error {
  constructor(sentence: string, more: { readonly cause?: unknown } = {}) {
    super(sentence, more);
    this.name = 'StartError';
  }
}
