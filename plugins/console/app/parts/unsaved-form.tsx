import { type Signal, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { onPageUser, pageUser } from '../api.ts';
import { boundedCopies } from '../copies/bounded-copies.ts';
import { browserCopies } from '../copies/browser-copies.ts';
import { CopyOffer } from '../copies/copy-offer.ts';
import { LocalCopies } from '../copies/local-copies.ts';
import { messages } from '../messages/messages.ts';
import { type FormOfDialog, useInDialog } from './dialog.tsx';
import { CHECKED, controlsOf, type ValueSource, type ValueText } from './form-values.ts';
import { headingOf } from './heading.ts';
import { UnsavedOffer } from './unsaved-offer.tsx';

/** Time after which a value that no control takes is called missing, in milliseconds: some controls follow an answer of the server. */
const LONGEST_WAIT = 1000;
/** Of a typed text that is shown, in characters. */
const LONGEST_TEXT = 80;

/** One control: what it had before, and what was typed in it. */
interface UnsavedValue extends Partial<ValueText> {
  readonly name: string;
  readonly before: string;
  readonly value: string;
}

/** Keys of copies begin with the person and the kind of the form. */
const ownerIn = (key: string) => /^(\S+) form /.exec(key)?.[1];
const copiesOfForms = boundedCopies(browserCopies, ownerIn);

/** What is typed in a form and not saved, with a copy in the browser. */
export class UnsavedInput implements FormOfDialog {
  readonly offer: CopyOffer<UnsavedValue>;
  readonly hasCopy = signal(true);
  readonly #of: string;
  readonly #copies: LocalCopies<UnsavedValue>;
  readonly #later = new MutationObserver(() => {
    this.#follow();
    this.schedule();
  });
  /** What is typed, where the controls do not tell. */
  own: ValueSource | undefined;
  form: HTMLFormElement | undefined;
  #title = '';
  #source: ValueSource | undefined;
  #before = new Map<string, string>();
  /** Restored, but the controls are not there yet. */
  #waiting: readonly UnsavedValue[] = [];
  #isFilling = false;
  /** Restored a while ago, and no control takes it. */
  readonly unplaced: Signal<readonly UnsavedValue[]> = signal([]);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(of: string) {
    this.#of = of;
    this.#copies = new LocalCopies<UnsavedValue>(copiesOfForms, {
      of: this.#ofPerson(),
      changed: () => this.#typed(),
      titleOf: (typed) => ({
        title: this.#title,
        fields: typed.flatMap(({ label }) => label ?? []),
      }),
      onResult: (hasCopy) => (this.hasCopy.value = hasCopy),
      onClosed: () => void this.offer.look(),
    });
    this.offer = new CopyOffer(this.#copies, {
      isHere: (copied) => {
        const values = this.#source?.read();
        return copied.every(({ name, value }) => values?.get(name) === value);
      },
      isOutdated: (copied) =>
        copied.some(({ name, before }) => (this.#before.get(name) ?? before) !== before),
      linesOf,
      replaced: (copied) =>
        this.#typed().filter((typed) =>
          copied.some(({ name, value }) => name === typed.name && value !== typed.value),
        ),
      putIn: (copied) => {
        this.#waiting = copied;
        this.#follow();
      },
    });
  }

  /** The form was drawn, for the first time or for what others made of its object. */
  readonly attach = (form: HTMLFormElement | null): void => {
    this.#later.disconnect();
    // What was typed in one that is not drawn any more counts until there is another.
    if (!form) return;
    this.form = form;
    this.#title = headingOf(form);
    this.#source = this.own ?? controlsOf(form);
    this.#before = new Map(this.#source.initial);
    this.#follow();
    this.#later.observe(form, { childList: true, subtree: true });
    this.#copies.schedule();
  };

  readonly schedule = (): void => this.#copies.schedule();

  get isUnsaved(): boolean {
    const isFile = (one: Element) => one instanceof HTMLInputElement && (one.files?.length ?? 0) > 0;
    return this.#typed().length > 0 || [...(this.form?.elements ?? [])].some(isFile);
  }

  get isCopied(): boolean {
    return this.hasCopy.value && this.#typed().length > 0;
  }

  get isOffering(): boolean {
    return this.offer.offered.peek() !== undefined;
  }

  async discard(): Promise<void> {
    await Promise.all([this.clear(), this.isOffering && this.offer.discard()]);
  }

  /** What is in the form counts as not typed: it was saved, or given up. */
  readonly clear = async (): Promise<void> => {
    this.#before = new Map(this.#source?.read());
    this.#waiting = [];
    this.unplaced.value = [];
    await this.#copies.write();
  };

  open(): () => void {
    void this.offer.look();
    const write = () => void this.#copies.write();
    addEventListener('pagehide', write);
    const unfollow = onPageUser(() => void this.offer.moveTo(this.#ofPerson()));
    return () => {
      removeEventListener('pagehide', write);
      unfollow();
      void this.#copies.write().then(() => this.#copies.close());
    };
  }

  #ofPerson(): string {
    return `${pageUser.peek()} form ${this.#of}`;
  }

  #follow(): void {
    for (const [name, value] of this.#source?.read() ?? [])
      if (!this.#before.has(name) && !this.#source?.initial) this.#before.set(name, value);
    this.offer.update();
    void this.#fill();
  }

  /** One control after the other, because a form may draw itself anew at each change. */
  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    for (let before = -1; before !== this.#waiting.length; ) {
      before = this.#waiting.length;
      for (const typed of this.#waiting) {
        if (!this.#source?.write(typed.name, typed.value)) continue;
        this.#waiting = this.#waiting.filter((one) => one !== typed);
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    this.#isFilling = false;
    // What is called missing stays in the copy until the form is saved.
    clearTimeout(this.#timer);
    if (this.#waiting.length > 0)
      this.#timer = setTimeout(() => {
        // A choice that was taken away, and is gone, is as it was wanted.
        this.unplaced.value = this.#waiting.filter(({ value }) => value !== '');
      }, LONGEST_WAIT);
    else this.unplaced.value = [];
  }

  #typed(): readonly UnsavedValue[] {
    const typed = [...(this.#source?.read() ?? [])].flatMap(([name, value]) => {
      const before = this.#before.get(name) ?? (this.#source?.initial ? '' : value);
      return value === before ? [] : [{ name, before, value, ...this.#source?.textOf(name) }];
    });
    return [...typed, ...this.#waiting];
  }
}

/** `Name: “Kingfishers”`; a box says its label only. */
function lineOf({ before, value, label, text = value }: UnsavedValue): string | undefined {
  const { unsaved: texts } = messages();
  if (label === undefined) return undefined;
  if (value === CHECKED) return label;
  if (value === '') return before === CHECKED ? texts.unchecked(label) : texts.emptied(label);
  return texts.field(label, text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text);
}

const linesOf = (copied: readonly UnsavedValue[]) => copied.flatMap((one) => lineOf(one) ?? []);

/** @param of what the form is of: its kind, the project and the object */
export function useUnsaved(...of: readonly (string | undefined)[]): UnsavedInput {
  const unsaved = useMemo(() => new UnsavedInput(of.join(' ')), []);
  // Before anyone can type: the page may be left right after.
  useLayoutEffect(() => unsaved.open(), []);
  return unsaved;
}

interface UnsavedFormProps extends Omit<JSX.IntrinsicElements['form'], 'ref'> {
  /** Clear it once what was typed is saved; a form that is reset is cleared. */
  readonly unsaved: UnsavedInput;
  /** What is typed, where the controls do not tell. */
  readonly own?: ValueSource;
}

/** A form outside of the item editor: what is typed in it, secrets and files excepted, is offered again where it was not saved. */
export function UnsavedForm({ unsaved, own, children, ...form }: UnsavedFormProps) {
  const { unsaved: texts } = messages();
  unsaved.own = own;
  useInDialog(unsaved);
  const unplaced = linesOf(unsaved.unplaced.value);
  return (
    <form
      {...form}
      ref={unsaved.attach}
      onInput={unsaved.schedule}
      onChange={unsaved.schedule}
      // The controls have their first values after the event.
      onReset={() => queueMicrotask(() => void unsaved.clear())}
    >
      <UnsavedOffer offer={unsaved.offer} />
      {unplaced.length > 0 && (
        <div class="notice" role="status">
          <p>{texts.unplaced}</p>
          <ul>
            {unplaced.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
      {!unsaved.hasCopy.value && (
        <p class="hint" role="status">
          {texts.noCopy}
        </p>
      )}
      {children}
    </form>
  );
}
