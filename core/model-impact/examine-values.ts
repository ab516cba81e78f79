import { loadRuleFacts } from '../content/load-rule-facts.ts';
import { parseStored } from '../json-body/parse-stored.ts';
import { collectFactIds, type FactIds, findViolations } from '../model/find-violations.ts';
import {
  activeLanguages,
  CHANNEL_BIT,
  type ContentType,
  type ElementDefinition,
  type Field,
  type Language,
  type ProjectModel,
  type ValueElement,
  viewOf,
} from '../model/model.ts';
import type { StoredElements } from '../model/values.ts';
import { emptyKeyOf, slotOf } from '../read-model/index-entries.ts';
import { CUT_KEY_LENGTH, EMPTY_KEY } from '../storage/index-key.ts';
import { USE } from '../storage/stale.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { type ChangedElement, RULES, type Rule, type TypeField } from './model-changes.ts';

/** Index rows of a statement, and versions: the driver makes their rows in one turn. */
const ENTRIES = 1000;
const VERSIONS = 100;
/** Values that are examined in any case. */
const LEAST = 2000;

export interface Examined {
  /** Numbers of the items. */
  readonly items: ReadonlySet<number>;
  /** False: the time ended before all values were examined, and there may be more items. */
  readonly isComplete: boolean;
}

/**
 * Finds the items whose latest version breaks one rule of an element, in values of the item and of components, by the same
 * function that refuses to publish them. Short texts are in the index; of others the version is read.
 *
 * @param until `performance.now()` after which nothing more is read
 * @param of `components`: only of versions that have components of a type with the element
 */
export async function examineValues(
  view: ProjectView,
  after: ProjectModel,
  changed: ChangedElement,
  rule: Rule,
  { until, of }: { readonly until: number; readonly of: 'all' | 'components' },
): Promise<Examined> {
  const examination = new Examination(view, withOneRule(after, changed, rule), until);
  if (of === 'all') await examination.items(changed, rule);
  await examination.components(changed);
  return { items: examination.breaking, isComplete: examination.isComplete };
}

interface Value {
  readonly type: ContentType;
  /** Number of the item. */
  readonly item: number;
  readonly elements: StoredElements;
}

class Examination {
  /** Numbers of items. */
  readonly breaking = new Set<number>();
  isComplete = true;
  readonly #view: ProjectView;
  readonly #model: ProjectModel;
  readonly #until: number;
  readonly #active: readonly Language[];
  #examined = 0;

  constructor(view: ProjectView, model: ProjectModel, until: number) {
    this.#view = view;
    this.#model = model;
    this.#until = until;
    this.#active = activeLanguages(view.model);
  }

