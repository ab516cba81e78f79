import type { Channel, ProjectModel } from '../model/model.ts';
import type { DocumentRow } from '../storage/page-plan.ts';
import type { Sql } from '../storage/sql.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { compileDocument } from './compile-document.ts';
import { loadItemStates } from './item-state.ts';
import { loadFacts } from './load-facts.ts';
import { lastModified, type ReadSideSettings } from './read-side.ts';
import { collectReferences } from './references-of.ts';

/**
 * Stale documents of a page, compiled on the way: what a reader gets is right at once, however many
 * documents a rename touched. Nothing is written; the job does that.
 */
export async function compileBehind(
  sql: Sql,
  model: ProjectModel,
  channel: Channel,
  rows: readonly DocumentRow[],
  settings: ReadSideSettings,
): Promise<Map<number, DocumentRow>> {
  const states = await loadItemStates(
    sql,
    model,
    rows.map((row) => row.item),
  );
  const stateOf = new Map(states.map((state) => [state.number, state]));
  const referenced = { items: new Set<string>(), links: new Set<string>(), assets: new Set<string>() };
  const found = [];
  for (const row of rows) {
    const state = stateOf.get(row.item);
    const variant = state?.variants.find(({ language }) => language.number === row.language);
    const version = channel === 'published' ? variant?.published : variant?.latest;
    if (!state || !variant || !version) continue;
    await collectReferences(model, state.type, version.elements, referenced);
    found.push({ row, state, variant, version });
  }
  const facts = await loadFacts(sql, model, referenced);
  const compiled = new Map<number, DocumentRow>();
  for (const { row, state, variant, version } of found) {
    if (isTurnLong()) await nextTurn();
    const document = await compileDocument(
      {
        model,
        item: state,
        language: variant.language,
        channel,
        lastModified: lastModified(state, version.created),
        elements: version.elements,
        mediaType: settings.mediaType,
      },
      facts,
    );
    compiled.set(row.number, {
      ...row,
      body: document.body,
      components: document.components,
      layout: JSON.stringify(document.layout),
    });
  }
  return compiled;
}
