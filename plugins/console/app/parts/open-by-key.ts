/** Keys at which a browser takes another entry of a closed choice, as if it had been chosen. */
const TAKING = /^(?:Arrow.*|Page.*|Home|End|[^ ])$/u;

/** Opens a choice whose entries act at once: a key leads past entries then, and Enter chooses one (WCAG 3.2.2). */
export function openByKey(event: KeyboardEvent): void {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (!(target instanceof HTMLSelectElement && 'showPicker' in target)) return;
  if (!TAKING.test(key) || ctrlKey || metaKey || altKey) return;
  event.preventDefault();
  target.showPicker();
}
