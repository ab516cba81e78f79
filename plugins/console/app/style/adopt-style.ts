/**
 * Applies a sheet that a script imports: the build makes a call of each such import. The content security policy permits it,
 * as the text is part of a script of the page.
 *
 * @param text rules of the layer `parts`
 */
export function adoptStyle(text: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`@layer parts{${text}}`);
  document.adoptedStyleSheets.push(sheet);
}
