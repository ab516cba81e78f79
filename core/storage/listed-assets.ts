import { USE } from './stale.ts';

/** What an adapter knows while it replaces the documents of some items. */
interface Replaced {
  /** `SELECT` of the numbers of their documents as they are stored. */
  readonly documents: string;
  /** `SELECT` of the `kind` and `target` of what their new documents are compiled from. */
  readonly uses: string;
}

/** The first runs before the documents are replaced, the second after it. Rows that stay as they are are not written. */
export function markUsedSql({ documents, uses }: Replaced): readonly [before: string, after: string] {
  const used = `SELECT n.target FROM (${uses}) n WHERE n.kind = ${USE.asset}`;
  return [
    `UPDATE listed_asset SET used = 0 WHERE used = 1 AND number IN (
        SELECT u.target FROM uses u WHERE u.kind = ${USE.asset} AND u.document IN (${documents}))
      AND number NOT IN (${used})
      AND NOT EXISTS (SELECT 1 FROM uses u WHERE u.kind = ${USE.asset} AND u.target = listed_asset.number
        AND u.document NOT IN (${documents}))`,
    `UPDATE listed_asset SET used = 1 WHERE used = 0 AND number IN (${used})`,
  ];
}
