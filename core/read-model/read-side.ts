/**
 * The compiled read side, kept in the transaction of each change: documents, their index rows, what they
 * were compiled from, which document each view resolves an item to, and how many.
 *
 * An item that was touched has everything of it made anew: simple, and one item costs a millisecond.
 * Publishing writes nothing into the documents that link to the item; those are marked stale where they
 * show something that changed (`pending`), compiled on the way when read, and moved by a job.
 */

import { allMembersTag, itemNumberTag, itemTag, membersTag } from '../changes/tags.ts';
import {
  CHANNEL_BIT,
  CHANNELS,
  type Channel,
  fallbackChain,
  type Language,
  type ProjectModel,
  viewOf,
} from '../model/model.ts';
import type { SqlValue } from '../storage/sql.ts';
import { USE } from '../storage/stale.ts';
import type { CommitParticipant, ProjectTransaction } from '../transaction/project-transaction.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { compileDocument } from './compile-document.ts';
import { type IndexedItem, indexEntries } from './index-entries.ts';
import { type ItemState, loadItemStates, type VariantVersions } from './item-state.ts';
import { type LoadedFacts, loadFacts } from './load-facts.ts';
import { markStale } from './mark-stale.ts';
import { collectReferences, slugOf } from './references-of.ts';

export interface ReadSideSettings {
  /** Of rich text objects: `service` in `application/service`. */
  readonly mediaType: string;
}

/** Makes the documents of the items that a transaction touched anew and re-resolves them. */
export function compileTouched(settings: ReadSideSettings): CommitParticipant {
  return {
    name: 'compilation',
    async prepare(transaction) {
      const { touchedItems, tx } = transaction;
      if (touchedItems.length > 0) await writeItems(transaction, touchedItems, settings, tx.sequence);
    },
  };
}

/**
 * @param compiledAt the sequence the documents are good for; the recompile job, which changes nothing that
 *   readers see, counts as the last commit.
 */
export async function writeItems(
  transaction: ProjectTransaction,
  items: readonly number[],
  settings: ReadSideSettings,
  compiledAt: number,
): Promise<void> {
  const { tx, model } = transaction;
  const states = await loadItemStates(tx, model, items);
  const before = await resolvedBefore(transaction, items);
  const referenced = { items: new Set<string>(), links: new Set<string>(), assets: new Set<string>() };
  for (const state of states)
    for (const variant of state.variants)
      for (const version of versionsOf(variant)) {
        await collectReferences(model, state.type, version.elements, referenced);
      }
  const facts = await loadFacts(tx, model, referenced);
  for (const state of states) overlay(facts, model, state);

  const rows = new Rows(compiledAt);
  for (const state of states) await compileItem(transaction, state, facts, settings, rows);
  await tx.replaceDocuments(items, viewsOf(model), rows);
  await writeTally(transaction, before, rows.resolved);
  await markLinkers(transaction, before, states);
  tagItems(transaction, items, before, states);
}

/** Whatever an answer could know the items by: as they were, as they are, and as what it lacks. */
function tagItems(
  transaction: ProjectTransaction,
  items: readonly number[],
  before: readonly ResolvedBefore[],
  states: readonly ItemState[],
): void {
  const tag = (item: number, codename: string, type: string) => {
    for (const channel of transaction.channelsOf(item))
      transaction.tag(itemTag(channel, codename), membersTag(channel, type), allMembersTag(channel));
  };
  for (const item of items)
    for (const channel of transaction.channelsOf(item)) transaction.tag(itemNumberTag(channel, item));
  for (const { item, codename, type } of before)
    tag(item, codename, transaction.model.typeByNumber.get(type)?.codename ?? '');
  for (const { number, codename, type } of states) tag(number, codename, type.codename);
}

interface ResolvedBefore {
  readonly item: number;
  readonly view: number;
  readonly type: number;
  readonly language: number;
  readonly codename: string;
  readonly slug: string;
}

