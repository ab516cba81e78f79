import { type Attributes, openTag, rewriteTags } from './canonical.ts';

/** What the delivery form needs beside the stored text. */
export interface RichTextLookup {
  /** Of the objects: `service` in `application/service`. */
  readonly mediaType: string;
  /** Undefined for a deleted or expected item: its object is omitted. */
  itemCodename(id: string): string | undefined;
  componentCodename(id: string): string;
  /** Undefined for a missing asset: its figure is omitted. */
  asset(id: string): { readonly url: string; readonly description: string | null } | undefined;
}

/**
 * Canonical stored form → the form readers get (spec 2.2). A hyperlink keeps its item id and an empty `href`
 * even when the item is deleted; the client makes the address from `links`.
 */
export function toDelivery(html: string, lookup: RichTextLookup): Promise<string> {
  // An image belongs to the figure before it.
  return rewriteTags(html, (tag, attributes) => {
    switch (tag) {
      case 'br':
        return '<br>';
      case 'object':
        return objectTag(attributes, lookup);
      case 'figure': {
        const id = attributes['data-asset-id'] ?? '';
        if (!lookup.asset(id)) return undefined;
        return openTag('figure', [
          ['data-asset-id', id],
          ['data-image-id', id],
        ]);
      }
      case 'img': {
        const id = attributes['data-asset-id'] ?? '';
        const asset = lookup.asset(id);
        return openTag('img', [
          ['src', asset?.url ?? ''],
          ['data-asset-id', id],
          ['data-image-id', id],
          ['alt', asset?.description ?? attributes['alt'] ?? ''],
        ]);
      }
      default:
        return linkTag(attributes, lookup);
    }
  });
}

function objectTag(attributes: Attributes, lookup: RichTextLookup): string | undefined {
  const id = attributes['data-id'] ?? '';
  const component = attributes['data-type'] === 'component';
  const codename = component ? lookup.componentCodename(id) : lookup.itemCodename(id);
  if (codename === undefined) return undefined;
  return openTag('object', [
    ['type', `application/${lookup.mediaType}`],
    ['data-type', 'item'],
    ['data-rel', component ? 'component' : 'link'],
    ['data-codename', codename],
  ]);
}

function linkTag(attributes: Attributes, lookup: RichTextLookup): string {
  const item = attributes['data-item-id'];
  const asset = attributes['data-asset-id'];
  const address = attributes['data-email-address'];
  const newWindow = attributes['data-new-window'];
  const title = attributes['title'];
  const rest = [
    ['data-new-window', newWindow],
    ['title', title],
    ['target', newWindow === undefined ? undefined : '_blank'],
    ['rel', newWindow === undefined ? undefined : 'noopener noreferrer'],
  ] as const;
  if (item !== undefined) return openTag('a', [['data-item-id', item], ['href', ''], ...rest]);
  if (asset !== undefined) {
    return openTag('a', [['data-asset-id', asset], ['href', lookup.asset(asset)?.url ?? ''], ...rest]);
  }
  if (address !== undefined) {
    const subject = attributes['data-email-subject'];
    const query = subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`;
    return openTag('a', [
      ['data-email-address', address],
      ['data-email-subject', subject],
      ['href', `mailto:${address}${query}`],
      ...rest,
    ]);
  }
  return openTag('a', [['href', attributes['href'] ?? ''], ...rest]);
}
