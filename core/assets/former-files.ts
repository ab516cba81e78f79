import type { Transaction } from '../storage/ports.ts';

/**
 * A file that an asset does not show any more. It goes on being served for pages that were made before, until the
 * asset is deleted.
 * @param gone it was deleted with the asset, which is now back with another one
 */
export async function noteFormerFile(
  tx: Transaction,
  file: string,
  asset: number,
  { gone }: { readonly gone: boolean },
): Promise<void> {
  await tx.run(
    `INSERT INTO former_file (file, asset, gone) VALUES (?, ?, ?)
     ON CONFLICT (file, asset) DO UPDATE SET gone = excluded.gone`,
    [file, asset, gone ? 1 : 0],
  );
}

/** With the asset go the files it showed before; their ids. */
export async function deleteFormerFiles(tx: Transaction, asset: number): Promise<readonly string[]> {
  const rows = await tx.all<{ file: string }>('SELECT file FROM former_file WHERE asset = ? AND gone = 0', [
    asset,
  ]);
  if (rows.length > 0) await tx.run('UPDATE former_file SET gone = 1 WHERE asset = ?', [asset]);
  return rows.map(({ file }) => file);
}
