import {
  FOLDER_LIMIT,
  type Folder,
  type FolderChange,
  foldersWithAssets,
  isFolder,
} from '../../assets/folders.ts';
import { preconditionFailed } from '../../http/conditional.ts';
import { Issues } from '../../model/issues.ts';
import { flatten } from '../../model/load-model.ts';
import type { ProjectView } from '../../transaction/project-view.ts';
import { Fields } from '../fields.ts';
import { insertInto, NOT_FOUND, type PatchOperation, refuseOperation, unknownOperation } from './patch.ts';

/** A folder that is read from a body, or changed by operations; a new one has no id. */
export interface FolderPart extends FolderChange {
  name: string;
  folders: FolderPart[];
}

/** The folders of a project, to which the operations of a PATCH are applied. Existing ones have their ids. */
export class FolderDraft {
  readonly folders: FolderPart[];
  #size: number;
  /** Index of the last operation on each folder, and of the last one at all. */
  readonly #operations = new Map<FolderPart, number>();
  #last: number | undefined;
  /** Ids; read for the first operation that asks. */
  #withAssets: ReadonlySet<string> | undefined;

  constructor(before: readonly Folder[]) {
    this.folders = structuredClone(before) as FolderPart[];
    this.#size = allOf(this.folders).length;
  }

  /** @throws invalidBody naming the operation; preconditionFailed where a folder must be empty and is not */
  async apply(view: ProjectView, operation: PatchOperation): Promise<void> {
    const { fields, op, index } = operation;
    const isNamed = (fields.raw('reference') ?? null) !== null;
    const folder = isNamed ? this.#find(operation) : undefined;
    if (op === 'addinto') this.#addInto(operation, folder);
    else if (op !== 'rename' && op !== 'remove') unknownOperation(operation, 'addInto, remove and rename');
    else if (!folder) refuseOperation(operation, 'A reference to a folder is expected.');
    else if (op === 'rename') this.#rename(operation, folder);
    else await this.#remove(view, operation, folder);
    this.#last = index;
  }

  /** Index of the operation that last changed the target of a path such as `folders[1].folders[0].name`. */
  operationOf(path: string | undefined): number | undefined {
    let found = this.#last;
    let list: readonly FolderPart[] | undefined = this.folders;
    for (const [, index] of path?.matchAll(/folders\[(\d+)\]/g) ?? []) {
      const folder: FolderPart | undefined = list?.[Number(index)];
      found = (folder && this.#operations.get(folder)) ?? found;
      list = folder?.folders;
    }
    return found;
  }

  #find(operation: PatchOperation): FolderPart {
    const reference = operation.fields.reference('reference');
    const found = reference && allOf(this.folders).find((one) => isFolder(one, reference));
    return found ?? refuseOperation(operation, NOT_FOUND, 'reference');
  }

  #addInto(operation: PatchOperation, folder: FolderPart | undefined): void {
    const issues = new Issues();
    const { fields, index } = operation;
    const added = readFolder(new Fields(issues, fields.raw('value'), fields.at('value')));
    issues.refuse();
    const size = this.#size + allOf([added]).length;
    if (size > FOLDER_LIMIT)
      refuseOperation(operation, `There can be at most ${FOLDER_LIMIT} folders.`, 'value');
    insertInto(operation, folder?.folders ?? this.folders, added, isFolder);
    this.#size = size;
    this.#operations.set(added, index);
  }

  #rename(operation: PatchOperation, folder: FolderPart): void {
    const value = operation.fields.raw('value');
    // One published client can only send the name inside an object.
    const name = typeof value === 'object' && value !== null ? (value as { name?: unknown }).name : value;
    if (typeof name !== 'string') refuseOperation(operation, 'The value must be the new name.', 'value');
    folder.name = name;
    this.#operations.set(folder, operation.index);
  }

  async #remove(view: ProjectView, operation: PatchOperation, folder: FolderPart): Promise<void> {
    if (mustBeEmpty(operation) && (await this.#isFilled(view, folder)))
      throw preconditionFailed('There is something in the folder');
    const { folders } = [this, ...allOf(this.folders)].find((one) => one.folders.includes(folder)) ?? this;
    folders.splice(folders.indexOf(folder), 1);
    this.#size -= allOf([folder]).length;
  }

  async #isFilled(view: ProjectView, { id, folders }: FolderPart): Promise<boolean> {
    if (folders.length > 0) return true;
    this.#withAssets ??= await foldersWithAssets(view);
    return this.#withAssets.has(id ?? '');
  }
}

export function readFolder(fields: Fields): FolderPart {
  return {
    name: fields.text('name') ?? '',
    external_id: fields.text('external_id'),
    folders: (fields.list('folders') ?? []).map(readFolder),
  };
}

function mustBeEmpty(operation: PatchOperation): boolean {
  const given = operation.fields.raw('if_empty') ?? false;
  if (typeof given !== 'boolean') refuseOperation(operation, 'true or false is expected.', 'if_empty');
  return given;
}

function allOf(folders: readonly FolderPart[]): FolderPart[] {
  return flatten(folders, (one) => one.folders);
}
