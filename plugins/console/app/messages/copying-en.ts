/** Texts of the button that copies a text. */
export const copyingEn = {
  copy: 'Copy',
  copyOf: (what: string) => `Copy: ${what}`,
  done: 'Copied.',
  refused: 'The browser does not permit copying: select the text, and press Ctrl+C.',
};
