import type { StagedBlob, StoredBlob } from './blobs.ts';

/** Makes staged content a blob at once; nothing of it stays where that fails. */
export async function keepStaged({ hash, size, keep, drop }: StagedBlob): Promise<StoredBlob> {
  try {
    await keep();
    return { hash, size };
  } catch (error) {
    await drop();
    throw error;
  }
}
