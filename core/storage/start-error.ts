/** A reason not to start that an operator can act on; the text is one clear sentence for the terminal. */
export class StorageStartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StorageStartError';
  }
}
