import { type Signal, signal } from '@preact/signals';
import { ElementForm } from './element-form.ts';
import { type ContentModel, elementsOf, type FormGroup, formGroups } from './form-groups.ts';
import type { ContentType, ManagedElement, ManagedVariant } from './managed.ts';
import { ChangedElsewhere, findingsOf, type Obstacle, Obstructed, Refused } from './saving.ts';

/** A variant as the server has it. */
export interface ServedVariant {
  /** Null: the item has none in this language. */
  readonly variant: ManagedVariant | null;
  readonly etag: string | undefined;
}

/** A value that the server does not have yet, and the one that it had. */
export interface UnsavedElement {
  readonly mine: ManagedElement;
  readonly base: ManagedElement;
  readonly name: string;
}

export interface VariantServer {
  /** @throws Obstructed */
  read(): Promise<ServedVariant>;
  /**
   * Writes some elements.
   * @param etag of the version that they were made from; undefined: there is none
   * @param isLeaving the page may be closed before the answer
   * @throws ChangedElsewhere, Obstructed, Refused
   */
  write(
    elements: readonly ManagedElement[],
    etag: string | undefined,
    isLeaving: boolean,
  ): Promise<ServedVariant>;
  /** Whether the server may have written although the call failed with this. */
  isLost(error: unknown): boolean;
}

interface SaveOptions {
  /** Also what the server refused before. */
  readonly isAsked?: boolean;
  readonly isLeaving?: boolean;
}

/** Pause after which a change can be undone by itself, in milliseconds. */
const PAUSE = 1000;
/** Changes that can be undone. */
const UNDOABLE = 100;

/** The form of one variant: what the server has, and what was changed here. */
export class ItemForm {
  readonly groups: readonly FormGroup[];
  readonly elements: ReadonlyMap<string, ElementForm>;
  /** Elements that the server does not have as they are here. */
  readonly changed: Signal<ReadonlySet<ElementForm>> = signal(new Set());
  readonly saving = signal(false);
  readonly error: Signal<unknown> = signal(undefined);
  /** Set once something that another person saved was taken over. */
  readonly isMerged = signal(false);
  readonly exists: Signal<boolean>;
  /** Nothing is saved until it is gone. */
  readonly obstacle: Signal<Obstacle | undefined> = signal(undefined);
  /** Set once the type is not the one that the form was made from: names of elements that it has by now. */
  readonly laterType: Signal<{ readonly added: readonly string[] } | undefined> = signal(undefined);
  /** Elements that were put in from an earlier visit, and that the type no longer has. */
  readonly unplaced: Signal<readonly UnsavedElement[]> = signal([]);
  /** Values before changes, the last one first. */
  readonly undoable: Signal<readonly { readonly element: ElementForm; readonly before: string }[]> = signal(
    [],
  );
  readonly #texts = new Map<ElementForm, string>();
  #changedAt = 0;
  /** What is put in now is not a change of the person. */
  #isPutIn = false;
  /** Called after each change. */
  onChange: () => void = () => undefined;
  readonly #server: VariantServer;
  /** Of the version that the form knows. */
  lastModified: string | undefined;
  #etag: string | undefined;
  /** The variant was archived or deleted since it was read, so the server has none of its values. */
  #isGone = false;
  #writes = 0;
  #saving: Promise<void> | undefined;
  #reloading: Promise<void> = Promise.resolve();

