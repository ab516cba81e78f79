import type { Reference } from '../../model/inputs.ts';
import { flatten } from '../../model/load-model.ts';
import type { TaxonomyGroup } from '../../model/model.ts';
import { findReferred } from '../../model/reference.ts';
import { insertInto, moveWithin, NOT_FOUND, type PatchOperation, refuseOperation } from './patch.ts';
import { PatchDraft } from './patch-draft.ts';

interface TermPart {
  readonly id?: string;
  codename?: unknown;
  terms?: TermPart[];
  [field: string]: unknown;
}

/** Limit of terms while operations run, because each may walk over all terms; the result has at most 1000. */
const DRAFT_TERMS = 2000;

/**
 * Applies the operations of a PATCH to a taxonomy group. The result is JSON in the shape of a POST; existing terms keep
 * their ids. `reference` names a term or the group; an operation without it changes the group.
 */
export class TaxonomyDraft extends PatchDraft<TermPart, Reference | undefined> {
  readonly #before: TaxonomyGroup;

  constructor(before: TaxonomyGroup) {
    const { name, codename, terms } = before;
    super({ name, codename, terms: structuredClone([...terms]) as unknown as TermPart[] });
    this.#before = before;
  }

  protected targetOf(operation: PatchOperation): Reference | undefined {
    const given = operation.fields.raw('reference') ?? undefined;
    const reference = given === undefined ? undefined : operation.fields.reference('reference');
    if (given !== undefined && !reference) refuseOperation(operation, NOT_FOUND, 'reference');
    return reference;
  }

  /** @param path such as `terms[1].terms[0].name` */
  operationOf(path: string | undefined): number | undefined {
    let part: TermPart | undefined = this.json;
    let found = this.lastOperationOn(part);
    for (const [, index] of path?.matchAll(/terms\[(\d+)\]/g) ?? []) {
      part = part?.terms?.[Number(index)];
      found = this.lastOperationOn(part) ?? found;
    }
    return found;
  }

