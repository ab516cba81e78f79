import { parseStored } from '../json-body/parse-stored.ts';
import type { ContentType, Field, ProjectModel, ValueElement } from '../model/model.ts';
import { sameElements } from '../model/normal-value.ts';
import type { StoredElements } from '../model/values.ts';
import type { ProjectView } from '../transaction/project-view.ts';
import type { ActTarget } from './act-targets.ts';

/** Characters of versions that are compared for one plan. */
const MOST = 8 * 2 ** 20;

/**
 * Which elements of the published versions the drafts change, for each target with both.
 * @returns by target; those without both, and those after very many characters, are missing
 */
export async function findDifferences(
  view: ProjectView,
  targets: readonly ActTarget[],
): Promise<ReadonlyMap<ActTarget, readonly ValueElement[]>> {
  const differences = new Map<ActTarget, readonly ValueElement[]>();
  let characters = 0;
  for (const target of targets) {
    const { draft, published } = target.variant ?? { draft: null, published: null };
    if (draft === null || published === null) continue;
    if (characters > MOST) break;
    const among = view.tx.among('number', [draft, published]);
    const rows = await view.tx.all<{ number: number; elements: string }>(
      `SELECT number, elements FROM version WHERE ${among.text}`,
      [among.parameter],
    );
    characters += rows.reduce((sum, { elements }) => sum + elements.length, 0);
    const read = async (version: number): Promise<StoredElements> =>
      parseStored(rows.find(({ number }) => number === version)?.elements ?? '{}');
    const { type } = target.item;
    const fields = await changedFields(view.model, type, await read(published), await read(draft));
    differences.set(
      target,
      fields.map(({ element }) => element),
    );
  }
  return differences;
}

/** The elements that two versions have other values of. */
export async function changedFields(
  model: ProjectModel,
  { fields }: ContentType,
  before: StoredElements,
  after: StoredElements,
): Promise<Field[]> {
  const changed: Field[] = [];
  for (const field of fields)
    if (!(await sameElements(model, { fields: [field] }, before, after))) changed.push(field);
  return changed;
}
