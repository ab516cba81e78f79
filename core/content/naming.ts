import {
  CODENAME_LIMIT,
  ITEM_CODENAME_LIMIT,
  isCodename,
  OPTION_CODENAME_LIMIT,
  toCodename,
  uniqueCodename,
} from '../model/codename.ts';
import { idOfExternalId, isId } from '../model/external-id.ts';
import { checkExternalId, checkName, type Issues } from '../model/issues.ts';
import { shorten } from '../model/reference.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';

export interface NamedInput {
  readonly id?: string;
  readonly name?: string;
  readonly codename?: string;
  readonly external_id?: string;
  /** Of an element. */
  readonly type?: unknown;
}

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly external_id?: string;
}

export interface NamingRules {
  /** Part of the source of version-5 ids; a function where it depends on the member. */
  readonly kind: string | ((input: NamedInput, externalId: string) => string);
  readonly nameLimit: number;
  readonly codenameLimit?: number;
  /** Members have ids and codenames, as in an archive: they are checked, never generated. */
  readonly keepsIds?: boolean;
  /**
   * The members replace the present ones: a new one may bring its id, and one without an id keeps that of the member with its
   * codename.
   */
  readonly replaces?: boolean;
  /** False: the codename of every member is empty. */
  readonly hasCodenames?: boolean;
}

/**
 * Assigns ids and codenames to the members of one namespace: the types of a project, the terms of a group, the options
 * of an element. A known id keeps its member and renames it; other members are new.
 */
export class Naming {
  readonly #transaction: ProjectTransaction;
  readonly #issues: Issues;
  readonly #kind: NamingRules['kind'];
  readonly #nameLimit: number;
  readonly #codenameLimit: number;
  readonly #keepsIds: boolean;
  readonly #replaces: boolean;
  readonly #hasCodenames: boolean;
  readonly #known: ReadonlyMap<string, Named>;
  readonly #knownByCodename: ReadonlyMap<string, Named>;
  /** Ids in the input. */
  readonly #givenIds = new Set<string>();
  readonly #codenames = new Set<string>();
  /** Codenames that later members request or keep. */
  readonly #claimed = new Set<string>();
  /** Of members so far, and of later ones that exist. */
  readonly #externalIds = new Set<string>();
  readonly #ids = new Set<string>();

  constructor(
    transaction: ProjectTransaction,
    issues: Issues,
    rules: NamingRules,
    known: Iterable<Named> = [],
  ) {
    this.#transaction = transaction;
    this.#issues = issues;
    this.#kind = rules.kind;
    this.#nameLimit = rules.nameLimit;
    this.#codenameLimit = rules.codenameLimit ?? CODENAME_LIMIT;
    this.#keepsIds = rules.keepsIds ?? false;
    this.#replaces = rules.replaces ?? false;
    this.#hasCodenames = rules.hasCodenames ?? true;
    const members = [...known];
    this.#known = new Map(members.map((member) => [member.id, member]));
    this.#knownByCodename = new Map(this.#replaces ? members.map((member) => [member.codename, member]) : []);
  }

  /** Adds an existing member, whose codename, id and external id are taken. */
  reserve(other: {
    readonly id: string;
    readonly codename: string;
    readonly externalId?: string | null;
  }): void {
    this.#codenames.add(other.codename);
    this.#ids.add(other.id);
    if (other.externalId) this.#externalIds.add(other.externalId);
  }

  /** Must be called with all members before `name`, so that no generated codename takes a requested one. */
  claim(inputs: readonly NamedInput[]): void {
    for (const { id } of inputs) if (typeof id === 'string') this.#givenIds.add(id.toLowerCase());
    for (const input of inputs) {
      const known = this.#knownOf(input);
      const wanted = input.codename ?? (known && keptCodename(known, input.name ?? known.name));
      if (wanted !== undefined) this.#claimed.add(wanted);
      if (known?.external_id !== undefined) this.#externalIds.add(known.external_id);
    }
  }

