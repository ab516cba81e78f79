/**
 * Derives webhook events from the changes of a transaction (spec 6.3): one event per pair of type and operation, in
 * the order in which they first occurred. A notification follows from a change to published content, whichever API
 * made it; README.md has the table.
 */

import type { ContentType, ProjectModel } from '../../model/model.ts';
import type { Transaction } from '../../storage/ports.ts';
import { USE } from '../../storage/stale.ts';
import type { ChangeDetail, ChangedItem } from '../../transaction/change-detail.ts';
import { isTurnLong, nextTurn } from '../../turns/turn.ts';
import type { EventOperation, EventType } from '../event-kinds.ts';
import { ITEMS_LIMIT } from '../message.ts';
import {
  dependentsOf,
  dependentsOfPublished,
  hyperlinksToType,
  itemsAtNodes,
  itemsInLanguage,
  itemsOfType,
  itemsWithComponents,
} from './affected.ts';
import { changedTerms, linkedAs, shapeOf } from './model-differences.ts';
import { addMove, Events, hasMoved, type PlannedEvent, type TransactionChanges } from './planned-events.ts';
import { loadPublishedVariants, type PublishedVariants } from './published-variants.ts';

/** Operations that may change published content; writing a draft does not. */
const NOTIFYING_OPERATIONS = {
  content_item_variant: new Set(['publish', 'unpublish', 'archive', 'restore_publish']),
  content_item: new Set(['archive', 'restore', 'restore_publish', 'upsert', 'create']),
  content_type: new Set(['create', 'upsert', 'archive']),
  snippet: new Set(['upsert']),
  taxonomy: new Set(['create', 'upsert', 'archive', 'restore']),
  asset: new Set(['create', 'upsert', 'restore']),
  language: new Set(['create', 'upsert']),
  sitemap: new Set(['upsert']),
} satisfies Readonly<Record<string, ReadonlySet<string>>>;

type NotifyingEntry = TransactionChanges['entries'][number] & {
  readonly type: keyof typeof NOTIFYING_OPERATIONS;
};

function notifies(entry: TransactionChanges['entries'][number]): entry is NotifyingEntry {
  const operations: ReadonlySet<string> | undefined =
    NOTIFYING_OPERATIONS[entry.type as NotifyingEntry['type']];
  return operations?.has(entry.operation) ?? false;
}

/** A cheap check, so that writes of drafts do not compute affected items. */
export function mayNotify({ entries, marks }: Pick<TransactionChanges, 'entries' | 'marks'>): boolean {
  return entries.some(
    (entry) =>
      hasMoved(entry.detail) ||
      (notifies(entry) &&
        // A new object matters only to documents that waited for it.
        (entry.operation !== 'create' ||
          entry.type === 'content_type' ||
          entry.type === 'taxonomy' ||
          entry.type === 'language' ||
          marks.size > 0)),
  );
}

/**
 * Plans publishing, unpublishing and workflow moves without a read when nothing else may notify, so that webhooks
 * hardly slow down a publish.
 * @returns undefined when other changes need `planEvents`
 */
export function planVariants({ entries }: Pick<TransactionChanges, 'entries'>): PlannedEvent[] | undefined {
  const events = new Events();
  for (const entry of entries) {
    const { operation, detail } = entry;
    const isNotifying = notifies(entry);
    if (isNotifying && (!detail || (operation !== 'publish' && operation !== 'unpublish'))) return undefined;
    if (!detail || !('language' in detail) || !detail.language.isActive) continue;
    const { id, codename, language } = detail;
    if (isNotifying)
      events
        .of('content_item_variant', operation as 'publish')
        .items.push({ id, codename, language: language.codename, type: detail.type });
    addMove(events, detail);
  }
  return events.all.every(({ items }) => items.length <= ITEMS_LIMIT) ? events.all : undefined;
}

/** Plans all events, with reads inside the transaction. */
export async function planEvents(tx: Transaction, changes: TransactionChanges): Promise<PlannedEvent[]> {
  const entries = changes.entries.filter((entry) => notifies(entry) || hasMoved(entry.detail));
  const of = (type: string) => entries.filter((entry) => entry.type === type).map(({ object }) => object);
  const items = [...of('content_item'), ...of('content_item_variant').map((object) => object.slice(0, 36))];
  const planner = new Planner(
    changes,
    await loadPublishedVariants(tx, changes.after, items),
    await assetNumbers(tx, changes.after, of('asset')),
  );
  for (const entry of entries) {
    if (isTurnLong()) await nextTurn();
    if (notifies(entry)) await planner.add(entry);
    planner.move(entry.detail);
  }
  return planner.events;
}

/** Storage numbers by id. */
async function assetNumbers(
  tx: Transaction,
  model: ProjectModel,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const among = tx.among('id', ids);
  const rows = await tx.all<{ id: string; number: number }>(
    `SELECT id, number FROM asset WHERE project = ? AND ${among.text}`,
    [model.project.number, among.parameter],
  );
  return new Map(rows.map(({ id, number }) => [id, number]));
}

class Planner {
  readonly #changes: TransactionChanges;
  readonly #variants: PublishedVariants;
  readonly #assets: ReadonlyMap<string, number>;
  readonly #events = new Events();

  constructor(changes: TransactionChanges, variants: PublishedVariants, assets: ReadonlyMap<string, number>) {
    this.#changes = changes;
    this.#variants = variants;
    this.#assets = assets;
  }

  get events(): PlannedEvent[] {
    return this.#events.all;
  }

