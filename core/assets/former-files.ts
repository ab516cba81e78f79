import type { Transaction } from '../storage/ports.ts';

/**
 * Notes a replaced file. It is served until its asset is deleted, for pages that contain its URL.
 * @param deleted the asset was deleted with it, and is now restored with another file
 */
export async function recordFormerFile(
  tx: Transaction,
  file: string,
  asset: number,
  { deleted }: { readonly deleted: boolean },
): Promise<void> {
  await tx.run(
    `INSERT INTO former_file (file, asset, gone) VALUES (?, ?, ?)
     ON CONFLICT (file, asset) DO UPDATE SET gone = excluded.gone`,
    [file, asset, deleted ? 1 : 0],
  );
}

/**
 * Marks the former files of a deleted asset as deleted.
 * @returns their ids
 */
export async function deleteFormerFiles(tx: Transaction, asset: number): Promise<readonly string[]> {
  const rows = await tx.all<{ file: string }>('SELECT file FROM former_file WHERE asset = ? AND gone = 0', [
    asset,
  ]);
  if (rows.length > 0) await tx.run('UPDATE former_file SET gone = 1 WHERE asset = ?', [asset]);
  return rows.map(({ file }) => file);
}
