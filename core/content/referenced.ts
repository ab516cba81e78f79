import { idOfExternalId, isId } from '../model/external-id.ts';
import type { Issues } from '../model/issues.ts';
import { checkForm, type ReferenceForm, shorten } from '../model/reference.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { isTurnLong, nextTurn } from '../turns/turn.ts';

type Kind = 'item' | 'asset';

/** References that one statement looks up; more would block the main thread for too long. */
const BATCH = 500;
/** Expected objects that one statement writes. */
const WRITTEN = 5000;

interface Wanted {
  readonly kind: Kind;
  readonly form: ReferenceForm;
  readonly text: string;
  /** Of the row: what the text is looked up by. The id made from an external id, which placeholders have too, saves an index. */
  readonly value: string;
  readonly path: string;
  readonly location: Issues['location'];
}

const ACCEPTED = {
  item: ['id', 'codename', 'external_id'],
  asset: ['id', 'external_id'],
} as const satisfies Record<Kind, readonly ReferenceForm[]>;

/** Ids that a transaction has looked up, for bulk writes. Rows are never deleted, so they stay valid. */
const known = new WeakMap<ProjectTransaction, Map<string, string>>();

/**
 * The items and assets that an input refers to: collected first, then looked up together, one statement per kind and
 * form of reference. An unknown external id gets a placeholder row with the id that its object will have.
 */
export class ReferencedContent {
  readonly #transaction: ProjectTransaction;
  readonly #issues: Issues;
  /** Ids by key. */
  readonly #known: Map<string, string>;
  readonly #wanted = new Map<string, Wanted>();
  /** Ids of placeholders that were not written because of issues. */
  readonly #refused = new Map<string, string>();

  constructor(transaction: ProjectTransaction, issues: Issues) {
    this.#transaction = transaction;
    this.#issues = issues;
    let own = known.get(transaction);
    if (!own) {
      own = new Map();
      known.set(transaction, own);
    }
    this.#known = own;
  }

  /**
   * Adds a reference.
   * @returns key for `get` after `resolve`; undefined when the form is wrong, which is reported
   */
  add(kind: Kind, reference: unknown, path: string): string | undefined {
    const found = checkForm(this.#issues, reference, ACCEPTED[kind], path);
    if (!found) return undefined;
    const { form, text } = found;
    const key = `${kind}:${form}:${text}`;
    if (!this.#known.has(key) && !this.#wanted.has(key))
      this.#wanted.set(key, {
        kind,
        form,
        text,
        value: form === 'external_id' ? idOfExternalId(this.#transaction.project.id, kind, text) : text,
        path: this.#issues.within + path,
        location: this.#issues.location,
      });
    return key;
  }

  /** The id that a reference leads to. */
  get(key: string): string | undefined {
    return this.#known.get(key) ?? this.#refused.get(key);
  }

  /** Looks up all references and reports missing objects. Writes placeholders only without issues. */
  async resolve(): Promise<void> {
    const missing: Wanted[] = [];
    for (const kind of ['item', 'asset'] as const) {
      for (const form of ACCEPTED[kind]) {
        const wanted = [...this.#wanted.values()].filter((one) => one.kind === kind && one.form === form);
        for (let at = 0; at < wanted.length; at += BATCH) {
          missing.push(...(await this.#lookUp(kind, form, wanted.slice(at, at + BATCH))));
          if (isTurnLong()) await nextTurn();
        }
      }
    }
    this.#wanted.clear();
    for (const { kind, form, text, path, location } of missing) {
      if (form === 'external_id') continue;
      this.#issues.location = location;
      this.#issues.add(`There is no ${kind} with the ${form} '${shorten(text)}'.`, path);
    }
    if (this.#issues.any) {
      for (const { kind, form, text, value } of missing)
        if (form === 'external_id') this.#refused.set(`${kind}:${form}:${text}`, value);
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
    const rows = await tx.all<{ key: string; id: string }>(
      `SELECT ${column} AS key, id FROM ${kind} WHERE project = ? AND ${among.text}`,
      [project.number, among.parameter],
    );
    const found = new Map(rows.map((row) => [row.key, row]));
    const missing: Wanted[] = [];
    for (const one of wanted) {
      const row = found.get(one.value);
      if (row) this.#known.set(`${kind}:${form}:${one.text}`, row.id);
      else missing.push(one);
    }
    return missing;
  }

  async #insertPlaceholders(kind: Kind, expected: readonly Wanted[]): Promise<void> {
    const transaction = this.#transaction;
    const { tx, project, now } = transaction;
    const first = await tx.numbers(kind, expected.length);
    const rows = expected.map(({ text, value }, index) => {
      this.#known.set(`${kind}:external_id:${text}`, value);
      if (kind === 'item') transaction.expectItem(value, first + index);
      return [first + index, project.number, value, text, now, now];
    });
    await tx.insert(kind, ['number', 'project', 'id', 'external_id', 'created', 'last_modified'], rows);
  }
}
