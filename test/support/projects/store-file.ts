import { addFile, receiveFile, type StoredFile } from '../../../core/assets/files.ts';
import type { Blobs } from '../../../core/storage/blobs/blobs.ts';
import type { ProjectTransaction } from '../../../core/transaction/project-transaction.ts';

/** Uploads a file without HTTP. */
export async function storeFile(
  transaction: ProjectTransaction,
  blobs: Blobs,
  file: { readonly name: string; readonly type: string; readonly content: Parameters<typeof receiveFile>[1] },
): Promise<StoredFile> {
  return addFile(transaction, { ...file, content: await receiveFile(blobs, file.content) });
}
