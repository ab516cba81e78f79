/** Where an item is edited, in a language if one is given. */
export function itemPath(
  project: string,
  item: { readonly id: string },
  language?: { readonly id: string },
): string {
  return `/projects/${project}/items/${item.id}${language ? `?language=${language.id}` : ''}`;
}

/** Where the history of an item in a language is shown. */
export function historyPath(
  project: string,
  item: { readonly id: string },
  language: { readonly id: string } | null,
): string {
  return `/projects/${project}/items/${item.id}/history${language ? `?language=${language.id}` : ''}`;
}
