/**
 * Gives back the focus that the browser takes from an element that is removed, moved or disabled for a while: to the element
 * itself once it is there again, else to the row beside what was removed, or of the list before a button that was, else to
 * what contained it (WCAG 2.4.3). The row and not its first button, which a key that is held down would press. Loaded once
 * the page is drawn, and in force then.
 */

/** What a person moves through as one. */
const ROW = 'tr, li, fieldset, form, dialog, main';

/** At first nothing has it, which browsers call the body. */
let focused = document.activeElement === document.body ? null : document.activeElement;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof Element) focused = target;
});
// A press elsewhere ends the focus on purpose.
document.addEventListener(
  'pointerdown',
  ({ target }) => {
    if (!(target instanceof Node && focused?.contains(target))) focused = null;
  },
  { capture: true },
);
new MutationObserver((records) => {
  if (!focused || document.activeElement !== document.body) return;
  give(focused.isConnected ? focused : placeOf(focused, records));
}).observe(document.body, { attributeFilter: ['disabled'], childList: true, subtree: true });

/** @returns what is left beside or around an element that was removed */
function placeOf(removed: Element, records: readonly MutationRecord[]): Element | null {
  const record = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(removed)));
  const beside = [record?.nextSibling, record?.previousSibling].find(
    (node) => node instanceof Element && node.isConnected && node.matches(ROW),
  );
  const before = [...(record?.removedNodes ?? [])].includes(removed) ? record?.previousSibling : null;
  const place = (beside ?? rowOf(before, records) ?? record?.target) as Element | undefined;
  return place?.isConnected ? place.closest(ROW) : document.getElementById('content');
}

/** Of a list whose button is gone: the first row that came with its last page, else the last row. */
function rowOf(list: Node | null | undefined, records: readonly MutationRecord[]): Element | undefined {
  if (!(list instanceof Element)) return undefined;
  const rows = [...list.querySelectorAll(ROW)].filter((row) => row.checkVisibility());
  const added = new Set(records.flatMap(({ addedNodes }) => [...addedNodes]));
  return rows.find((row) => added.has(row)) ?? rows.at(-1);
}

function give(element: Element | null): void {
  if (!(element instanceof HTMLElement)) return;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

export {};
