import type { FileHandle } from 'node:fs/promises';

/** Writes all bytes at the position of the file: the system may take a part of them at a time. */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (let rest = pieces; rest.length > 0; ) {
    let { bytesWritten } = await file.writev(rest);
    rest = rest.flatMap((piece) => {
      const left = piece.subarray(Math.min(bytesWritten, piece.byteLength));
      bytesWritten -= piece.byteLength - left.byteLength;
      return left.byteLength > 0 ? [left] : [];
    });
  }
}
