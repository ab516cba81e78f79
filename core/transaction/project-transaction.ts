import { loadModel } from '../model/load-model.ts';
import { CHANNELS, type Channel, type ProjectModel } from '../model/model.ts';
import type { ChangeEntry, Transaction } from '../storage/ports.ts';
import type { StaleExtent } from '../storage/stale.ts';
import type { ChangeDetail } from './change-detail.ts';
import type { ContentAccess } from './content-access.ts';

/** Options of every operation. */
export interface OperationOptions {
  /** Random version-4 id. */
  newId(): string;
  /** Setting `publishing.allowInvalid`: content that breaks rules of its type can be published. */
  readonly allowInvalid?: boolean;
}

/** An entry of an operation in the change log; the transaction adds project and actor. */
export type LoggedChange = Omit<ChangeEntry, 'project' | 'projectId' | 'actor'> & {
  readonly detail?: ChangeDetail;
};

/** Adds to a transaction before its commit. `compose` has the list, with the reason of its order. */
export interface CommitParticipant {
  readonly name: string;
  prepare(transaction: ProjectTransaction): Promise<void>;
}

export interface KnownItem {
  readonly number: number;
  /** Null: the item is only referred to so far. */
  readonly codename: string | null;
}

export interface TransactionFacts {
  readonly hasWebhooks?: boolean;
  readonly access?: ContentAccess | undefined;
  readonly isPerson?: boolean;
}

/**
 * One transaction over one project, the first parameter of every operation. Operations state what they touched. Before
 * the commit, the commit participants add compiled documents, events and the change log, so that a change and its
 * visibility are one commit.
 */
export class ProjectTransaction {
  readonly tx: Transaction;
  /** Id of the user who makes the change; null = the installation itself. */
  readonly actor: string | null;
  readonly options: OperationOptions;
  /** What the person who acts may do; undefined = everything. */
  readonly access: ContentAccess | undefined;
  /** A person who is signed in at the console acts. */
  readonly isPerson: boolean;
  /** The model as it was before the transaction. */
  readonly modelBefore: ProjectModel;
  /** The project has webhooks. */
  readonly hasWebhooks: boolean;
  #model: ProjectModel;
  #isModelChanged = false;
  readonly #items = new Map<number, Channel | null>();
  /** Touched items whose own row may have changed, not only which versions they show. */
  readonly #whole = new Set<number>();
  readonly #listed = new Set<number>();
  readonly #listedAssets = new Set<number>();
  readonly #changes: LoggedChange[] = [];
  readonly #tags = new Set<string>();
  readonly #staleMarks = new Map<string, StaleExtent>();
  readonly #knownItems = new Map<string, KnownItem>();

  constructor(
    tx: Transaction,
    model: ProjectModel,
    actor: string | null,
    options: OperationOptions,
    { hasWebhooks = true, access, isPerson = false }: TransactionFacts = {},
  ) {
    this.tx = tx;
    this.#model = model;
    this.modelBefore = model;
    this.actor = actor;
    this.options = options;
    this.hasWebhooks = hasWebhooks;
    this.access = access;
    this.isPerson = isPerson;
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

  /** Numbers of the items whose documents and index rows must be compiled. */
  get touchedItems(): readonly number[] {
    return [...this.#items.keys()];
  }

  get changes(): readonly LoggedChange[] {
    return this.#changes;
  }

  get tags(): ReadonlySet<string> {
    return this.#tags;
  }

  /** Objects whose change made documents stale, as `kind:number`. */
  get staleMarks(): ReadonlyMap<string, StaleExtent> {
    return this.#staleMarks;
  }

  newId(): string {
    return this.options.newId();
  }

  /**
   * Must be called when content, name, state or sitemap location of the item changed: its documents and index rows are
   * compiled.
   */
  touchItem(item: number): void {
    this.#knownItems.clear();
    this.#whole.add(item);
    this.#items.set(item, null);
  }

  /**
   * The same, where nothing of the item changed but versions of its variants: documents of versions that stay are kept.
   * @param only the one channel whose readers see the change: saving a draft does not change what is public
   */
  touchVersions(item: number, only: Channel): void {
    this.#items.set(item, this.#items.has(item) && this.#items.get(item) !== only ? null : only);
  }

  /** Nothing that is in the documents of a version changed: not the item, nor the model. */
  hasNewVersionsOnly(item: number): boolean {
    return this.#items.has(item) && !this.#whole.has(item) && !this.#isModelChanged;
  }

  /**
   * Items that the transaction has looked up or entered as expected, by id, until one may have another codename: saves
   * reading them again when what refers to them is compiled.
   */
  get knownItems(): ReadonlyMap<string, KnownItem> {
    return this.#knownItems;
  }

  knowItem(id: string, item: KnownItem): void {
    this.#knownItems.set(id, item);
  }

  get listedItems(): ReadonlySet<number> {
    return this.#listed;
  }

  /** Must be called when lists show a change of the item that no reader sees; `touchItem` includes it. */
  listItem(item: number): void {
    this.#listed.add(item);
  }

  get listedAssets(): ReadonlySet<number> {
    return this.#listedAssets;
  }

  /** Must be called when title, file, descriptions or state of the asset changed: lists show them. */
  listAsset(asset: number): void {
    this.#listedAssets.add(asset);
  }

  /** The channels whose readers see that the item changed. */
  channelsOf(item: number): readonly Channel[] {
    const only = this.#items.get(item);
    return only ? [only] : CHANNELS;
  }

  /** Must be called after rows of the model were written; the next operation sees the new model. */
  async modelChanged(): Promise<void> {
    this.#isModelChanged = true;
    this.#knownItems.clear();
    this.#model = await loadModel(this.tx, this.#model.project.id, this.tx.sequence);
  }

  /**
   * Adds an entry to the change log. `object` is the id of the changed object. Touched items and stale documents have
   * tags of their own.
   * @param detail further facts for commit participants, so that they need not read them
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

  /** Cached answers with one of the tags are out of date from this commit on. */
  tag(...tags: readonly string[]): void {
    for (const tag of tags) this.#tags.add(tag);
  }

  /** Only for `markStale` of the read model, which also writes it to the database. */
  recordStale(mark: string, extent: StaleExtent): void {
    this.#knownItems.clear();
    if (this.#staleMarks.get(mark) !== 'all') this.#staleMarks.set(mark, extent);
  }

  /** Called once, after the operations. */
  async finish(participants: readonly CommitParticipant[]): Promise<void> {
    for (const participant of participants) await participant.prepare(this);
  }
}
