/** What is typed in the controls of a form, by names that they have again when the form is drawn another time. */

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Secrets; files, which no page can put into a control; controls that take no typing. */
const NEVER = new Set(['password', 'file', 'hidden', 'submit', 'button', 'reset', 'image']);
export const CHECKED = 'checked';

/** A value in words. */
export interface ValueText {
  readonly label: string;
  /** Undefined: that of a box is its label. */
  readonly text?: string | undefined;
}

/** What is typed, by names. */
export interface ValueSource {
  /** Before anything was typed; what it lacks was empty. Absent: a control has its first value then. */
  readonly initial?: ReadonlyMap<string, string>;
  read(): ReadonlyMap<string, string>;
  /** What a person sees of a value that was read last. */
  textOf(name: string): ValueText | undefined;
  /** As if a person had typed it. @returns whether it is there now: a control may follow later */
  write(name: string, value: string): boolean;
}

export function controlsOf(form: HTMLFormElement): ValueSource {
  let controls: ReadonlyMap<string, Control> = new Map();
  return {
    read() {
      controls = named(form);
      return new Map([...controls].map(([name, control]) => [name, valueIn(control)]));
    },
    textOf(name) {
      const control = controls.get(name);
      // A choice that another button of the group took away.
      if (!control || (control.type === 'radio' && valueIn(control) !== CHECKED)) return undefined;
      return { label: labelOf(control), text: isBox(control) ? undefined : shownIn(control) };
    },
    write(name, value) {
      const control = named(form).get(name);
      if (!control) return false;
      const before = valueIn(control);
      if (before === value) return true;
      if (isBox(control)) {
        // Another button of its group takes the choice away.
        if (control.type === 'radio' && value !== CHECKED) return true;
        control.checked = value === CHECKED;
      } else control.value = value;
      if (valueIn(control) !== value) {
        // A list that lacks the choice yet.
        if (!isBox(control)) control.value = before;
        return false;
      }
      show(control);
      for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
      return true;
    },
  };
}

/** Opens what the control is folded in. */
function show(control: Control): void {
  for (let around = control.closest('details'); around; around = around.parentElement!.closest('details'))
    around.open = true;
}

function named(form: HTMLFormElement): Map<string, Control> {
  const counts = new Map<string, number>();
  const found = new Map<string, Control>();
  for (const control of form.elements) {
    if (!isControl(control) || NEVER.has(control.type)) continue;
    const name = isBox(control) ? `${control.name}=${control.value}` : control.name;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    found.set(`${name} ${count}`, control);
  }
  return found;
}

const isControl = (element: Element): element is Control =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLSelectElement ||
  element instanceof HTMLTextAreaElement;

/** A box says what it is for only below the legend of its group. */
function labelOf(control: Control): string {
  const label = control.labels?.[0]?.textContent?.trim() ?? '';
  const legend = isBox(control) && control.closest('fieldset')?.querySelector('legend')?.textContent?.trim();
  return legend ? `${legend}: ${label}` : label;
}

const shownIn = (control: Control): string =>
  control instanceof HTMLSelectElement ? (control.selectedOptions[0]?.text ?? '') : control.value;

const isBox = (control: Control): control is HTMLInputElement =>
  control.type === 'checkbox' || control.type === 'radio';

const valueIn = (control: Control): string =>
  isBox(control) ? (control.checked ? CHECKED : '') : control.value;
