/** Why the service or a command does not start, in one sentence; the command line prints it and exits with 1. */
export class StartError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'StartError';
  }
}
