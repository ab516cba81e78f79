import { useLayoutEffect } from 'preact/hooks';

/**
 * Makes a textarea as high as its text where the style cannot: Safari before 26.2 and Firefox have no `field-sizing`, and
 * would show one line of a text.
 */
export function useFittedHeight(id: string, text: string): void {
  useLayoutEffect(() => {
    const area = document.getElementById(id);
    if (!area || CSS.supports('field-sizing', 'content')) return undefined;
    let width = 0;
    // At first, when the page is made narrower, and when a group is shown.
    const observer = new ResizeObserver(() => {
      if (area.offsetWidth === width) return;
      width = area.offsetWidth;
      fitHeight(area);
    });
    observer.observe(area);
    return () => observer.disconnect();
  }, [id, text]);
}

function fitHeight(area: HTMLElement): void {
  const around = area.parentElement as HTMLElement;
  // The page would scroll if it were shorter for a moment.
  around.style.minBlockSize = `${around.offsetHeight}px`;
  area.style.blockSize = '0';
  area.style.blockSize = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  around.style.minBlockSize = '';
}
