/** Canonical stored form → what management answers: the objects get the vendor's media type. */
export function toManagement(html: string, mediaType: string): string {
  return html.replaceAll('<object ', `<object type="application/${mediaType}" `);
}
