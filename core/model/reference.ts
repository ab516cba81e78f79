import type { Reference } from './inputs.ts';
import type { Issues } from './issues.ts';
import { beginning } from './text-length.ts';

export const REFERENCE_FORMS = ['id', 'codename', 'external_id'] as const;
export type ReferenceForm = (typeof REFERENCE_FORMS)[number];

export interface Referable {
  readonly id: string;
  readonly codename: string;
  readonly externalId?: string | null;
  readonly external_id?: string;
}

/** The form of a reference and its text; undefined when it has no form, several, or one that is not text. */
export function formOf(
  reference: unknown,
): { readonly form: ReferenceForm; readonly text: string } | undefined {
  if (typeof reference !== 'object' || reference === null) return undefined;
  let found: { form: ReferenceForm; text: string } | undefined;
  for (const form of REFERENCE_FORMS) {
    const text: unknown = (reference as Reference)[form];
    if (text === undefined || text === null) continue;
    if (found || typeof text !== 'string' || text === '') return undefined;
    found = { form, text: form === 'id' ? text.toLowerCase() : text };
  }
  return found;
}

/** The form of a reference; adds an issue when it is not one of those accepted. */
export function checkForm(
  issues: Issues,
  reference: unknown,
  accepted: readonly ReferenceForm[],
  path: string,
): { readonly form: ReferenceForm; readonly text: string } | undefined {
  const found = formOf(reference);
  if (found && accepted.includes(found.form)) return found;
  issues.add(`A reference with exactly one of ${accepted.join(', ')} is expected.`, path);
  return undefined;
}

/** Lists up to this length need no index. */
const SHORT = 32;

/** Indexes of lists of models, which never change. */
const indexes = new WeakMap<readonly Referable[], PartIndex<Referable>>();

/** Finds a part of the model by any form of reference. The list must not change afterwards. */
export function findReferred<T extends Referable>(
  among: Iterable<T>,
  reference: Reference | undefined,
): T | undefined {
  if (!Array.isArray(among) || among.length <= SHORT) return firstReferred(among, reference);
  let index = indexes.get(among);
  if (!index) {
    index = new PartIndex<Referable>(among);
    indexes.set(among, index);
  }
  return index.find(reference) as T | undefined;
}

function firstReferred<T extends Referable>(among: Iterable<T>, reference: unknown): T | undefined {
  const target = formOf(reference);
  if (!target) return undefined;
  for (const part of among) {
    if (target.form === 'id' && part.id === target.text) return part;
    if (target.form === 'codename' && part.codename === target.text) return part;
    if (target.form === 'external_id' && (part.externalId ?? part.external_id) === target.text) return part;
  }
  return undefined;
}

/** Lookups that search the list; from the next one on, a map is faster. */
const FEW = 8;

/** Finds one of many parts by any form of reference, in constant time. */
export class PartIndex<T extends Referable> {
  readonly #parts: readonly T[];
  #byName: ReadonlyMap<string, T> | undefined;
  #lookups = 0;

  constructor(parts: Iterable<T>) {
    this.#parts = [...parts];
  }

  find(reference: unknown): T | undefined {
    if (!this.#byName && this.#lookups++ < FEW) return firstReferred(this.#parts, reference);
    const target = formOf(reference);
    this.#byName ??= byName(this.#parts);
    return target && this.#byName.get(`${target.form}:${target.text}`);
  }
}

/** Of several parts with one name, the first counts. */
function byName<T extends Referable>(parts: readonly T[]): Map<string, T> {
  const found = new Map<string, T>();
  const add = (name: string, part: T) => {
    if (!found.has(name)) found.set(name, part);
  };
  for (const part of parts) {
    add(`id:${part.id}`, part);
    add(`codename:${part.codename}`, part);
    const externalId = part.externalId ?? part.external_id;
    if (externalId) add(`external_id:${externalId}`, part);
  }
  return found;
}

const SHOWN = 80;

/** `the codename 'x'`, for messages; long text is cut. */
export function describe(reference: unknown): string {
  const found = formOf(reference);
  return found ? `the ${found.form.replace('_', ' ')} '${shorten(found.text)}'` : 'that reference';
}

export function shorten(text: string, units = SHOWN): string {
  return text.length > units ? `${beginning(text, units)}…` : text;
}
