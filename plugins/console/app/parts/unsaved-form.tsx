import { type Signal, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { pageUser } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { boundedCopies } from './bounded-copies.ts';
import { browserCopies } from './browser-copies.ts';
import { UnsavedOffer } from './unsaved-offer.tsx';
import { LocalCopies } from './local-copies.ts';
import { controlsOf, type ValueSource } from './form-values.ts';

/** One control: what it had before, and what was typed in it. */
interface UnsavedValue {
  readonly name: string;
  readonly before: string;
  readonly value: string;
}

/** What is typed in a form and not saved, with a copy in the browser. */
export class UnsavedInput {
  /** What a form that was closed or ended with its page had, and this one has not. */
  readonly found: Signal<{ readonly isOutdated: boolean } | undefined> = signal(undefined);
  readonly hasCopy = signal(true);
  readonly #copies: LocalCopies<UnsavedValue>;
  readonly #later = new MutationObserver(() => {
    this.#follow();
    this.schedule();
  });
  /** What is typed, where the controls do not tell. */
  own: ValueSource | undefined;
  form: HTMLFormElement | undefined;
  #source: ValueSource | undefined;
  #before = new Map<string, string>();
  #found: readonly UnsavedValue[] = [];
  /** Restored, but the controls are not there yet. */
  #waiting: readonly UnsavedValue[] = [];
  #isFilling = false;

  constructor(of: string) {
    const person = `typed ${pageUser()} `;
    this.#copies = new LocalCopies<UnsavedValue>(
      person + of,
      () => this.#typed(),
      (hasCopy) => (this.hasCopy.value = hasCopy),
      boundedCopies(browserCopies, person),
      () => void this.#look(),
    );
  }

  /** The form was drawn, for the first time or for what others made of its object. */
  readonly attach = (form: HTMLFormElement | null): void => {
    this.#later.disconnect();
    // What was typed in one that is not drawn any more counts until there is another.
    if (!form) return;
    this.form = form;
    this.#source = this.own ?? controlsOf(form);
    this.#before = new Map();
    this.#follow();
    this.#later.observe(form, { childList: true, subtree: true });
    this.#copies.schedule();
  };

  readonly schedule = (): void => this.#copies.schedule();

  /** What is in the form counts as not typed: it was saved, or given up. */
  readonly clear = async (): Promise<void> => {
    this.#before = new Map(this.#source?.read());
    this.#waiting = [];
    await this.#copies.write();
  };

  /** What it puts other values in place of is offered next. */
  readonly restore = async (): Promise<void> => {
    if (this.found.peek() === undefined) return;
    const found = this.#found;
    const isReplaced = (typed: UnsavedValue) =>
      found.some(({ name, value }) => name === typed.name && value !== typed.value);
    if (!(await this.#copies.writeOther(this.#typed().filter(isReplaced)))) return;
    this.#waiting = found;
    this.found.value = undefined;
    this.#follow();
    // Until this form has a copy, there is no other one.
    if (await this.#copies.write()) await this.drop();
  };

  readonly drop = async (): Promise<void> => {
    this.found.value = undefined;
    await this.#copies.dropFound();
    await this.#look();
  };

  open(): () => void {
    void this.#look();
    const write = () => void this.#copies.write();
    addEventListener('pagehide', write);
    return () => {
      removeEventListener('pagehide', write);
      void this.#copies.write().then(() => this.#copies.close());
    };
  }

  #follow(): void {
    for (const [name, value] of this.#source?.read() ?? [])
      if (!this.#before.has(name)) this.#before.set(name, value);
    if (this.found.peek()) this.#offer();
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
  }

  #offer(): void {
    const isOutdated = ({ name, before }: UnsavedValue) => (this.#before.get(name) ?? before) !== before;
    this.found.value = { isOutdated: this.#found.some(isOutdated) };
  }

  #typed(): readonly UnsavedValue[] {
    const typed = [...(this.#source?.read() ?? [])].flatMap(([name, value]) => {
      const before = this.#before.get(name) ?? value;
      return value === before ? [] : [{ name, before, value }];
    });
    return [...typed, ...this.#waiting];
  }

  async #look(): Promise<void> {
    const copy = this.found.peek() === undefined ? await this.#copies.found() : undefined;
    if (!copy) return;
    this.#found = copy.elements;
    this.#offer();
  }
}

/** @param of what the form is of: its kind, the project and the object */
export function useUnsaved(...of: readonly (string | undefined)[]): UnsavedInput {
  const unsaved = useMemo(() => new UnsavedInput(of.join(' ')), []);
  useEffect(() => unsaved.open(), []);
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
  return (
    <form
      {...form}
      ref={unsaved.attach}
      onInput={unsaved.schedule}
      onChange={unsaved.schedule}
      // The controls have their first values after the event.
      onReset={() => queueMicrotask(() => void unsaved.clear())}
    >
      <UnsavedOffer found={unsaved.found} restore={unsaved.restore} drop={unsaved.drop} />
      {!unsaved.hasCopy.value && (
        <p class="hint" role="status">
          {texts.noCopy}
        </p>
      )}
      {children}
    </form>
  );
}
