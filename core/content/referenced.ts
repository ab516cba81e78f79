import { idOfExternalId, isId } from '../model/external-id.ts';
import type { Issues } from '../model/issues.ts';
import { checkForm, REFERENCE_FORMS, type ReferenceForm, shorten } from '../model/reference.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';

type Kind = 'item' | 'asset';

/** References that one statement looks up; more would block the main thread for too long. */
const BATCH = 500;
/** Expected objects that one statement writes. */
const WRITTEN = 5000;

/** What a reference leads to. One object for all references with the same kind, form and text. */
export interface Referred {
  /** Undefined before `resolve`, and after it where there is no such object. */
  readonly id: string | undefined;
}

interface Wanted {
  id: string | undefined;
  readonly kind: Kind;
  readonly form: ReferenceForm;
  readonly text: string;
  /** Of the row: what the text is looked up by. The id made from an external id, which placeholders have too, saves an index. */
  readonly value: string;
  /** Where it is missing; empty for an external id, which never is. */
  readonly path: string;
  readonly location: Issues['location'];
}

const ACCEPTED = {
  item: REFERENCE_FORMS,
  asset: ['id', 'external_id'],
} as const satisfies Record<Kind, readonly ReferenceForm[]>;

/**
 * By kind and form, then by text: keys that are put together of the three had to be built and hashed three times for each
 * reference. 30,000 new external ids take 0.56 to 0.68 instead of 0.70 to 0.80 s of CPU.
 */
class ByReference<T> {
  readonly #maps = {
    item: { id: new Map<string, T>(), codename: new Map<string, T>(), external_id: new Map<string, T>() },
    asset: { id: new Map<string, T>(), codename: new Map<string, T>(), external_id: new Map<string, T>() },
  };

  of(kind: Kind, form: ReferenceForm): Map<string, T> {
    return this.#maps[kind][form];
  }
}

/** References that a transaction has looked up, for bulk writes. Rows are never deleted, so they stay valid. */
const known = new WeakMap<ProjectTransaction, ByReference<Referred>>();

/**
 * The items and assets that an input refers to: collected first, then looked up together, one statement per kind and
 * form of reference. An unknown external id gets a placeholder row with the id that its object will have.
 */
export class ReferencedContent {
  readonly #transaction: ProjectTransaction;
  readonly #issues: Issues;
  readonly #known: ByReference<Referred>;
  readonly #wanted = new ByReference<Wanted>();

  constructor(transaction: ProjectTransaction, issues: Issues) {
    this.#transaction = transaction;
    this.#issues = issues;
    let own = known.get(transaction);
    if (!own) {
      own = new ByReference();
      known.set(transaction, own);
    }
    this.#known = own;
  }

  /**
   * Adds a reference.
   * @returns has its id after `resolve`; undefined when the form is wrong, which is reported
   */
  add(kind: Kind, reference: unknown, path: string): Referred | undefined {
    const found = checkForm(this.#issues, reference, ACCEPTED[kind], path);
    if (!found) return undefined;
    const { form, text } = found;
    const wanted = this.#wanted.of(kind, form);
    const before = this.#known.of(kind, form).get(text) ?? wanted.get(text);
    if (before) return before;
    const added: Wanted = {
      id: undefined,
      kind,
      form,
      text,
      value: form === 'external_id' ? idOfExternalId(this.#transaction.project.id, kind, text) : text,
      path: form === 'external_id' ? '' : this.#issues.within + path,
      location: this.#issues.location,
    };
    wanted.set(text, added);
    return added;
  }

  /** Looks up all references and reports missing objects. Writes placeholders only without issues. */
  async resolve(): Promise<void> {
    const missing: Wanted[] = [];
    for (const kind of ['item', 'asset'] as const) {
      for (const form of ACCEPTED[kind]) {
        const wanted = [...this.#wanted.of(kind, form).values()];
        this.#wanted.of(kind, form).clear();
        for (let at = 0; at < wanted.length; at += BATCH) {
          missing.push(...(await this.#lookUp(kind, form, wanted.slice(at, at + BATCH))));
          if (isTurnLong()) await nextTurn();
        }
      }
    }
    for (const { kind, form, text, path, location } of missing) {
      if (form === 'external_id') continue;
      this.#issues.location = location;
      this.#issues.add(`There is no ${kind} with the ${form} '${shorten(text)}'.`, path);
    }
    if (this.#issues.any) {
      // The rest of the input is checked with the ids of placeholders that are not written.
      for (const one of missing) if (one.form === 'external_id') one.id = one.value;
      return;
    }
    for (const kind of ['item', 'asset'] as const) {
      const expected = missing.filter((one) => one.kind === kind);
      for (let at = 0; at < expected.length; at += WRITTEN) {
        await this.#insertPlaceholders(kind, expected.slice(at, at + WRITTEN));
        if (isTurnLong()) await nextTurn();
      }
    }
  }

  async #lookUp(kind: Kind, form: ReferenceForm, wanted: readonly Wanted[]): Promise<Wanted[]> {
    const values = wanted.map(({ value }) => value).filter((value) => form !== 'id' || isId(value));
    if (values.length === 0) return [...wanted];
    const { tx, project } = this.#transaction;
    const column = form === 'codename' ? 'codename' : 'id';
    const among = tx.among(column, values);
    const facts = kind === 'item' ? ', number, codename' : '';
    const rows = await tx.all<{ key: string; id: string; number?: number; codename?: string | null }>(
      `SELECT ${column} AS key, id${facts} FROM ${kind} WHERE project = ? AND ${among.text}`,
      [project.number, among.parameter],
    );
    const found = new Map(rows.map((row) => [row.key, row]));
    for (const { id, number, codename = null } of rows)
      if (number !== undefined) this.#transaction.knowItem(id, { number, codename });
    const known = this.#known.of(kind, form);
    const missing: Wanted[] = [];
    for (const one of wanted) {
      const row = found.get(one.value);
      if (row) {
        one.id = row.id;
        known.set(one.text, one);
      } else missing.push(one);
    }
    return missing;
  }

  async #insertPlaceholders(kind: Kind, expected: readonly Wanted[]): Promise<void> {
    const transaction = this.#transaction;
    const { tx, project, now } = transaction;
    const first = await tx.numbers(kind, expected.length);
    const known = this.#known.of(kind, 'external_id');
    const rows = expected.map((one, index) => {
      const { text, value } = one;
      one.id = value;
      known.set(text, one);
      if (kind === 'item') transaction.knowItem(value, { number: first + index, codename: null });
      return [first + index, project.number, value, text, now, now];
    });
    await tx.insert(kind, ['number', 'project', 'id', 'external_id', 'created', 'last_modified'], rows);
  }
}
