import { CHANNEL_BIT, CHANNELS, type Channel, type Language, type ProjectModel } from '../model/model.ts';
import type { SqlValue } from '../storage/sql.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { type CompiledDocument, compileDocument } from './compile-document.ts';
import type { CompiledSettings } from './compiled-settings.ts';
import type { Facts } from './facts.ts';
import { type IndexedItem, indexEntries } from './index-entries.ts';
import {
  type ItemState,
  lastModified,
  sourcesOf,
  type VariantVersions,
  type VersionState,
  versionIn,
} from './item-state.ts';
import type { LoadedFacts } from './load-facts.ts';
import { slugOf } from './references-of.ts';

export type ResolvedRow = readonly [
  view: number,
  item: number,
  document: number,
  type: number,
  language: number,
  codename: string,
];

/** Rows of the compiled tables, as the items of a batch add them. */
export class DocumentRows {
  readonly document: SqlValue[][] = [];
  readonly uses: SqlValue[][] = [];
  readonly entry: SqlValue[][] = [];
  readonly resolved: ResolvedRow[] = [];
  readonly kept: [document: number, visible: number][] = [];
  /** Length of the documents. */
  characters = 0;
  readonly compiledAt: number;

  constructor(compiledAt: number) {
    this.compiledAt = compiledAt;
  }
}

/**
 * Adds the documents of an item, their index rows, and which document each view shows.
 * @param kept numbers of documents that need not be compiled, by version
 */
export async function compileItem(
  transaction: ProjectTransaction,
  state: ItemState,
  facts: LoadedFacts,
  settings: CompiledSettings,
  rows: DocumentRows,
  kept: ReadonlyMap<number, number>,
): Promise<void> {
  const { model, tx } = transaction;
  const documentIn = new Map<string, number>();
  const show = ({ language }: VariantVersions, visible: number, document: number) => {
    for (const channel of CHANNELS)
      if (visible & CHANNEL_BIT[channel]) documentIn.set(`${language.number}:${channel}`, document);
  };
  for (const variant of state.variants) {
    for (const [version, visible] of keptVersions(variant, kept)) {
      const document = kept.get(version) ?? 0;
      show(variant, visible, document);
      rows.kept.push([document, visible]);
    }
    for (const { version, visible, compiled } of await compileVariant(
      model,
      state,
      withoutKept(variant, kept),
      facts,
      settings,
    )) {
      if (isTurnLong()) await nextTurn();
      const number = await tx.numbers('document');
      show(variant, visible, number);
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
      rows.characters += compiled.components.length + compiled.body.length;
      for (const [kind, target] of compiled.uses) rows.uses.push([number, kind, target]);
      const rendered = {
        richTexts: compiled.richTexts,
        fileName: (id: string) => facts.asset(id)?.name,
        isLinked: (id: string) => (facts.item(id)?.codename ?? null) !== null,
      };
      await eachInTurns(
        await indexEntries(model, indexed, variant.language, version.elements, rendered),
        ([slot, key]) => rows.entry.push([number, slot, key, state.codename, visible, state.number]),
      );
    }
  }
  for (const { channel, view, source } of sourcesOf(model, state)) {
    const language = source?.variant.language.number;
    const document = documentIn.get(`${language}:${channel}`);
    if (language !== undefined && document !== undefined)
      rows.resolved.push([view, state.number, document, state.type.number, language, state.codename]);
  }
}

/** The versions whose documents are kept, each with the channels that show it. */
function keptVersions(variant: VariantVersions, kept: ReadonlyMap<number, number>): Map<number, number> {
  const visible = new Map<number, number>();
  for (const channel of CHANNELS) {
    const version = versionIn(variant, channel)?.number;
    if (version !== undefined && kept.has(version))
      visible.set(version, (visible.get(version) ?? 0) | CHANNEL_BIT[channel]);
  }
  return visible;
}

/** The variant with the versions that must be compiled. */
export function withoutKept(variant: VariantVersions, kept: ReadonlyMap<number, number>): VariantVersions {
  const compiled = (version: VersionState | undefined) =>
    version && kept.has(version.number) ? undefined : version;
  return kept.size === 0
    ? variant
    : { ...variant, published: compiled(variant.published), latest: compiled(variant.latest) };
}

/** One document where both channels show the same bytes, else one for each. */
async function compileVariant(
  model: ProjectModel,
  state: ItemState,
  variant: VariantVersions,
  facts: LoadedFacts,
  settings: CompiledSettings,
) {
  const compile = (version: VersionState, channel: Channel) =>
    compileVersion(model, state, variant.language, version, channel, facts, settings);
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
        visible: CHANNEL_BIT[channel],
        compiled: await compile(version, channel),
      });
  }
  return documents;
}

export function compileVersion(
  model: ProjectModel,
  item: ItemState,
  language: Language,
  { created, elements }: VersionState,
  channel: Channel,
  facts: Facts,
  { mediaType }: CompiledSettings,
): Promise<CompiledDocument> {
  return compileDocument(
    { model, item, language, channel, lastModified: lastModified(item, created), elements, mediaType },
    facts,
  );
}
