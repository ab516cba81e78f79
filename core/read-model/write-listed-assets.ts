import { ASSET_KINDS, assetKindOf } from '../model/asset-kinds.ts';
import { folded, foldedWords } from '../model/folded-words.ts';
import type { Language, ProjectModel } from '../model/model.ts';
import type { Transaction } from '../storage/ports.ts';
import { USE } from '../storage/stale.ts';

/** A part of a name has to be as long to be found. */
const SHORTEST_PART = 3;
/** Parts of a word that are found; of a longer word those nearest to its beginning. */
const MOST_PARTS = 20;

interface AssetRow {
  readonly number: number;
  readonly title: string | null;
  readonly folder: string | null;
  readonly descriptions: string;
  readonly changed: string;
  readonly file: string;
  readonly type: string;
  readonly size: number;
  readonly used: number;
}

/** Replaces what the list of assets and full text have of assets of one project. */
export async function writeListedAssets(
  tx: Transaction,
  { project, languages }: Pick<ProjectModel, 'project' | 'languages'>,
  numbers: readonly number[],
): Promise<void> {
  const { text, parameter } = tx.among('a.number', numbers);
  const rows = await tx.all<AssetRow>(
    `SELECT a.number AS number, a.title AS title, a.folder AS folder, a.descriptions AS descriptions,
       a.last_modified AS changed, f.name AS file, f.type AS type, f.size AS size,
       CASE WHEN EXISTS (SELECT 1 FROM uses u WHERE u.kind = ${USE.asset} AND u.target = a.number) THEN 1 ELSE 0 END AS used
     FROM asset a JOIN file f ON f.id = a.file WHERE ${text} AND a.archived IS NULL`,
    [parameter],
  );
  const listed = new Set(rows.map(({ number }) => number));
  await removeListedAssets(
    tx,
    numbers.filter((number) => !listed.has(number)),
  );
  await tx.upsert(
    'listed_asset',
    'number',
    ['number', 'project', 'kind', 'folder', 'described', 'used', 'name', 'size', 'changed'],
    rows.map((row) => [
      row.number,
      project.number,
      ASSET_KINDS.indexOf(assetKindOf(row.type)),
      row.folder ?? '',
      describedIn(languages, JSON.parse(row.descriptions)),
      row.used,
      folded(row.title ?? row.file),
      row.size,
      row.changed,
    ]),
  );
  if (rows.length > 0) await tx.replaceText(rows.map(wordsOf));
  await removeMarks(tx, [...listed]);
}

/** Removes assets that are archived or do not exist any more. */
export async function removeListedAssets(tx: Transaction, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  const { text, parameter } = tx.among('number', numbers);
  await tx.run(`DELETE FROM listed_asset WHERE ${text}`, [parameter]);
  await tx.replaceText(numbers.map((number) => ({ number, name: '', words: '' })));
  await removeMarks(tx, numbers);
}

async function removeMarks(tx: Transaction, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  const { text, parameter } = tx.among('asset', numbers);
  await tx.run(`DELETE FROM unlisted_asset WHERE ${text}`, [parameter]);
}

/** One character for each language by ordinal: `1` where it has a description. */
function describedIn(
  languages: readonly Pick<Language, 'id' | 'ordinal'>[],
  descriptions: Readonly<Record<string, string>>,
): string {
  const characters: string[] = [];
  for (const { id, ordinal } of languages) if (descriptions[id]) characters[ordinal] = '1';
  return Array.from(characters, (character) => character ?? '0').join('');
}

/** Names are also found by the ends of their words: `camera` in `mycamera.png`. */
function wordsOf({ number, title, file, descriptions }: AssetRow) {
  const names = foldedWords(`${title ?? ''} ${file}`);
  const described = Object.values(JSON.parse(descriptions) as Readonly<Record<string, string>>);
  const name = names.join(' ');
  const parts = new Set(names.flatMap(endsOf));
  return { number, name, words: [name, ...foldedWords(described.join(' ')), ...parts].join(' ') };
}

function endsOf(word: string): string[] {
  const ends: string[] = [];
  for (let at = 1; at <= MOST_PARTS && word.length - at >= SHORTEST_PART; at++)
    // Not between the halves of a character.
    if ((word.charCodeAt(at) & 0xfc00) !== 0xdc00) ends.push(word.slice(at));
  return ends;
}
