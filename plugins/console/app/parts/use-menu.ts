import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * A menu that is open until Escape, a press or the focus elsewhere, or another screen.
 * @param path of the screen
 */
export function useMenu(path: string): RefObject<HTMLDetailsElement> {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (menu.current) menu.current.open = false;
  };
  useEffect(close, [path]);
  useEffect(() => {
    const onLeave = ({ target }: Event) => {
      // A dialog that the menu has opened gives the focus back to it.
      if (!menu.current?.contains(target as Node) && !document.querySelector('dialog[open]')) close();
    };
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key !== 'Escape' || !menu.current?.open || !menu.current.contains(target as Node)) return;
      close();
      menu.current.querySelector('summary')?.focus();
    };
    document.addEventListener('pointerdown', onLeave);
    document.addEventListener('focusin', onLeave);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', onLeave);
      document.removeEventListener('focusin', onLeave);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  return menu;
}
