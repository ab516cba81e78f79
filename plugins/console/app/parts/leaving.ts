/** What the browser asks before a page with something unsaved is left. */

let isAsked = true;

/** The browser asks before the page is left while `isNeeded` says so. @returns what ends that */
export function askBeforeLeaving(isNeeded: () => boolean): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (isNeeded() && isAsked) event.preventDefault();
  };
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
}

/** Loads the page anew once its session has ended. */
export function leave(): void {
  location.assign(`${document.baseURI.split('#')[0]}`);
}

/** The same, without a question: its person has given up what is not saved. */
export function leaveUnasked(): void {
  isAsked = false;
  leave();
}
