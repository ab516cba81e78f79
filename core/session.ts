/**
 * One transaction over one project: what every operation is given. Operations say what they touched;
 * when they are done, and before the commit, the session brings the compiled read side up to date in one
 * batch, so that a change and its visibility are one thing.
 */

import { LANGUAGES, projectTag, TYPES, typeTag } from './changes/tags.ts';
import { loadModel } from './content/load-model.ts';
import { CHANNELS, type Channel, type ProjectModel } from './content/model.ts';
import { STALE, type StaleKind } from './publishing/stale.ts';
import { usersTags } from './publishing/users-tags.ts';
import type { ChangeEntry, Transaction } from './storage/ports.ts';
import type { About } from './webhooks/plan/planned-events.ts';
import { writeEvents } from './webhooks/plan/write-events.ts';

export interface Kit {
  /** Random version-4 id. */
  newId(): string;
  /** Setting `publishing.allowInvalid`: content that breaks rules of its type can be published. */
  readonly allowInvalid?: boolean;
}

/** More are told as one for the whole project; a transaction that touches so many items is an import. */
const TAG_LIMIT = 4000;

export class Session {
  readonly tx: Transaction;
  /** Id of the user the change is recorded under; null = the installation itself. */
  readonly actor: string | null;
  readonly kit: Kit;
  #model: ProjectModel;
  #modelTouched = false;
  #marked = false;
  readonly #items = new Map<number, Channel | null>();
  readonly #entries: (Omit<ChangeEntry, 'project' | 'projectId' | 'actor'> & {
    readonly about?: About;
  })[] = [];
  readonly #tags = new Set<string>();
  /** What was marked stale, as `kind:number`. */
  readonly #marks = new Set<string>();
  /** The model as it was before the transaction. */
  readonly #before: ProjectModel;
  /** The project has webhooks, as read in this transaction. */
  readonly #isHeard: boolean;

  constructor(
    tx: Transaction,
    model: ProjectModel,
    actor: string | null,
    kit: Kit,
    { isHeard = true }: { readonly isHeard?: boolean } = {},
  ) {
    this.tx = tx;
    this.#model = model;
    this.#before = model;
    this.actor = actor;
    this.kit = kit;
    this.#isHeard = isHeard;
  }

  /** The project's model as of this point of the transaction. */
  get model(): ProjectModel {
    return this.#model;
  }

  get project(): ProjectModel['project'] {
    return this.#model.project;
  }

  /** ISO time with 7 fraction digits, one for the whole transaction. */
  get now(): string {
    return this.tx.now;
  }

  /** Something was marked stale. */
  get marked(): boolean {
    return this.#marked;
  }

  newId(): string {
    return this.kit.newId();
  }

  /**
   * The item's documents and index rows must be made anew: its content, name, state or place changed.
   * @param only where alone readers can tell: a draft that is saved leaves what is public as it is
   */
  touchItem(item: number, only: Channel | null = null): void {
    this.#items.set(item, this.#items.has(item) && this.#items.get(item) !== only ? null : only);
  }

  /** Where readers can tell that the item changed. */
  channelsOf(item: number): readonly Channel[] {
    const only = this.#items.get(item);
    return only ? [only] : CHANNELS;
  }

  /** To be called after rows of the model were written; the next operation sees the new model. */
  async modelChanged(): Promise<void> {
    this.#modelTouched = true;
    this.#model = await loadModel(this.tx, this.#model.project.id, this.tx.sequence);
  }

  /**
   * Compiled documents that were made from `target` are out of date from this sequence on. Readers get them
   * compiled on the way until the recompile job has been through. Answers that hold them are stale too.
   */
  async markStale(kind: StaleKind, target: number, channels: readonly Channel[] = CHANNELS): Promise<void> {
    this.#marked = true;
    this.#marks.add(`${kind}:${target}`);
    this.tag(...this.#tagsOf(kind, target), ...(await usersTags(this, kind, target, channels)));
    await this.tx.run(
      `INSERT INTO pending (project, kind, target, sequence) VALUES (?, ?, ?, ?)
       ON CONFLICT (project, kind, target) DO UPDATE SET sequence = excluded.sequence`,
      [this.project.number, STALE[kind], target, this.tx.sequence],
    );
  }

  /**
   * Appends to the change log. `object` is the changed thing's id. Items that are touched and documents that are
   * marked stale bring tags of their own.
   * @param about what is known of it beside, so that nobody has to read it to tell webhooks of it
   */
  change(type: string, operation: string, object: string, tags: readonly string[], about?: About): void {
    this.#entries.push({ type, operation, object, tags, ...(about && { about }) });
  }

  /** Answers with one of the tags hold no longer. They are told with the changes of this transaction. */
  tag(...tags: readonly string[]): void {
    for (const tag of tags) this.#tags.add(tag);
  }

  /** Called once, after the operations; `refresh` brings the read side of the touched items up to date. */
  async finish(refresh: (items: readonly number[]) => Promise<void>): Promise<void> {
    if (this.#items.size > 0) await refresh([...this.#items.keys()]);
    // Without a change there is no commit of this sequence: the next one has it, and readers tell states by it.
    if (this.#entries.length === 0) {
      if (this.#items.size > 0 || this.#modelTouched || this.#marked || this.#tags.size > 0)
        throw new Error('An operation changed what readers get and left no change in the log.');
      return;
    }
    if (this.#isHeard)
      await writeEvents(this, { entries: this.#entries, marks: this.#marks, before: this.#before });
    this.#log();
    this.tx.stamp(this.project.number);
    if (this.#modelTouched)
      await this.tx.run('UPDATE project SET model_sequence = ? WHERE number = ?', [
        this.tx.sequence,
        this.project.number,
      ]);
  }

  #log(): void {
    const { number, id } = this.project;
    const all = projectTag(id);
    const isEverything =
      this.#tags.size > TAG_LIMIT ||
      this.#tags.has(all) ||
      this.#entries.some(({ tags }) => tags.includes(all));
    const found = isEverything ? [all] : [...this.#tags];
    for (const [index, { about: _about, ...entry }] of this.#entries.entries()) {
      const tags = index === 0 ? [...new Set([...entry.tags, ...found])] : entry.tags;
      this.tx.change({ ...entry, tags, project: number, projectId: id, actor: this.actor });
    }
  }

  #tagsOf(kind: StaleKind, target: number): string[] {
    switch (kind) {
      case 'project':
        return [projectTag(this.project.id)];
      case 'language':
        return [LANGUAGES];
      case 'type': {
        const type = this.#model.typeByNumber.get(target);
        return type ? [TYPES, typeTag(type.codename)] : [];
      }
      default:
        return [];
    }
  }
}
