import { type Signal, signal } from '@preact/signals';
import { ElementForm } from './element-form.ts';
import { type ContentModel, elementsOf, type FormGroup, formGroups } from './form-groups.ts';
import type { ContentType, ManagedElement, ManagedVariant } from './managed.ts';

/** A variant as the server has it. */
export interface ServedVariant {
  /** Null: the item has none in this language. */
  readonly variant: ManagedVariant | null;
  readonly etag: string | undefined;
}

/** A value that the server does not have yet, and the one that it had. */
export interface KeptElement {
  readonly mine: ManagedElement;
  readonly base: ManagedElement;
}

export interface VariantServer {
  read(): Promise<ServedVariant>;
  /**
   * Writes some elements.
   * @param etag of the version that they were made from
   * @throws ChangedElsewhere
   */
  write(elements: readonly ManagedElement[], etag: string | undefined): Promise<ServedVariant>;
}

/** Pause after which a change can be undone by itself, in milliseconds. */
const PAUSE = 1000;
/** Changes that can be undone. */
const UNDOABLE = 100;

/** The server has another version than the one the form was made from. */
export class ChangedElsewhere extends Error {}

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

  /** Sends what was changed. An element that is changed while the request is away stays changed. */
  async save(): Promise<boolean> {
    if (this.saving.value) return false;
    this.saving.value = true;
    this.error.value = undefined;
    try {
      await this.#send();
    } catch (error) {
      this.error.value = error;
    } finally {
      this.saving.value = false;
    }
    return this.error.value === undefined && this.changed.value.size === 0;
  }

  /** Puts back what the server had. */
  discard(): void {
    for (const element of this.changed.value) {
      if (element.theirs.value !== undefined) element.choose(false);
      else element.restore(element.saved);
    }
  }

  /** Reads the variant again, and takes over what others changed. */
  async reload(): Promise<void> {
    const writes = this.#writes;
    const served = await this.#server.read();
    // What was read while a write was on its way may be older than the form.
    if (writes === this.#writes && !this.saving.value) this.#merge(served);
  }

  /** What the server does not have yet. */
  kept(): KeptElement[] {
    return [...this.changed.value].map((element) => ({ mine: element.json(), base: element.saved }));
  }

  /** Puts in what was kept from an earlier visit. Where the server has changed since, the person chooses. */
  restore(kept: readonly KeptElement[]): void {
    for (const { mine, base } of kept) {
      const element = this.elements.get(mine.element.id);
      if (!element) continue;
      const { saved } = element;
      element.restore(mine);
      if (element.isChanged() && JSON.stringify(saved) !== JSON.stringify(base)) element.theirs.value = saved;
    }
  }

  async #send(): Promise<void> {
    const elements = this.#isGone ? this.elements.values() : this.changed.value;
    const sent = [...elements]
      .filter(({ theirs }) => theirs.value === undefined)
      .map((element) => ({ element, value: element.json() }));
    if (sent.length === 0 && this.exists.value) return;
    let served: ServedVariant;
    this.#writes += 1;
    try {
      served = await this.#server.write(
        sent.map(({ value }) => value),
        this.#etag,
      );
    } catch (error) {
      if (!(error instanceof ChangedElsewhere)) throw error;
      this.#merge(await this.#server.read());
      return this.#send();
    }
    this.#etag = served.etag;
    this.lastModified = served.variant?.last_modified;
    this.exists.value = true;
    this.#isGone = false;
    for (const { element, value } of sent) element.markSaved(value);
    // A slug follows its text on the server.
    for (const value of served.variant?.elements ?? [])
      if (value.mode === 'autogenerated') this.#takeOver(value);
  }

  /** Takes over what only the server changed; where both did, the person chooses. */
  #merge({ variant, etag }: ServedVariant): void {
    if (this.exists.value && variant === null) this.#isGone = true;
    this.exists.value = variant !== null;
    for (const value of variant?.elements ?? []) if (this.#takeOver(value)) this.isMerged.value = true;
    // Only now: where an element cannot be taken over, the next save must be refused again.
    this.#etag = etag;
    this.lastModified = variant?.last_modified;
  }

  /** Whether the server's value is another one than the form knew. */
  #takeOver(value: ManagedElement): boolean {
    const element = this.elements.get(value.element.id);
    if (!element) return false;
    const theirs = element.normal(value);
    const text = JSON.stringify(theirs);
    if (!element.isChanged(text)) return false;
    if (text === JSON.stringify(element.json())) element.markSaved(theirs);
    else if (!element.isChanged()) {
      this.#putIn(element, theirs);
      element.markSaved(theirs);
    } else element.theirs.value = theirs;
    return true;
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
