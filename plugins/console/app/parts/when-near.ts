/** Work that waits until an element is near the window. */

const waiting = new Map<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** @returns a function that calls it off */
export function whenNear(element: Element, work: () => void): () => void {
  // A window above and below what is seen.
  if (!observer) {
    observer = new IntersectionObserver(take, { rootMargin: '100% 0%' });
    // What is printed has no window.
    addEventListener('beforeprint', takeAll);
  }
  waiting.set(element, work);
  observer.observe(element);
  return () => forget(element);
}

function take(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    const work = waiting.get(target);
    forget(target);
    work?.();
  }
}

function takeAll(): void {
  for (const [element, work] of [...waiting]) {
    forget(element);
    work();
  }
}

function forget(element: Element): void {
  waiting.delete(element);
  observer?.unobserve(element);
}