  constructor(
    model: ContentModel,
    type: ContentType,
    { variant, etag }: ServedVariant,
    server: VariantServer,
  ) {
    this.#server = server;
    this.#etag = etag;
    this.lastModified = variant?.last_modified;
    this.exists = signal(variant !== null);
    this.groups = formGroups(model, type);
    const values = new Map(variant?.elements.map((one) => [one.element.id, one]));
    this.elements = new Map(
      elementsOf(model, type).map((definition) => [
        definition.id,
        new ElementForm(model, definition, values.get(definition.id), (element) => this.#changed(element)),
      ]),
    );
    for (const element of this.elements.values()) this.#texts.set(element, JSON.stringify(element.json()));
  }

  /** Whether a choice between two versions of an element is open: nothing is published until it is made. */
  get hasConflict(): boolean {
    return [...this.elements.values()].some(({ theirs }) => theirs.value !== undefined);
  }

  /** Elements that the server refused as they are. */
  get refused(): readonly ElementForm[] {
    return [...this.changed.value].filter(({ refused }) => refused.value.length > 0);
  }

  /**
   * Sends what was changed, one request at a time. An element that is changed while the request is away stays changed.
   * @returns whether the server has everything
   */
  async save({ isAsked = false, isLeaving = false }: SaveOptions = {}): Promise<boolean> {
    while (this.#saving) await this.#saving;
    if (this.obstacle.value !== undefined) return false;
    if (isAsked) for (const element of this.changed.value) element.refused.value = [];
    this.saving.value = true;
    this.error.value = undefined;
    this.#saving = this.#send(isLeaving)
      .catch((error: unknown) => {
        if (error instanceof Obstructed) this.obstacle.value = error.obstacle;
        else this.error.value = error;
      })
      .finally(() => {
        this.#saving = undefined;
        this.saving.value = false;
      });
    await this.#saving;
    return (
      this.error.value === undefined && this.obstacle.value === undefined && this.changed.value.size === 0
    );
  }

  /** Saves a variant that was archived or deleted as a new draft, with everything that is here. */
  async saveAgain(): Promise<boolean> {
    this.obstacle.value = undefined;
    return this.save({ isAsked: true });
  }

  /** Puts back what the server had. */
  discard(): void {
    for (const element of this.changed.value) {
      if (element.theirs.value !== undefined) element.choose(false);
      else element.restore(element.saved);
    }
  }

  /** Reads the variant again, and takes over what others changed. */
  reload(): Promise<void> {
    // One after the other: an earlier answer would undo what a later one has brought.
    const reload = this.#reloading.then(() => this.#readAgain());
    this.#reloading = reload.catch(() => undefined);
    return reload;
  }

  async #readAgain(): Promise<void> {
    try {
      let served: ServedVariant;
      let writes: number;
      do {
        while (this.#saving) await this.#saving;
        writes = this.#writes;
        served = await this.#server.read();
        // What was read while a write was on its way may be older than the form.
      } while (this.#saving || writes !== this.#writes);
      this.obstacle.value = undefined;
      this.#merge(served);
    } catch (error) {
      if (!(error instanceof Obstructed)) throw error;
      this.obstacle.value = error.obstacle;
    }
  }

  /** Follows a change of the type: what it no longer has is kept here only. */
  followType(model: ContentModel, type: ContentType): void {
    const names = new Map(elementsOf(model, type).map(({ id, name }) => [id, name]));
    let isFree = false;
    for (const [id, element] of this.elements) {
      isFree ||= element.isRemoved.peek() && names.has(id);
      element.isRemoved.value = !names.has(id);
      names.delete(id);
    }
    const isSame = JSON.stringify(formGroups(model, type)) === JSON.stringify(this.groups);
    this.laterType.value = isSame ? undefined : { added: [...names.values()] };
    // What the type has again can be saved.
    if (isFree) this.onChange();
  }

  /** Another form of the variant, made from the type as it is now, with what was changed in this one. */
  async renewed(model: ContentModel, type: ContentType): Promise<ItemForm> {
    const form = new ItemForm(model, type, await this.#server.read(), this.#server);
    form.restore(this.unsaved());
    form.undoable.value = this.undoable.value.flatMap(({ element: { definition }, before }) => {
      const element = form.elements.get(definition.id);
      return element?.definition.type === definition.type ? [{ element, before }] : [];
    });
    return form;
  }

  /** What the server does not have yet. */
  unsaved(): UnsavedElement[] {
    const changed = [...this.changed.value].map((element) => ({
      mine: element.json(),
      base: element.saved,
      name: element.definition.name,
    }));
    return [...changed, ...this.unplaced.value];
  }

  /** What of a copy neither the server nor this form has. */
  lacking(copied: readonly UnsavedElement[]): readonly UnsavedElement[] {
    return copied.filter(({ mine }) => {
      const element = this.elements.get(mine.element.id);
      const text = JSON.stringify(element ? element.normal(mine) : mine);
      if (element) return text !== JSON.stringify(element.json());
      return !this.unplaced.peek().some((one) => JSON.stringify(one.mine) === text);
    });
  }

  /** Puts in what an earlier visit has left. Where the server has changed since, the person chooses. */
  restore(copied: readonly UnsavedElement[]): void {
    for (const one of copied) {
      const { mine, base } = one;
      const element = this.elements.get(mine.element.id);
      if (!element) {
        this.unplaced.value = [...this.unplaced.value, one];
        continue;
      }
      const { saved } = element;
      element.restore(mine);
      if (element.isChanged() && JSON.stringify(saved) !== JSON.stringify(base)) element.theirs.value = saved;
    }
  }

  async #send(isLeaving: boolean): Promise<void> {
    const elements = this.#isGone ? this.elements.values() : this.changed.value;
    const sent = [...elements]
      .filter(
        ({ theirs, refused, isRemoved }) =>
          theirs.value === undefined && refused.value.length === 0 && !isRemoved.value,
      )
      .map((element) => ({ element, value: element.json() }));
    if (sent.length === 0 && this.exists.value) return;
    let served: ServedVariant;
    const values = sent.map(({ value }) => value);
    this.#writes += 1;
    for (const { element, value } of sent) element.markSent(value);
    try {
      served = await this.#server.write(values, this.#etag, isLeaving);
    } catch (error) {
      const isLost = this.#server.isLost(error);
      for (const { element, value } of sent)
        if (isLost) this.#changed(element);
        else element.markRefused(value);
      if (error instanceof ChangedElsewhere) this.#merge(await this.#server.read());
      else if (!(error instanceof Refused) || !this.#markFindings(error, values)) throw error;
      if (this.obstacle.value !== undefined) return;
      // The rest is sent without what was refused.
      return this.#send(isLeaving);
    }
    this.#etag = served.etag;
    this.lastModified = served.variant?.last_modified;
    this.exists.value = true;
    this.#isGone = false;
    const answered = new Map(served.variant?.elements.map((one) => [one.element.id, one]));
    for (const { element, value } of sent) {
      const answer = answered.get(value.element.id);
      answered.delete(value.element.id);
      element.markSaved(value, answer && element.normal(answer));
    }
    // A slug follows its text on the server.
    for (const value of answered.values()) this.#follow(value, value.mode === 'autogenerated');
  }

  /** @returns whether every finding is about an element, which is not sent again as it is */
  #markFindings(error: Refused, sent: readonly ManagedElement[]): boolean {
    const findings = findingsOf(error, sent);
    for (const { element: id, isUnknown, message } of findings ?? []) {
      const element = this.elements.get(id);
      if (!element) continue;
      if (isUnknown) element.isRemoved.value = true;
      else element.refused.value = [...element.refused.value, message];
    }
    return findings !== undefined;
  }

  /** Takes over what only the server changed; where both did, the person chooses. */
  #merge({ variant, etag }: ServedVariant): void {
    if (this.exists.value && variant === null) {
      this.#isGone = true;
      this.obstacle.value = 'variant';
    }
    this.exists.value = variant !== null;
    if (variant) this.#isGone = false;
    for (const value of variant?.elements ?? []) if (this.#follow(value, false)) this.isMerged.value = true;
    // Only now: where an element cannot be taken over, the next save must be refused again.
    this.#etag = etag;
    this.lastModified = variant?.last_modified;
  }

  #follow(value: ManagedElement, isOwn: boolean): boolean {
    const element = this.elements.get(value.element.id);
    return element?.follow(value, isOwn, (theirs) => this.#putIn(element, theirs)) ?? false;
  }

  /** Puts back the element that was changed last. */
  undo(): void {
    const [last, ...earlier] = this.undoable.value;
    if (!last) return;
    this.#putIn(last.element, JSON.parse(last.before) as ManagedElement);
    this.undoable.value = earlier;
  }

  #putIn(element: ElementForm, value: ManagedElement): void {
    this.#isPutIn = true;
    try {
      element.restore(value);
    } finally {
      this.#isPutIn = false;
    }
  }

  #changed(element: ElementForm): void {
    const text = JSON.stringify(element.json());
    this.#remember(element, text);
    const isChanged = element.isChanged(text);
    if (isChanged !== this.changed.value.has(element)) {
      const next = new Set(this.changed.value);
      if (isChanged) next.add(element);
      else next.delete(element);
      this.changed.value = next;
    }
    this.onChange();
  }

  /** What is typed into one element without a pause is undone at once. */
  #remember(element: ElementForm, text: string): void {
    const before = this.#texts.get(element);
    this.#texts.set(element, text);
    if (before === undefined || before === text || this.#isPutIn) return;
    const now = performance.now();
    const [last] = this.undoable.value;
    const isOngoing = last?.element === element && now - this.#changedAt < PAUSE;
    this.#changedAt = now;
    if (!isOngoing)
      this.undoable.value = [{ element, before }, ...this.undoable.value.slice(0, UNDOABLE - 1)];
  }
}
