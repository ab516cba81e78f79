import { useLayoutEffect, useRef } from 'preact/hooks';

/** Ctrl+S and ⌘S save, wherever the focus is; but nothing behind a dialog. */
export function useSaveKey(save: () => void): void {
  const current = useRef(save);
  current.current = save;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) current.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
