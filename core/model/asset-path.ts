/** Where readers get the file of an asset, below the base URL of assets; percent-encoded. */
export function assetPath(project: string, file: { readonly id: string; readonly name: string }): string {
  return `/${project}/${file.id}/${encodeURIComponent(file.name)}`;
}
