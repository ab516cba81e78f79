import { useLayoutEffect, useRef } from 'preact/hooks';

/** Ctrl+S and ⌘S save, wherever the focus is; but nothing behind a dialog. */
export function useSaveKey(save: () => void): void {
  const current = useRef(save);
  current.current = save;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== 's' || !(ctrlKey || metaKey) || altKey || shiftKey) return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) current.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
