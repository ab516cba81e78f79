import { ITEM_COLUMNS, type Item, type ItemRow, itemNotFound, toItem } from '../content/item-rows.ts';
import { findLanguage } from '../content/languages.ts';
import { variantNotFound } from '../content/variant-rows.ts';
import { ServiceError } from '../errors.ts';
import type { Reference } from '../model/inputs.ts';
import type { Issues } from '../model/issues.ts';
import type { Language } from '../model/model.ts';
import { formOf, type ReferenceForm } from '../model/reference.ts';
import type { Sql } from '../storage/sql.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import { eachInTurns } from '../turns/each-in-turns.ts';
import { inPieces } from '../turns/in-pieces.ts';
import type { LocatedVariant } from './locate-variant.ts';

/** What an act is about, by storage numbers. */
export interface ActObject {
  readonly item: number;
  /** Null: the whole item. */
  readonly language: number | null;
}

/** An object of an act as it is before the act. */
export interface ActTarget {
  readonly item: Item & { readonly archived: string | null };
  readonly language: Language | null;
  /** Null: the whole item, or the item has none in the language. */
  readonly variant: TargetVariant | null;
}

interface TargetVariant {
  readonly number: number;
  readonly item: number;
  readonly language: number;
  readonly draft: number | null;
  readonly published: number | null;
  readonly scheduled_to: string | null;
  readonly archived: string | null;
}

/** A reference to an item or, with a language, to one of its variants. */
export interface ObjectReference {
  readonly item: Reference;
  readonly language: Reference | null;
}

/** Reads the objects that still exist, in their order. */
export async function readTargets(view: ProjectView, objects: readonly ActObject[]): Promise<ActTarget[]> {
  const numbers = new Set<number>();
  await eachInTurns(objects, ({ item }) => numbers.add(item));
  const items = await inPieces(numbers, (some) => {
    const among = view.tx.among('i.number', some);
    // The plus keeps the planner from reading all ids of the project.
    return view.tx.all<ItemRow>(
      `SELECT ${ITEM_COLUMNS} FROM item i WHERE +i.project = ? AND i.type IS NOT NULL AND ${among.text}`,
      [view.project.number, among.parameter],
    );
  });
  const itemByNumber = new Map<number, ActTarget['item']>();
  await eachInTurns(items, (row) =>
    itemByNumber.set(row.number, { ...toItem(view, row), archived: row.archived }),
  );
  const variants = new Map<string, TargetVariant>();
  const ofVariants = objects.filter(({ language }) => language !== null);
  await eachInTurns(
    await readVariants<TargetVariant>(
      view.tx,
      ofVariants,
      'number, item, language, draft, published, scheduled_to, archived',
    ),
    (row) => variants.set(`${row.item}:${row.language}`, row),
  );
  const targets: ActTarget[] = [];
  await eachInTurns(objects, ({ item: number, language }) => {
    const item = itemByNumber.get(number);
    const found = language === null ? null : view.model.languageByNumber.get(language);
    if (item && found !== undefined)
      targets.push({ item, language: found, variant: variants.get(`${number}:${language}`) ?? null });
  });
  return targets;
}

/** Variants in the order of their items; only in the languages of the objects, unless one is a whole item. */
export async function readVariants<Row>(
  sql: Sql,
  objects: readonly ActObject[],
  columns: string,
): Promise<Row[]> {
  const items = new Set<number>();
  const languages = new Set<number | null>();
  await eachInTurns(objects, ({ item, language }) => {
    items.add(item);
    languages.add(language);
  });
  const meant = languages.has(null) ? undefined : sql.among('language', [...languages] as number[]);
  return inPieces(items, (some) => {
    const among = sql.among('item', some);
    return sql.all<Row>(
      `SELECT ${columns} FROM variant WHERE ${among.text}${meant ? ` AND ${meant.text}` : ''} ORDER BY item, number`,
      meant ? [among.parameter, meant.parameter] : [among.parameter],
    );
  });
}

/**
 * Finds the objects of a list; adds an issue for each one that does not exist or is given twice.
 * @param isArchivedToo archived items and variants are found as well
 */