async function resolvedBefore(
  transaction: ProjectTransaction,
  items: readonly number[],
): Promise<ResolvedBefore[]> {
  const { tx, model } = transaction;
  const views = tx.among('r.view', viewsOf(model));
  const among = tx.among('r.item', items);
  return tx.all<ResolvedBefore & Record<string, SqlValue>>(
    `SELECT r.item AS item, r.view AS view, r.type AS type, r.language AS language, r.codename AS codename, d.slug AS slug
     FROM resolved r JOIN document d ON d.number = r.document WHERE ${views.text} AND ${among.text}`,
    [views.parameter, among.parameter],
  );
}

function viewsOf(model: ProjectModel): number[] {
  return model.languages.flatMap((language) => CHANNELS.map((channel) => viewOf(language, channel)));
}

/** The versions readers can see: published, latest, or one that is both. */
function versionsOf(variant: VariantVersions) {
  const { published, latest } = variant;
  return published && latest && published !== latest ? [published, latest] : latest ? [latest] : [];
}

function versionIn(variant: VariantVersions, channel: Channel) {
  return channel === 'published' ? variant.published : variant.latest;
}

/** The variant a reader of the language gets, fallback applied. */
function sourceIn(model: ProjectModel, state: ItemState, language: Language, channel: Channel) {
  for (const candidate of fallbackChain(model, language)) {
    const variant = state.variants.find(({ language: own }) => own.number === candidate.number);
    const version = variant && versionIn(variant, channel);
    if (variant && version) return { variant, version };
  }
  return undefined;
}

/** Facts about items of this batch as they will be, not as they were. */
function overlay(facts: LoadedFacts, model: ProjectModel, state: ItemState): void {
  if (!facts.item(state.id)) return;
  for (const language of model.languages) {
    if (!language.isActive) continue;
    for (const channel of CHANNELS) {
      const source = sourceIn(model, state, language, channel);
      facts.setTarget(
        state.id,
        viewOf(language, channel),
        source && {
          codename: state.codename,
          type: state.type.codename,
          slug: slugOf(state.type, source.version.elements),
        },
      );
    }
  }
}

type ResolvedRow = readonly [
  view: number,
  item: number,
  document: number,
  type: number,
  language: number,
  codename: string,
];

class Rows {
  readonly document: SqlValue[][] = [];
  readonly uses: SqlValue[][] = [];
  readonly entry: SqlValue[][] = [];
  readonly resolved: ResolvedRow[] = [];
  readonly compiledAt: number;

  constructor(compiledAt: number) {
    this.compiledAt = compiledAt;
  }
}

async function compileItem(
  transaction: ProjectTransaction,
  state: ItemState,
  facts: LoadedFacts,
  settings: ReadSideSettings,
  rows: Rows,
): Promise<void> {
  const { model, tx } = transaction;
  const documentIn = new Map<string, number>();
  for (const variant of state.variants) {
    for (const { version, visible, compiled } of await compileVariant(
      model,
      state,
      variant,
      facts,
      settings,
    )) {
      if (isTurnLong()) await nextTurn();
      const number = await tx.numbers('document');
      for (const channel of CHANNELS)
        if (visible & CHANNEL_BIT[channel]) documentIn.set(`${variant.language.number}:${channel}`, number);
      const indexed: IndexedItem = { ...state, lastModified: lastModified(state, version.created) };
      rows.document.push([
        number,
        transaction.project.number,
        state.number,
        variant.language.number,
        state.type.number,
        version.number,
        visible,
        rows.compiledAt,
        slugOf(state.type, version.elements),
        compiled.components,
        compiled.body,
        JSON.stringify(compiled.layout),
      ]);
      for (const [kind, target] of compiled.uses) rows.uses.push([number, kind, target]);
      const rendered = {
        richTexts: compiled.richTexts,
        fileName: (id: string) => facts.asset(id)?.name,
        isLinked: (id: string) => (facts.item(id)?.codename ?? null) !== null,
      };
      for (const [slot, key] of await indexEntries(
        model,
        indexed,
        variant.language,
        version.elements,
        rendered,
      )) {
        if (isTurnLong()) await nextTurn();
        rows.entry.push([number, slot, key, state.codename, visible, state.number]);
      }
    }
  }
  for (const language of model.languages) {
    if (!language.isActive) continue;
    for (const channel of CHANNELS) {
      const source = sourceIn(model, state, language, channel);
      const document = source && documentIn.get(`${source.variant.language.number}:${channel}`);
      if (source && document !== undefined)
        rows.resolved.push([
          viewOf(language, channel),
          state.number,
          document,
          state.type.number,
          source.variant.language.number,
          state.codename,
        ]);
    }
  }
}

