import { escapeLike } from '../model/escape-like.ts';
import type { ProjectView } from '../transaction/project-view.ts';

export interface FoundAsset {
  /** Storage number. */
  readonly number: number;
  readonly id: string;
  readonly title: string | null;
  readonly fileName: string;
  /** Media type. */
  readonly type: string;
  readonly size: number;
  /** Pixels; null when it is no image of a known format. */
  readonly width: number | null;
  readonly height: number | null;
}

interface AssetSearch {
  /** Part of the title or the file name. */
  readonly text: string;
  readonly onlyImages: boolean;
  /** Number of the last asset of the page before; 0: the first page. */
  readonly after: number;
  readonly limit: number;
}

/** Assets, the newest first. */
export async function searchAssets(
  { tx, project }: ProjectView,
  { text, onlyImages, after, limit }: AssetSearch,
): Promise<readonly FoundAsset[]> {
  const where = ['a.project = ?', 'a.archived IS NULL'];
  const parameters: (string | number)[] = [project.number];
  if (after > 0) {
    where.push('a.number < ?');
    parameters.push(after);
  }
  if (text !== '') {
    const pattern = `%${escapeLike(text.toLowerCase())}%`;
    where.push(`(lower(a.title) LIKE ? ESCAPE '\\' OR lower(f.name) LIKE ? ESCAPE '\\')`);
    parameters.push(pattern, pattern);
  }
  if (onlyImages) where.push(`f.type LIKE 'image/%'`);
  const rows = await tx.all<Omit<FoundAsset, 'fileName'> & { readonly file_name: string }>(
    `SELECT a.number AS number, a.id AS id, a.title AS title, f.name AS file_name, f.type AS type, f.size AS size,
       f.width AS width, f.height AS height
     FROM asset a JOIN file f ON f.id = a.file WHERE ${where.join(' AND ')} ORDER BY a.number DESC LIMIT ?`,
    [...parameters, limit],
  );
  return rows.map(({ file_name: fileName, ...row }) => ({ ...row, fileName }));
}
