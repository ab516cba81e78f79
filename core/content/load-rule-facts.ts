import type { FactIds, FileFacts, ItemFacts, RuleFacts } from '../model/find-violations.ts';
import { seesItemsOf } from '../transaction/content-access.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { inPieces } from '../turns/in-pieces.ts';

/** Reads facts of items and assets, with one statement for each of the two unless there are thousands. */
export async function loadRuleFacts(view: ProjectView, ids: FactIds): Promise<RuleFacts> {
  const items = ids.items.size > 0 ? await readItems(view, ids.items) : new Map<string, ItemFacts>();
  const files = ids.assets.size > 0 ? await readFiles(view, ids.assets) : new Map<string, FileFacts>();
  return { item: (id) => items.get(id), file: (asset) => files.get(asset) };
}

async function readItems(view: ProjectView, ids: ReadonlySet<string>): Promise<Map<string, ItemFacts>> {
  const { tx, project, model } = view;
  const rows = await inPieces(ids, (some) => {
    const among = tx.among('id', some);
    return tx.all<{ id: string; name: string; type: number }>(
      `SELECT id, name, type FROM item
       WHERE project = ? AND ${among.text} AND type IS NOT NULL AND archived IS NULL`,
      [project.number, among.parameter],
    );
  });
  const facts = new Map<string, ItemFacts>();
  await eachInTurns(rows, ({ id, name, type: number }) => {
    const type = model.typeByNumber.get(number);
    // Findings name it.
    if (type) facts.set(id, { name: seesItemsOf(view, number) ? name : id, type });
  });
  return facts;
}

async function readFiles(
  { tx, project }: ProjectView,
  ids: ReadonlySet<string>,
): Promise<Map<string, FileFacts>> {
  const rows = await inPieces(ids, (some) => {
    const among = tx.among('a.id', some);
    return tx.all<FileFacts & { readonly id: string }>(
      `SELECT a.id AS id, f.name AS name, f.type AS type, f.size AS size, f.width AS width, f.height AS height
       FROM asset a JOIN file f ON f.id = a.file WHERE a.project = ? AND ${among.text} AND a.archived IS NULL`,
      [project.number, among.parameter],
    );
  });
  const facts = new Map<string, FileFacts>();
  await eachInTurns(rows, (row) => facts.set(row.id, row));
  return facts;
}
