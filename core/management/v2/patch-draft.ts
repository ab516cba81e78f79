import { Issues } from '../../model/issues.ts';
import { Fields } from '../fields.ts';
import { applyAll, asOperations, type PatchOperation, unknownOperation } from './patch.ts';

type Part = Record<string, unknown>;

/** An object to which the operations of a PATCH are applied, as JSON in the shape of a POST. */
export abstract class PatchDraft<Json extends Part, Target> {
  readonly json: Json;
  /** Properties that operations replaced. */
  readonly #replaced = new Map<Part, Set<string>>();
  readonly #lastOperation = new Map<unknown, number>();

  constructor(json: Json) {
    this.json = json;
  }

  /** @throws invalidBody naming the operation */
  apply(operation: PatchOperation): void {
    const target = this.targetOf(operation);
    const { op } = operation;
    if (op === 'addinto') this.addInto(operation, target);
    else if (op === 'move') this.move(operation, target);
    else if (op === 'remove') this.remove(operation, target);
    else if (op === 'replace') this.replace(operation, target);
    else unknownOperation(operation, 'addInto, move, remove and replace');
  }

  /** Derives codenames from new names, where no operation replaced the codename. */
  finished(): Json {
    for (const [part, properties] of this.#replaced) {
      if (properties.has('name') && !properties.has('codename')) delete part['codename'];
    }
    return this.json;
  }

  /** Index of the operation that last changed the target of a path of `json`. */
  abstract operationOf(path: string | undefined): number | undefined;

  protected abstract targetOf(operation: PatchOperation): Target;
  protected abstract addInto(operation: PatchOperation, target: Target): void;
  protected abstract move(operation: PatchOperation, target: Target): void;
  protected abstract remove(operation: PatchOperation, target: Target): void;
  protected abstract replace(operation: PatchOperation, target: Target): void;

  protected replaceProperty(operation: PatchOperation, part: Part, property: string, value: unknown): void {
    part[property] = value;
    this.#replaced.set(part, (this.#replaced.get(part) ?? new Set()).add(property));
    this.recordOperation(operation, part);
  }

  protected recordOperation(operation: PatchOperation, part: unknown): void {
    this.#lastOperation.set(part, operation.index);
    // The last operation gets the issues that belong to no part.
    this.#lastOperation.set(this.json, operation.index);
  }

  protected lastOperationOn(part: unknown): number | undefined {
    return this.#lastOperation.get(part);
  }
}

/**
 * Applies the operations to the draft, then updates the object from its fields.
 * @throws invalidBody with the issues of every operation
 */
export async function applyToDraft<T>(
  operations: readonly PatchOperation[],
  draft: PatchDraft<Part, unknown>,
  update: (fields: Fields) => Promise<T>,
): Promise<T> {
  await applyAll(operations, (operation) => draft.apply(operation));
  return asOperations(
    () => update(new Fields(new Issues(), draft.finished())),
    (path) => draft.operationOf(path),
  );
}
