import { MAKE_EDITOR } from '../../rich-text/make-editor.ts';
import type { ComponentForm, ElementForm } from './element-form.ts';

/** An element of a form, with the rich texts and components around it from the outside in. */
export interface ElementPath {
  /** The last one is the element. */
  readonly elements: readonly ElementForm[];
  /** One less than the elements. */
  readonly components: readonly ComponentForm[];
}

/** Frames in which a component or a group that was opened has to be drawn. */
const LONGEST = 120;

/** Opens the group and the components that an element is in, and focuses its first input. */
export async function showElement({ elements, components }: ElementPath): Promise<void> {
  let around: Element | null = null;
  for (const [index, { definition }] of elements.entries()) {
    const field: HTMLElement | undefined = await drawn(() => fieldIn(around, definition.codename));
    if (!field) return;
    openGroup(field);
    const component = components[index];
    if (!component) return focus(field);
    // A text that is shown as markup draws no components.
    if (field.querySelector('textarea.markup') && !field.querySelector('[role=textbox]')) return focus(field);
    component.isOpen.value = true;
    field.querySelector('[role=textbox]')?.dispatchEvent(new Event(MAKE_EDITOR));
    around =
      (await drawn(() => field.querySelector(`[data-component="${CSS.escape(component.id)}"]`))) ?? null;
    if (!around) return;
  }
}

/** @param component null: the item itself */
function fieldIn(component: Element | null, codename: string): HTMLElement | undefined {
  const found = (component ?? document).querySelectorAll<HTMLElement>(
    `[data-element="${CSS.escape(codename)}"]`,
  );
  return [...found].find((field) => field.closest('[data-component]') === component);
}

function openGroup(field: Element): void {
  const panel = field.closest<HTMLElement>('[role=tabpanel]');
  if (panel?.hidden)
    document.querySelector<HTMLElement>(`[aria-controls="${CSS.escape(panel.id)}"]`)?.click();
}

async function focus(field: Element): Promise<void> {
  // A group that was opened is shown with the next drawing.
  await nextFrame();
  field.scrollIntoView({ block: 'center' });
  field
    .querySelector<HTMLElement>('.failure button, input, textarea, select, [role=textbox], button')
    ?.focus();
}

async function drawn<T>(find: () => T | null | undefined): Promise<T | undefined> {
  for (let frame = 0; frame < LONGEST; frame += 1) {
    const found = find();
    if (found) return found;
    await nextFrame();
  }
  return undefined;
}

const nextFrame = () => new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
