import { rewriteTags } from './canonical.ts';

export interface RichTextReferences {
  /** Items and components in the text, without repetition, in order of first appearance. */
  readonly linkedItems: readonly {
    readonly kind: 'item' | 'component';
    readonly id: string;
  }[];
  /** Ids of items that hyperlinks point to. */
  readonly links: readonly string[];
  /** Ids of the assets shown as images. */
  readonly images: readonly string[];
  /** Ids of all assets, shown or linked to. */
  readonly assets: readonly string[];
}

/** What canonical rich text refers to; the content of components is not read. */
export async function richTextReferences(html: string): Promise<RichTextReferences> {
  const linkedItems = new Map<string, { kind: 'item' | 'component'; id: string }>();
  const links = new Set<string>();
  const images = new Set<string>();
  const assets = new Set<string>();
  await rewriteTags(html, (tag, attributes) => {
    const item = attributes['data-item-id'];
    const asset = attributes['data-asset-id'];
    const id = attributes['data-id'];
    if (tag === 'object' && id !== undefined) {
      linkedItems.set(id, {
        kind: attributes['data-type'] === 'component' ? 'component' : 'item',
        id,
      });
    } else if (tag === 'a' && item !== undefined) {
      links.add(item);
    } else if (asset !== undefined) {
      if (tag === 'figure') images.add(asset);
      assets.add(asset);
    }
    return '';
  });
  return {
    linkedItems: [...linkedItems.values()],
    links: [...links],
    images: [...images],
    assets: [...assets],
  };
}