  async add({ type, operation, object, detail }: NotifyingEntry): Promise<void> {
    switch (type) {
      case 'content_item_variant':
        this.#variant(operation as 'publish', object);
        break;
      case 'content_item':
        if (operation === 'upsert' || operation === 'create') this.#itemChanged(object);
        else this.#itemMoved(operation as 'archive', object, detail as ChangedItem | undefined);
        break;
      case 'asset':
        this.#asset(object, detail);
        break;
      case 'content_type':
        this.#event('content_type', 'upsert').always = true;
        await this.#types();
        break;
      case 'snippet':
        await this.#types();
        break;
      case 'taxonomy':
        this.#taxonomy(operation, object);
        break;
      case 'language':
        this.#language(object);
        break;
      case 'sitemap':
        this.#sitemap();
        break;
      default:
        return type satisfies never;
    }
  }

  move(detail: ChangeDetail | undefined): void {
    addMove(this.#events, detail);
  }

  #event(type: EventType, operation: EventOperation): PlannedEvent {
    return this.#events.of(type, operation);
  }

  #variant(operation: 'publish' | 'unpublish' | 'archive' | 'restore_publish', object: string): void {
    const [item = '', language = ''] = object.split('/');
    const wasPublic = operation === 'archive' || operation === 'restore_publish';
    const affected = this.#variants.variant(item, language, wasPublic);
    if (affected) this.#event('content_item_variant', operation).items.push(affected);
  }

  /** An item that was not public restores without a notification. */
  #itemMoved(
    operation: 'archive' | 'restore' | 'restore_publish',
    object: string,
    { lastVariant, scheduled }: ChangedItem = {},
  ): void {
    const items = this.#variants.ofItem(object);
    const type = lastVariant ? 'content_item_variant' : 'content_item';
    if (items.length > 0) this.#event(type, operation).items.push(...items);
    const moves = this.#variants.movesOf(object, operation === 'archive', scheduled);
    if (moves.length > 0) this.#event('content_item_variant', 'change_workflow_step').items.push(...moves);
  }

  /** Affects other items that show this one: its codename in their elements, or its content in their linked items. */
  #itemChanged(id: string): void {
    const number = this.#variants.numberOf(id);
    if (number === undefined) return;
    const codenameChanged = this.#changes.marks.has(`item:${number}`);
    const { rules } = this.#event('content_item', 'upsert');
    // Elements that link it contain its codename, public or not; everything else appears only if it is public.
    if (codenameChanged)
      rules.push(dependentsOf([USE.linkedItem], number), dependentsOfPublished([USE.hyperlink], number));
    else rules.push(dependentsOfPublished([USE.linkedItem], number));
  }

  #asset(id: string, detail: ChangeDetail | undefined): void {
    const number = this.#assets.get(id);
    if (number === undefined || !this.#changes.marks.has(`asset:${number}`)) return;
    const { languageById } = this.#changes.after;
    const languages =
      detail && 'languages' in detail
        ? detail.languages.flatMap((one) => languageById.get(one)?.number ?? [])
        : [];
    this.#event('asset', 'upsert').rules.push(dependentsOf([USE.asset], number, languages));
  }

  /** Handles all types of the transaction at once: a snippet changes its types too. */
  async #types(): Promise<void> {
    const { before, after } = this.#changes;
    const changed: ContentType[] = [];
    for (const type of after.types) {
      if (isTurnLong()) await nextTurn();
      const old = before.typeById.get(type.id);
      if (old && (old.lastModified !== type.lastModified || shapeOf(old) !== shapeOf(type)))
        changed.push(type);
    }
    if (changed.length === 0 && !this.#events.has('content_type', 'upsert')) return;
    const event = this.#event('content_type', 'upsert');
    if (event.rules.length > 0) return;
    event.always = true;
    for (const type of changed) {
      const old = before.typeById.get(type.id);
      if (!old || shapeOf(old) === shapeOf(type)) continue;
      event.rules.push(...itemsOfType(after, type), itemsWithComponents(type));
      if (linkedAs(old) !== linkedAs(type)) event.rules.push(hyperlinksToType(type));
    }
  }

  #taxonomy(operation: string, id: string): void {
    const { before, after } = this.#changes;
    const old = before.taxonomyById.get(id);
    const group = after.taxonomyById.get(id) ?? old;
    if (!group) return;
    const event = this.#event(
      'taxonomy',
      operation === 'archive' || operation === 'restore' ? operation : 'upsert',
    );
    event.always = true;
    if (event.taxonomies.some((listed) => listed.id === group.id)) return;
    event.taxonomies.push({ id: group.id, codename: group.codename });
    if (operation !== 'upsert' || !old) return;
    const renamed = old.codename !== group.codename;
    const terms = renamed ? [] : changedTerms(old, group);
    if (!renamed && terms.length === 0) return;
    for (const type of after.types) {
      const shows = type.fields.some(
        ({ element }) => element.type === 'taxonomy' && element.taxonomy_group.id === group.id,
      );
      if (shows) event.rules.push(...itemsOfType(after, type, terms), itemsWithComponents(type, terms));
    }
  }

  #language(id: string): void {
    const { before, after } = this.#changes;
    const old = before.languageById.get(id);
    const language = after.languageById.get(id);
    if (!language || !(language.isActive || old?.isActive)) return;
    const event = this.#event('project_settings', 'upsert');
    event.always = true;
    if (old && (old.codename !== language.codename || old.isActive !== language.isActive))
      event.rules.push(itemsInLanguage(after.project.number, language));
  }

  #sitemap(): void {
    const { before, after } = this.#changes;
    const event = this.#event('sitemap', 'upsert');
    event.always = true;
    const changed = [...before.sitemapNodeById.values()].filter(
      (node) => after.sitemapNodeById.get(node.id)?.codename !== node.codename,
    );
    if (changed.length > 0 && event.rules.length === 0)
      event.rules.push(
        itemsAtNodes(
          after.project.number,
          changed.map(({ id }) => id),
        ),
      );
  }
}
