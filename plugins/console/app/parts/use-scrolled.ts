import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/**
 * Whether the content of an element is larger than it, so that it needs the focus for keys to scroll it.
 * @param content changes when the element gets other content
 */
export function useScrolled(box: RefObject<HTMLElement>, content?: unknown): ReadonlySignal<boolean> {
  const isScrolled = useSignal(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
      isScrolled.value = scrollWidth > clientWidth || scrollHeight > clientHeight;
    };
    // The observer calls in the next frame: until then, keys would not reach what is there already.
    measure();
    const watching = new ResizeObserver(measure);
    for (const one of [element, ...element.children]) watching.observe(one);
    return () => watching.disconnect();
  }, [box, content]);
  return isScrolled;
}
