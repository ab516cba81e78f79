/** Kinds of files that lists of assets distinguish. Their positions are stored, so a new one goes to the end. */
export const ASSET_KINDS = ['image', 'video', 'audio', 'document', 'other'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

const DOCUMENT =
  /^(?:text\/|application\/(?:pdf|rtf|json|xml|epub\+zip|msword|vnd\.(?:ms-(?:excel|powerpoint|word)|openxmlformats-officedocument|oasis\.opendocument)))/;

/** @param type media type */
export function assetKindOf(type: string): AssetKind {
  const [main] = type.split('/');
  if (main === 'image' || main === 'video' || main === 'audio') return main;
  return DOCUMENT.test(type) ? 'document' : 'other';
}
