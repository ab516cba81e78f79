import type { RunningCore } from '../../../core/compose/create-core.ts';
import type { Sql } from '../../../core/storage/sql.ts';

/** Everything readers get, without what a recompile changes: numbers of documents, sequences. */
export async function dumpReadSide(sql: Sql): Promise<Record<string, unknown[]>> {
  const of = 'd.item AS item, d.language AS language, d.visible AS visible';
  return {
    documents: await sql.all(
      `SELECT ${of}, d.type, d.version, d.slug, d.components, d.body, d.layout FROM document d
       ORDER BY d.item, d.language, d.visible`,
    ),
    uses: await sql.all(
      `SELECT ${of}, u.kind, u.target FROM uses u JOIN document d ON d.number = u.document
       ORDER BY d.item, d.language, d.visible, u.kind, u.target`,
    ),
    entries: await sql.all(
      `SELECT ${of}, e.slot, e.key, e.codename, e.visible AS entry_visible, e.item AS entry_item
       FROM entry e JOIN document d ON d.number = e.document
       ORDER BY d.item, d.language, d.visible, e.slot, e.key`,
    ),
    resolved: await sql.all(
      `SELECT r.view, r.item, r.type, r.language, r.codename, d.visible, d.item AS document_item
       FROM resolved r JOIN document d ON d.number = r.document ORDER BY r.view, r.item`,
    ),
    tally: await sql.all('SELECT * FROM tally WHERE count <> 0 ORDER BY view, type, language'),
    strays: await sql.all(
      'SELECT document FROM entry WHERE document NOT IN (SELECT number FROM document) LIMIT 5',
    ),
  };
}

/** Compiles every item of the project. */
export async function recompileAll(core: RunningCore, project: string): Promise<void> {
  await core.operations.inProject(project, null, async (transaction) => {
    const items = await transaction.tx.all<{ number: number; id: string }>(
      'SELECT number, id FROM item WHERE project = ?',
      [transaction.project.number],
    );
    for (const { number } of items) transaction.touchItem(number);
    transaction.change('content_item', 'recompile', items[0]?.id ?? '', []);
  });
}
