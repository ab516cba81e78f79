import type { Channel, ProjectModel } from '../model/model.ts';
import type { DocumentLayout, DocumentRow } from '../storage/page-plan.ts';
import type { Sql } from '../storage/sql.ts';
import type { StaleExtent } from '../storage/stale.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { compileVersion } from './compile-item.ts';
import type { CompiledSettings } from './compiled-settings.ts';
import { loadItemStates, versionIn } from './item-state.ts';
import { loadFacts } from './load-facts.ts';
import { collectReferences } from './references-of.ts';
import { renameFields } from './rename-fields.ts';

type CompiledDocument = Omit<DocumentRow, 'layout'> & { readonly layout: DocumentLayout };

/**
 * Compiles the stale ones of the documents of a page for its reader, so that a rename is visible at once however many documents
 * show it. Writes nothing; the recompile job does.
 */
export async function compileStale(
  sql: Sql,
  model: ProjectModel,
  channel: Channel,
  documents: readonly DocumentRow[],
  stale: ReadonlyMap<number, StaleExtent>,
  settings: CompiledSettings,
): Promise<Map<number, CompiledDocument>> {
  const compiled = new Map<number, CompiledDocument>();
  const rows: DocumentRow[] = [];
  for (const row of documents) {
    if (isTurnLong()) await nextTurn();
    const extent = stale.get(row.number);
    const renamed = extent === 'names' ? await renameFields(model, row) : undefined;
    if (renamed) compiled.set(row.number, { ...row, ...renamed });
    else if (extent !== undefined) rows.push(row);
  }
  if (rows.length === 0) return compiled;
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
    const version = variant && versionIn(variant, channel);
    if (!state || !variant || !version) continue;
    await collectReferences(model, state.type, version.elements, referenced);
    found.push({ row, state, variant, version });
  }
  const facts = await loadFacts(sql, model, referenced);
  for (const { row, state, variant, version } of found) {
    if (isTurnLong()) await nextTurn();
    const document = await compileVersion(model, state, variant.language, version, channel, facts, settings);
    compiled.set(row.number, {
      ...row,
      body: document.body,
      components: document.components,
      layout: document.layout,
    });
  }
  return compiled;
}