  async items({ element, fields }: ChangedElement, rule: Rule): Promise<void> {
    const least = leastKeyLength(element, rule);
    // No other rule that is examined is broken by an empty value.
    const skipped = rule === 'asset_count_limit' ? '' : emptyKeyOf(element.type);
    const filled = await this.#filledLanguages(fields);
    for (const { type: before, field } of fields) {
      const type = this.#model.typeById.get(before.id);
      if (!type) continue;
      for (const language of filled.get(before.number) ?? []) {
        const slot = slotOf(field.field, language);
        let last: { key: string; document: number } = { key: '', document: 0 };
        for (;;) {
          if (this.#isOver()) return;
          const rows: readonly { key: string; document: number; item: number }[] = await this.#view.tx.all(
            `SELECT key, document, item FROM entry
             WHERE slot = ? AND key >= ? AND (key > ? OR document > ?) AND key <> ? AND length(key) >= ?
               AND visible >= ${CHANNEL_BIT.latest} ORDER BY key, document LIMIT ${ENTRIES}`,
            [slot, last.key, last.key, last.document, skipped, least],
          );
          const isWhole = ({ key }: { readonly key: string }) =>
            key === EMPTY_KEY || (element.type === 'text' && key.length < CUT_KEY_LENGTH);
          await this.#check(
            rows.filter(isWhole).map(({ key, item }) => ({
              type,
              item,
              elements: key === EMPTY_KEY ? {} : { [element.id]: key.slice(1) },
            })),
          );
          await this.#versions(rows.filter((row) => !isWhole(row)).map(({ document }) => document));
          const next = rows.at(-1);
          if (!next || rows.length < ENTRIES) break;
          last = next;
        }
      }
    }
  }

  async components({ fields }: ChangedElement): Promise<void> {
    for (const { type } of fields)
      for (let last = 0; ; ) {
        if (this.#isOver()) return;
        const rows = await this.#view.tx.all<{ document: number }>(
          `SELECT document FROM uses WHERE kind = ${USE.componentType} AND target = ? AND document > ?
           ORDER BY document LIMIT ${ENTRIES}`,
          [type.number, last],
        );
        await this.#versions(rows.map(({ document }) => document));
        const next = rows.at(-1);
        if (!next || rows.length < ENTRIES) break;
        last = next.document;
      }
  }

  /** The languages in which there is content of the types, by type: a slot of each type and language is a statement. */
  async #filledLanguages(fields: readonly TypeField[]): Promise<ReadonlyMap<number, readonly Language[]>> {
    const { model, tx } = this.#view;
    const views = tx.among(
      'view',
      this.#active.map((language) => viewOf(language, 'latest')),
    );
    const types = tx.among(
      'type',
      fields.map(({ type }) => type.number),
    );
    const rows = await tx.all<{ type: number; language: number }>(
      `SELECT DISTINCT type, language FROM tally WHERE ${views.text} AND ${types.text} AND count > 0`,
      [views.parameter, types.parameter],
    );
    const filled = new Map<number, Language[]>();
    for (const { type, language: number } of rows) {
      const language = model.languageByNumber.get(number);
      if (!language) continue;
      const known = filled.get(type);
      if (known) known.push(language);
      else filled.set(type, [language]);
    }
    return filled;
  }

  async #versions(documents: readonly number[]): Promise<void> {
    const { tx } = this.#view;
    const active = tx.among(
      'd.language',
      this.#active.map(({ number }) => number),
    );
    for (let at = 0; at < documents.length; at += VERSIONS) {
      if (this.#isOver()) return;
      const among = tx.among('d.number', documents.slice(at, at + VERSIONS));
      const rows = await tx.all<{ item: number; type: number; elements: string }>(
        `SELECT d.item AS item, d.type AS type, v.elements AS elements
         FROM document d JOIN version v ON v.number = d.version
         WHERE ${among.text} AND ${active.text} AND d.visible >= ${CHANNEL_BIT.latest}`,
        [among.parameter, active.parameter],
      );
      const values: Value[] = [];
      for (const { item, type: number, elements } of rows) {
        if (isTurnLong()) await nextTurn();
        const type = this.#model.typeByNumber.get(number);
        if (type) values.push({ type, item, elements: await parseStored<StoredElements>(elements) });
      }
      await this.#check(values);
    }
  }

  async #check(values: readonly Value[]): Promise<void> {
    const ids: FactIds = { items: new Set(), assets: new Set() };
    for (const { type, elements } of values) await collectFactIds(this.#model, type, elements, ids);
    const facts = await loadRuleFacts(this.#view, ids);
    for (const { type, item, elements } of values) {
      if (this.breaking.has(item)) continue;
      if ((await findViolations(this.#model, type, elements, facts, 1)).length > 0) this.breaking.add(item);
    }
    this.#examined += values.length;
  }

  #isOver(): boolean {
    if (this.#examined < LEAST || performance.now() < this.#until) return false;
    this.isComplete = false;
    return true;
  }
}

/** A shorter key cannot belong to a text that is too long: a character of the key may count twice, and words need spaces. */
function leastKeyLength(element: ValueElement, rule: Rule): number {
  if (element.type !== 'text' || rule !== 'maximum_text_length' || !element.maximum_text_length) return 0;
  const { value, applies_to } = element.maximum_text_length;
  const least = applies_to === 'characters' ? value + 1 : 2 * value + 1;
  return Math.min(least + 1, CUT_KEY_LENGTH - 100);
}

/** The model with one rule of one element; rich texts stay, because components are in them. */
function withOneRule(model: ProjectModel, { element, fields }: ChangedElement, rule: Rule): ProjectModel {
  const concerned = new Set(fields.map(({ type }) => type.id));
  const types = model.types.map((type) => {
    const kept = type.fields.flatMap((field): Field[] => {
      if (field.element.id === element.id && concerned.has(type.id))
        return [{ ...field, element: withRules(element, [rule]) }];
      return field.element.type === 'rich_text' ? [{ ...field, element: withRules(field.element, []) }] : [];
    });
    return { ...type, fields: kept };
  });
  return {
    ...model,
    types,
    typeById: new Map(types.map((type) => [type.id, type])),
    typeByNumber: new Map(types.map((type) => [type.number, type])),
  };
}

/** The element with these rules alone. */
function withRules(element: ValueElement, rules: readonly Rule[]): ValueElement {
  const plain: Record<string, unknown> = { ...element };
  for (const rule of RULES) if (!rules.includes(rule)) delete plain[rule];
  return {
    ...plain,
    is_required: rules.includes('is_required') && element.is_required,
    ...(element.type === 'multiple_choice' && !rules.includes('mode') && { mode: 'multiple' }),
  } as ElementDefinition as ValueElement;
}
