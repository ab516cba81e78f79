let used = 0;

/** @returns the text with a number: another one where a test is run again, which meets what its first attempt has left */
export function unique(text: string): string {
  used += 1;
  return `${text}${used}`;
}
