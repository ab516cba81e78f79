/** What a form is of, in words: the heading of its dialog, or of the page. */
export function headingOf(form?: Element): string {
  const heading = form?.closest('dialog')?.querySelector('h2') ?? document.querySelector('main h1');
  return heading?.textContent?.trim() ?? '';
}