export async function findObjects(
  view: ProjectView,
  references: readonly ObjectReference[],
  issues: Issues,
  { path, isArchivedToo }: { readonly path: string; readonly isArchivedToo: boolean },
): Promise<ActTarget[]> {
  const items = await numbersOf(view, references);
  const languageOf = activeLanguageOf(view);
  const objects: (ActObject & { readonly given: Language | string | null })[] = [];
  await eachInTurns(references, ({ item, language }) => {
    const given = language && languageOf(language);
    objects.push({ item: items.get(keyOf(item)) ?? 0, language: numberOf(given), given });
  });
  const found = new Map<string, ActTarget>();
  await eachInTurns(await readTargets(view, objects), (target) =>
    found.set(`${target.item.number}:${target.language?.number ?? null}`, target),
  );
  const targets = new Set<ActTarget>();
  await eachInTurns(objects, ({ item, language, given }, index) => {
    if (issues.isFull) return;
    const target = found.get(`${item}:${language}`);
    const isFound = target && (target.item.archived === null || isArchivedToo);
    const add = (message: string) => issues.add(message, `${path}[${index}]`);
    if (!isFound) add(itemNotFound(references[index]?.item ?? {}).message);
    else if (typeof given === 'string') add(given);
    else if (target.language && !(target.variant && (target.variant.archived === null || isArchivedToo)))
      add(variantNotFound(target.item, target.language).message);
    else if (targets.has(target)) add(`The same ${language === null ? 'item' : 'variant'} is given twice.`);
    else targets.add(target);
  });
  return [...targets];
}

function numberOf(language: Language | string | null): number | null {
  return typeof language === 'object' && language ? language.number : null;
}

/** Finds active languages; where the reference is of none, the message says what is wrong. */
function activeLanguageOf(view: ProjectView): (reference: Reference) => Language | string {
  const known = new Map<string, Language | string>();
  return (reference) => {
    const key = keyOf(reference);
    const language = known.get(key) ?? activeLanguage(view, reference);
    known.set(key, language);
    return language;
  };
}

function activeLanguage(view: ProjectView, reference: Reference): Language | string {
  try {
    const language = findLanguage(view, reference);
    return language.isActive ? language : `The language '${language.codename}' is not active.`;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.message;
  }
}

/** Numbers of items by `keyOf`, one statement for each form of reference and a thousand items. */
async function numbersOf(
  { tx, project }: ProjectView,
  references: readonly ObjectReference[],
): Promise<ReadonlyMap<string, number>> {
  const texts = new Map<ReferenceForm, Set<string>>();
  await eachInTurns(references, ({ item }) => {
    const found = formOf(item);
    if (!found) return;
    const some = texts.get(found.form) ?? new Set();
    texts.set(found.form, some.add(found.text));
  });
  const numbers = new Map<string, number>();
  for (const [form, some] of texts) {
    const rows = await inPieces(some, (piece) => {
      const among = tx.among(form, piece);
      return tx.all<{ number: number; text: string }>(
        `SELECT number, ${form} AS text FROM item WHERE project = ? AND type IS NOT NULL AND ${among.text}`,
        [project.number, among.parameter],
      );
    });
    await eachInTurns(rows, ({ number, text }) => numbers.set(`${form}:${text}`, number));
  }
  return numbers;
}

function keyOf(reference: Reference): string {
  const found = formOf(reference);
  return found ? `${found.form}:${found.text}` : '';
}

/** A target that has a variant, without the values of its draft. */
export function locatedOf({ item, language, variant }: ActTarget): LocatedVariant {
  if (!language || !variant) throw new Error(`The item ${item.id} has no variant to act on.`);
  return { item, language, variant: { ...variant, draft_elements: null } };
}

/** The same with the values of their drafts. */
export async function withDrafts(
  { tx }: ProjectView,
  targets: readonly ActTarget[],
): Promise<LocatedVariant[]> {
  const located = targets.map(locatedOf);
  const rows = await inPieces(
    located.flatMap(({ variant }) => variant.draft ?? []),
    (some) => {
      const among = tx.among('number', some);
      return tx.all<{ number: number; elements: string }>(
        `SELECT number, elements FROM version WHERE ${among.text}`,
        [among.parameter],
      );
    },
    ({ elements }) => elements.length,
  );
  const elements = new Map(rows.map((row) => [row.number, row.elements]));
  return located.map((one) => ({
    ...one,
    variant: { ...one.variant, draft_elements: elements.get(one.variant.draft ?? -1) ?? null },
  }));
}