  name(input: NamedInput, path: string): Named {
    const known = this.#knownOf(input);
    const given: unknown = input.name ?? known?.name;
    const name = typeof given === 'string' ? given : '';
    checkName(this.#issues, name, this.#nameLimit, join(path, 'name'));
    const externalId = this.#externalId(input, known, path);
    const id = known?.id ?? this.#idOf(input, externalId, path);
    if (known || externalId === undefined || !this.#refuseTaken(input, externalId, id, path)) {
      if (this.#ids.has(id)) this.#issues.add('The same object is given twice.', path);
      this.#ids.add(id);
    }
    return {
      id,
      name,
      codename: this.#hasCodenames ? this.#codename(input, known, name, id, path) : '',
      ...(externalId === undefined ? {} : { external_id: externalId }),
    };
  }

  #idOf(input: NamedInput, externalId: string | undefined, path: string): string {
    if (this.#keepsIds) return this.#givenId(input, path);
    if (this.#bringsId(input)) return this.#ownId(input.id, path);
    if (externalId === undefined) return this.#transaction.newId();
    const kind = typeof this.#kind === 'string' ? this.#kind : this.#kind(input, externalId);
    return idOfExternalId(this.#transaction.project.id, kind, externalId);
  }

  /** Whether the id of a new member is in the input. */
  #bringsId({ id }: NamedInput): boolean {
    return this.#keepsIds || (this.#replaces && id != null);
  }

  #ownId(given: unknown, path: string): string {
    const id = typeof given === 'string' ? given.toLowerCase() : '';
    if (!isId(id)) this.#issues.add('The id must be a GUID.', join(path, 'id'));
    return id;
  }

  #givenId({ id, codename }: NamedInput, path: string): string {
    if (!isId(id)) this.#issues.add('The id must be a GUID in lower case.', join(path, 'id'));
    if (codename === undefined && this.#hasCodenames)
      this.#issues.add('The codename is missing.', join(path, 'codename'));
    return typeof id === 'string' ? id : '';
  }

  #codename(input: NamedInput, known: Named | undefined, name: string, id: string, path: string): string {
    const wanted = input.codename ?? (known && keptCodename(known, name));
    if (wanted === undefined) {
      const base = toCodename(name, this.#codenameLimit);
      const taken = (codename: string) => this.#codenames.has(codename) || this.#claimed.has(codename);
      const made = uniqueCodename(base, taken, id, this.#codenameLimit);
      this.#codenames.add(made);
      return made;
    }
    if (wanted !== known?.codename && !isCodename(wanted, this.#codenameLimit)) {
      this.#issues.add(
        `A codename has up to ${this.#codenameLimit} lower-case letters, digits and underscores and does not start with a digit.`,
        join(path, 'codename'),
      );
    } else if (this.#codenames.has(wanted)) {
      this.#issues.add(`The codename '${wanted}' is taken.`, join(path, 'codename'));
    }
    this.#codenames.add(wanted);
    return wanted;
  }

  #knownOf(input: NamedInput): Named | undefined {
    if (typeof input.id === 'string') return this.#known.get(input.id.toLowerCase());
    const known = input.codename === undefined ? undefined : this.#knownByCodename.get(input.codename);
    return known && !this.#givenIds.has(known.id) ? known : undefined;
  }

  /** External ids are set at creation and never change. */
  #externalId(input: NamedInput, known: Named | undefined, path: string): string | undefined {
    if (known) return known.external_id;
    const externalId = input.external_id;
    if (externalId === undefined || (externalId === null && this.#keepsIds)) return undefined;
    checkExternalId(this.#issues, externalId, join(path, 'external_id'));
    return externalId;
  }

  /** Remembers the external id of a new member. @returns whether another one has it, or the id made from it: an issue */
  #refuseTaken(input: NamedInput, externalId: string, id: string, path: string): boolean {
    const isMadeTwice = this.#ids.has(id) && !this.#bringsId(input);
    const isTaken = this.#externalIds.has(externalId) || isMadeTwice;
    if (isTaken) {
      this.#issues.add(`The external id '${shorten(externalId)}' is taken.`, join(path, 'external_id'));
    }
    this.#externalIds.add(externalId);
    return isTaken;
  }
}

/** The columns of a part of the model that its name decides. */
export function toPartRow({
  id,
  name,
  codename,
  external_id = null,
}: Omit<Named, 'external_id'> & {
  readonly external_id?: string | null;
}) {
  return { id, name, codename, external_id };
}

function keptCodename(known: Named, name: string): string | undefined {
  return known.name === name || !isGenerated(known) ? known.codename : undefined;
}

/** A type, a snippet or a taxonomy group. */
interface ModelPart {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly externalId: string | null;
}

/**
 * Names a part of the model.
 * @param all parts of its kind
 * @param own its present state, when it is changed
 */
export function namePart(
  transaction: ProjectTransaction,
  issues: Issues,
  rules: { readonly kind: string; readonly nameLimit: number },
  all: readonly ModelPart[],
  input: NamedInput,
  own?: ModelPart,
): Named {
  const known = own ? [{ ...own, ...(own.externalId === null ? {} : { external_id: own.externalId }) }] : [];
  const naming = new Naming(transaction, issues, rules, known);
  for (const other of all) if (other !== own) naming.reserve(other);
  return naming.name({ ...input, ...(own ? { id: own.id } : {}) }, '');
}

/** Whether the codename was generated from the name; then it follows a change of the name. */
export function isGenerated(object: Pick<Named, 'id' | 'name' | 'codename'>): boolean {
  const base = toCodename(object.name, OPTION_CODENAME_LIMIT);
  const limits = [CODENAME_LIMIT, ITEM_CODENAME_LIMIT, OPTION_CODENAME_LIMIT];
  if (limits.some((limit) => object.codename === base.slice(0, limit))) return true;
  const suffix = `_${object.id.replaceAll('-', '').slice(0, 7)}`;
  return object.codename.endsWith(suffix) && base.startsWith(object.codename.slice(0, -suffix.length));
}

function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
