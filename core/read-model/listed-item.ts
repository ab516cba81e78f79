import { createHash, hash } from 'node:crypto';
import { folded, foldedWords } from '../model/folded-words.ts';
import { lacksRequired } from '../model/lacks-required.ts';
import type { ProjectModel } from '../model/model.ts';
import { searchableWords } from '../model/searchable-text.ts';
import { VARIANT_STATES } from '../model/variant-state.ts';
import { type ListedRows, listedNumber } from '../storage/listed-rows.ts';
import type { SqlValue } from '../storage/sql.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';
import { type ItemState, lastModified } from './item-state.ts';

/** Separates what words were made of from their hash. */
const HASH = '#';

/** What lists and full text show of an item, in each active language. Words that stay the same are not written again. */
export async function listedItem(model: ProjectModel, item: ItemState): Promise<ListedRows> {
  const rows = { listed: [] as SqlValue[][], searched: [] as SqlValue[][] };
  const name = folded(item.name);
  const words = foldedWords(`${item.name} ${item.codename}`);
  const nameWords = words.join(' ');
  const key = await modelKey(model);
  for (const language of model.languages) {
    if (!language.isActive) continue;
    const variant = item.variants.find(({ language: own }) => own.number === language.number);
    const { latest, listed } = variant ?? {};
    const state = listed?.state ?? (item.archived === null ? 'not_translated' : 'archived');
    const number = listedNumber(item.number, language.number);
    const made = `${latest?.number ?? 0}/${key}/${item.codename}/${item.name}`;
    const former = listed?.searched ?? '';
    const isNew = former.slice(0, former.lastIndexOf(HASH)) !== made;
    let searched: string | null = null;
    if (isNew) {
      const all = [...words];
      if (latest) await searchableWords(model, item.type, latest.elements, all);
      const text = all.join(' ');
      const digest = HASH + hash('sha1', `${nameWords}\n${text}`, 'base64url');
      searched = made + digest;
      if (!former.endsWith(digest)) rows.searched.push([number, searched, nameWords, text]);
    }
    rows.listed.push([
      number,
      item.number,
      language.number,
      item.type.number,
      VARIANT_STATES.indexOf(state),
      name,
      listed ? lastModified(item, listed.lastModified) : item.lastModified,
      listed?.author ?? null,
      isNew ? Number(latest !== undefined && lacksRequired(model, item.type, latest.elements)) : null,
      searched,
    ]);
  }
  return rows;
}

const keys = new WeakMap<ProjectModel, string>();

/** Attributes that neither words nor missing values depend on. */
const NAMES: ReadonlySet<string> = new Set(['name', 'codename', 'guidelines', 'external_id']);

/**
 * The same for models that words and missing values are the same with: after the rename of an element nothing is made or
 * written again, 7 % of the CPU time of its job.
 */
async function modelKey(model: ProjectModel): Promise<string> {
  const known = keys.get(model);
  if (known !== undefined) return known;
  const digest = createHash('sha1');
  const add = async (part: unknown) => {
    if (isTurnLong()) await nextTurn();
    digest.update(JSON.stringify(part, (name, value) => (NAMES.has(name) ? undefined : value)));
  };
  for (const { id, fields } of model.types) await add([id, fields.map(({ element }) => element)]);
  for (const { id, termById } of model.taxonomies) await add([id, [...termById.keys()]]);
  const key = digest.digest('base64url');
  keys.set(model, key);
  return key;
}