/** One document where both channels show the same bytes, else one for each. */
async function compileVariant(
  model: ProjectModel,
  state: ItemState,
  variant: VariantVersions,
  facts: LoadedFacts,
  settings: ReadSideSettings,
) {
  const compile = (version: NonNullable<VariantVersions['latest']>, channel: Channel) =>
    compileDocument(
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
  const { published, latest } = variant;
  const both = CHANNEL_BIT.published | CHANNEL_BIT.latest;
  if (published && latest && published === latest) {
    const shown = await compile(published, 'published');
    if (!shown.dependsOnChannel) return [{ version: published, visible: both, compiled: shown }];
    const previewed = await compile(latest, 'latest');
    if (shown.body === previewed.body && shown.components === previewed.components)
      return [{ version: published, visible: both, compiled: shown }];
    return [
      { version: published, visible: CHANNEL_BIT.published, compiled: shown },
      { version: latest, visible: CHANNEL_BIT.latest, compiled: previewed },
    ];
  }
  const documents = [];
  for (const channel of CHANNELS) {
    const version = versionIn(variant, channel);
    if (version)
      documents.push({
        version,
        visible: CHANNEL_BIT[channel] as number,
        compiled: await compile(version, channel),
      });
  }
  return documents;
}

/** A rename of the item counts as a change of what readers get. */
export function lastModified(item: { readonly lastModified: string }, versionCreated: string): string {
  return item.lastModified > versionCreated ? item.lastModified : versionCreated;
}

async function writeTally(
  transaction: ProjectTransaction,
  before: readonly ResolvedBefore[],
  after: readonly ResolvedRow[],
): Promise<void> {
  const delta = new Map<string, number>();
  const add = (view: number, type: number, language: number, by: number) => {
    const key = `${view}:${type}:${language}`;
    delta.set(key, (delta.get(key) ?? 0) + by);
  };
  for (const row of before) add(row.view, row.type, row.language, -1);
  for (const [view, , , type, language] of after) add(view, type, language, 1);
  for (const [key, by] of delta) {
    if (by === 0) continue;
    await transaction.tx.run(
      `INSERT INTO tally (view, type, language, count) VALUES (?, ?, ?, ?)
       ON CONFLICT (view, type, language) DO UPDATE SET count = tally.count + excluded.count`,
      [...key.split(':').map(Number), by],
    );
  }
}

/** Hyperlinks show the target's codename, type and slug, and whether it is there at all. */
async function markLinkers(
  transaction: ProjectTransaction,
  before: readonly ResolvedBefore[],
  states: readonly ItemState[],
): Promise<void> {
  const { tx, model } = transaction;
  /** By item, then by view. */
  const old = new Map<number, Map<number, string>>();
  for (const row of before) {
    const shown = old.get(row.item) ?? new Map<number, string>();
    old.set(row.item, shown.set(row.view, `${row.codename}:${row.type}:${row.slug}`));
  }
  const changed = new Set<number>(before.map((row) => row.item));
  for (const state of states) {
    if (isTurnLong()) await nextTurn();
    const now = new Map<number, string>();
    for (const language of model.languages) {
      if (!language.isActive) continue;
      for (const channel of CHANNELS) {
        const source = sourceIn(model, state, language, channel);
        if (source)
          now.set(
            viewOf(language, channel),
            `${state.codename}:${state.type.number}:${slugOf(state.type, source.version.elements)}`,
          );
      }
    }
    const mine = old.get(state.number) ?? new Map<number, string>();
    const same = mine.size === now.size && [...mine].every(([view, shown]) => now.get(view) === shown);
    if (same) changed.delete(state.number);
    else changed.add(state.number);
  }
  if (changed.size === 0) return;
  const among = tx.among('target', [...changed]);
  const linked = await tx.all<{ target: number }>(
    `SELECT DISTINCT target FROM uses WHERE kind = ${USE.hyperlink} AND ${among.text}`,
    [among.parameter],
  );
  for (const { target } of linked)
    await markStale(transaction, 'item', target, transaction.channelsOf(target));
}