  protected addInto(operation: PatchOperation, reference: Reference | undefined): void {
    const value = operation.fields.raw('value');
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      refuseOperation(operation, 'The value must be a term.', 'value');
    }
    // A copied term and those below it are new ones.
    const [added] = keepIdentities([value], []) as [TermPart];
    this.#refuseMany(operation, [added]);
    const parent = this.#find(operation, reference);
    const terms = termsOf(parent);
    parent.terms = terms;
    insertInto<TermPart>(operation, terms, added, isTerm);
    this.recordOperation(operation, added);
  }

  /** The term keeps its id and the terms below it, so content keeps it. */
  protected move(operation: PatchOperation, reference: Reference | undefined): void {
    if (!reference) refuseOperation(operation, 'A reference to a term is expected.');
    const term = this.#find(operation, reference);
    if (term === this.json) refuseOperation(operation, 'A taxonomy group cannot be moved.', 'reference');
    const side = (['before', 'after', 'under'] as const).find(
      (one) => (operation.fields.raw(one) ?? null) !== null,
    );
    if (side === undefined) refuseOperation(operation, "A move needs 'before', 'after' or 'under'.");
    const named = operation.fields.reference(side);
    if (!named) refuseOperation(operation, NOT_FOUND, side);
    const place = this.#find(operation, named);
    if (place === term || flatten(termsOf(term), termsOf).includes(place))
      refuseOperation(operation, 'A term cannot be moved into itself.', side);
    const from = this.#parentOf(term);
    const to = side === 'under' ? place : this.#parentOf(place);
    from.terms = termsOf(from).filter((one) => one !== term);
    const terms = termsOf(to);
    to.terms = terms;
    terms.push(term);
    if (side !== 'under') moveWithin(operation, terms, term, (one) => one === place);
    this.recordOperation(operation, term);
  }

  protected remove(operation: PatchOperation, reference: Reference | undefined): void {
    if (!reference) refuseOperation(operation, 'A reference to a term is expected.');
    const term = this.#find(operation, reference);
    if (term === this.json)
      refuseOperation(operation, 'A taxonomy group is not removed by an operation; delete it.', 'reference');
    const parent = this.#parentOf(term);
    parent.terms = termsOf(parent).filter((one) => one !== term);
    this.recordOperation(operation, parent);
  }

  #parentOf(term: TermPart): TermPart {
    return [this.json, ...this.#all()].find((one) => termsOf(one).includes(term)) ?? this.json;
  }

  protected replace(operation: PatchOperation, reference: Reference | undefined): void {
    const value = operation.fields.raw('value');
    const property = operation.fields.raw('property_name');
    const part = this.#find(operation, reference);
    if (property === 'terms') {
      if (!Array.isArray(value)) refuseOperation(operation, 'The value must be an array of terms.', 'value');
      this.#refuseMany(operation, value);
      part.terms = keepIdentities(value, flatten(termsOf(part), termsOf));
      this.recordOperation(operation, part);
    } else if (property === 'name' || property === 'codename') {
      if (typeof value !== 'string') refuseOperation(operation, 'The value must be a string.', 'value');
      if (value === '') refuseOperation(operation, `The ${property} must not be empty.`, 'value');
      this.replaceProperty(operation, part, property, value);
    } else {
      refuseOperation(
        operation,
        'The properties that can be replaced are name, codename and terms.',
        'property_name',
      );
    }
  }

  #refuseMany(operation: PatchOperation, more: readonly unknown[]): void {
    const added = flatten(more, (term) => termsOf((term ?? {}) as TermPart)).length;
    if (this.#all().length + added > DRAFT_TERMS)
      refuseOperation(operation, 'A taxonomy group can have at most 1000 terms.', 'value');
  }

  #find(operation: PatchOperation, reference: Reference | undefined): TermPart {
    if (!reference) return this.json;
    const found = this.#all().find((term) => isTerm(term, reference));
    if (found) return found;
    const isGroup = findReferred([this.#before], reference) ?? isTerm(this.json, reference);
    return isGroup ? this.json : refuseOperation(operation, NOT_FOUND, 'reference');
  }

  #all(): TermPart[] {
    return flatten(termsOf(this.json), termsOf);
  }
}

/**
 * The terms that replace others. A new term with the id, external id or codename of a replaced term keeps its
 * identity, so that content keeps the term.
 */
function keepIdentities(terms: readonly unknown[], replaced: readonly TermPart[]): TermPart[] {
  // Reversed, so that the first of several wins.
  const parts = [...replaced].reverse();
  const known = {
    id: new Map(parts.map((part) => [part.id as unknown, part])),
    external_id: new Map(parts.map((part) => [part['external_id'], part])),
    codename: new Map(parts.map((part) => [part.codename, part])),
  };
  return keepIdentitiesOf(terms, known);
}

function keepIdentitiesOf(
  terms: readonly unknown[],
  known: Readonly<Record<'id' | 'external_id' | 'codename', ReadonlyMap<unknown, TermPart>>>,
): TermPart[] {
  return terms.map((term) => {
    if (typeof term !== 'object' || term === null || Array.isArray(term)) return term as TermPart;
    const { id, ...given } = term as TermPart;
    const same = (['id', 'external_id', 'codename'] as const)
      .filter((form) => typeof (term as TermPart)[form] === 'string')
      .map((form) => known[form].get(form === 'id' ? id?.toLowerCase() : given[form]))
      .find((one) => one !== undefined);
    const inner = Array.isArray(given.terms) ? { terms: keepIdentitiesOf(given.terms, known) } : {};
    return { ...given, ...inner, ...(same?.id !== undefined && { id: same.id }) };
  });
}

/** Terms from the same body are unchecked, so values that are not objects are skipped. */
function termsOf(part: TermPart): TermPart[] {
  const terms: unknown = part.terms;
  return Array.isArray(terms) ? terms.filter((term) => typeof term === 'object' && term !== null) : [];
}

function isTerm(term: TermPart, reference: Reference): boolean {
  return Object.entries(reference).every(([form, text]) => term[form] === text);
}
