/**
 * One transaction over one project: what every operation is given. Operations say what they touched;
 * when they are done, and before the commit, the session brings the compiled read side up to date in one
 * batch, so that a change and its visibility are one thing.
 */

import { loadModel } from './content/load-model.ts';
import type { ProjectModel } from './content/model.ts';
import { STALE, type StaleKind } from './publishing/stale.ts';
import type { Transaction } from './storage/ports.ts';

export interface Kit {
  /** Random version-4 id. */
  newId(): string;
}

export class Session {
  readonly tx: Transaction;
  /** Id of the user the change is recorded under; null = the installation itself. */
  readonly actor: string | null;
  readonly kit: Kit;
  #model: ProjectModel;
  #modelTouched = false;
  #changed = false;
  #marked = false;
  readonly #items = new Set<number>();

  constructor(tx: Transaction, model: ProjectModel, actor: string | null, kit: Kit) {
    this.tx = tx;
    this.#model = model;
    this.actor = actor;
    this.kit = kit;
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

  /** The item's documents and index rows must be made anew: its content, name, state or place changed. */
  touchItem(item: number): void {
    this.#items.add(item);
  }

  /** To be called after rows of the model were written; the next operation sees the new model. */
  async modelChanged(): Promise<void> {
    this.#modelTouched = true;
    this.#model = await loadModel(this.tx, this.#model.project.id, this.tx.sequence);
  }

  /**
   * Compiled documents that were made from `target` are out of date from this sequence on. Readers get them
   * compiled on the way until the recompile job has been through.
   */
  async markStale(kind: StaleKind, target: number): Promise<void> {
    this.#marked = true;
    await this.tx.run(
      `INSERT INTO pending (project, kind, target, sequence) VALUES (?, ?, ?, ?)
       ON CONFLICT (project, kind, target) DO UPDATE SET sequence = excluded.sequence`,
      [this.project.number, STALE[kind], target, this.tx.sequence],
    );
  }

  /** Appends to the change log. `object` is the changed thing's id. */
  change(type: string, operation: string, object: string, tags: readonly string[]): void {
    this.#changed = true;
    this.tx.change({
      project: this.project.number,
      projectId: this.project.id,
      type,
      operation,
      object,
      tags,
      actor: this.actor,
    });
  }

  /** Called once, after the operations; `refresh` brings the read side of the touched items up to date. */
  async finish(refresh: (items: readonly number[]) => Promise<void>): Promise<void> {
    if (this.#items.size > 0) await refresh([...this.#items]);
    // Without a change there is no commit of this sequence: the next one has it, and readers tell states by it.
    if (!this.#changed) {
      if (this.#items.size > 0 || this.#modelTouched || this.#marked)
        throw new Error('An operation changed what readers get and left no change in the log.');
      return;
    }
    this.tx.stamp(this.project.number);
    if (this.#modelTouched)
      await this.tx.run('UPDATE project SET model_sequence = ? WHERE number = ?', [
        this.tx.sequence,
        this.project.number,
      ]);
  }
}
