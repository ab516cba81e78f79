/**
 * One transaction over one project: what every operation is given. Operations state what they touched; when they
 * are done, and before the commit, the commit participants add what belongs to the same transaction, so that a
 * change and its visibility are one commit.
 */

import { loadModel } from '../model/load-model.ts';
import { CHANNELS, type Channel, type ProjectModel } from '../model/model.ts';
import type { ChangeEntry, Transaction } from '../storage/ports.ts';
import type { ChangeDetail } from './change-detail.ts';

export interface OperationOptions {
  /** Random version-4 id. */
  newId(): string;
  /** Setting `publishing.allowInvalid`: content that breaks rules of its type can be published. */
  readonly allowInvalid?: boolean;
}

/** What an operation enters in the change log; the rest of the entry is the transaction's. */
export type LoggedChange = Omit<ChangeEntry, 'project' | 'projectId' | 'actor'> & {
  readonly detail?: ChangeDetail;
};

/** Adds to a transaction before its commit. The list of them, with the reason of their order, is in `compose`. */
export interface CommitParticipant {
  readonly name: string;
  prepare(transaction: ProjectTransaction): Promise<void>;
}

export class ProjectTransaction {
  readonly tx: Transaction;
  /** Id of the user the change is recorded under; null = the installation itself. */
  readonly actor: string | null;
  readonly options: OperationOptions;
  /** The model as it was before the transaction. */
  readonly modelBefore: ProjectModel;
  /** The project has webhooks, as read in this transaction. */
  readonly hasWebhooks: boolean;
  #model: ProjectModel;
  #isModelChanged = false;
  readonly #items = new Map<number, Channel | null>();
  readonly #changes: LoggedChange[] = [];
  readonly #tags = new Set<string>();
  readonly #staleMarks = new Set<string>();

  constructor(
    tx: Transaction,
    model: ProjectModel,
    actor: string | null,
    options: OperationOptions,
    { hasWebhooks = true }: { readonly hasWebhooks?: boolean } = {},
  ) {
    this.tx = tx;
    this.#model = model;
    this.modelBefore = model;
    this.actor = actor;
    this.options = options;
    this.hasWebhooks = hasWebhooks;
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

  get isModelChanged(): boolean {
    return this.#isModelChanged;
  }

  /** Numbers of the items whose documents and index rows must be made anew. */
  get touchedItems(): readonly number[] {
    return [...this.#items.keys()];
  }

  get changes(): readonly LoggedChange[] {
    return this.#changes;
  }

  get tags(): ReadonlySet<string> {
    return this.#tags;
  }

  /** What compiled documents are out of date for, as `kind:number`. */
  get staleMarks(): ReadonlySet<string> {
    return this.#staleMarks;
  }

  newId(): string {
    return this.options.newId();
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
    this.#isModelChanged = true;
    this.#model = await loadModel(this.tx, this.#model.project.id, this.tx.sequence);
  }

  /**
   * Enters a change in the change log. `object` is the changed thing's id. Items that are touched and documents that
   * are marked stale bring tags of their own.
   * @param detail what the operation knows beyond the entry, so that no participant has to read it again
   */
  change(
    type: string,
    operation: string,
    object: string,
    tags: readonly string[],
    detail?: ChangeDetail,
  ): void {
    this.#changes.push({ type, operation, object, tags, ...(detail && { detail }) });
  }

  /** Answers with one of the tags no longer hold from this commit on. */
  tag(...tags: readonly string[]): void {
    for (const tag of tags) this.#tags.add(tag);
  }

  /** Notes that documents made from something are stale; `markStale` of the read model writes it as well. */
  noteStale(mark: string): void {
    this.#staleMarks.add(mark);
  }

  /** Called once, after the operations. */
  async finish(participants: readonly CommitParticipant[]): Promise<void> {
    for (const participant of participants) await participant.prepare(this);
  }
}
