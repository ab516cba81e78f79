/** Canonical stored form → the form of management, in which objects have the configured media type. */
export function toManagement(html: string, mediaType: string): string {
  return html.replaceAll('<object ', `<object type="application/${mediaType}" `);
}
