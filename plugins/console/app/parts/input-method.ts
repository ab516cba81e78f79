/** The code of a key that an input method has used. */
const USED = 229;

/**
 * Whether a key was meant for an input method, which chooses a word with Enter and gives it up with Escape. Safari ends the
 * composition before it reports that key, which only its code tells from others then (WebKit bug 165004).
 */
export function isOfInputMethod({ isComposing, keyCode }: KeyboardEvent): boolean {
  return isComposing || keyCode === USED;
}
