/** Where an item is edited, in a language if one is given. */
export function itemPath(
  project: string,
  item: { readonly id: string },
  language?: { readonly id: string },
): string {
  return `/projects/${project}/items/${item.id}${language ? `?language=${language.id}` : ''}`;
}
