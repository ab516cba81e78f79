/** A failed start that an operator can fix; the message is one clear sentence for the terminal. */
export class StorageStartError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StorageStartError';
  }
}

/** Another process owns the data folder. */
export class FolderInUse extends StorageStartError {}
