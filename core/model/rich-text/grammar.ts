/** The HTML that rich text may hold. */

const BLOCKS = ['p', 'h1', 'h2', 'h3', 'h4', 'ol', 'ul', 'table', 'figure', 'object'] as const;
const STYLES = ['strong', 'em', 'sup', 'sub', 'code', 'br'] as const;
const INLINE = [...STYLES, 'a'] as const;

/** The root of the tree, beside the tags. */
export const ROOT = '';

/** The children that each tag may have. */
const CHILDREN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [ROOT, new Set<string>(BLOCKS)],
  ...['p', 'h1', 'h2', 'h3', 'h4', 'strong', 'em', 'sup', 'sub', 'code'].map(
    (name) => [name, new Set<string>(INLINE)] as const,
  ),
  ['a', new Set<string>(STYLES)],
  ['ol', new Set(['li'])],
  ['ul', new Set(['li'])],
  ['li', new Set<string>([...INLINE, 'p', 'ol', 'ul'])],
  ['table', new Set(['tbody'])],
  ['tbody', new Set(['tr'])],
  ['tr', new Set(['td'])],
  ['td', new Set<string>([...INLINE, 'p', 'h1', 'h2', 'h3', 'h4', 'ol', 'ul', 'figure', 'object'])],
  ['figure', new Set(['img'])],
  ['img', new Set<string>()],
  ['object', new Set<string>()],
  ['br', new Set<string>()],
]);

/** Allowed attributes; those without a meaning are dropped. */
const ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'a',
    new Set([
      'href',
      'title',
      'target',
      'rel',
      'data-new-window',
      'data-item-id',
      'data-item-external-id',
      'data-item-codename',
      'data-asset-id',
      'data-asset-external-id',
      'data-asset-codename',
      'data-email-address',
      'data-email-subject',
    ]),
  ],
  ['figure', new Set(['data-asset-id', 'data-asset-external-id', 'data-image-id'])],
  ['img', new Set(['src', 'alt', 'data-asset-id', 'data-asset-external-id', 'data-image-id'])],
  ['object', new Set(['type', 'data-type', 'data-rel', 'data-id', 'data-external-id', 'data-codename'])],
]);

export function isAllowedTag(name: string): boolean {
  return name !== ROOT && CHILDREN.has(name);
}

export function mayHold(parent: string, child: string): boolean {
  return CHILDREN.get(parent)?.has(child) ?? false;
}

/** Whether the tag may contain text other than white space. */
export function mayHoldText(name: string): boolean {
  return mayHold(name, 'strong');
}

export function isAllowedAttribute(tag: string, attribute: string): boolean {
  return ATTRIBUTES.get(tag)?.has(attribute) ?? false;
}

/** Tags without content. */
export function isVoid(name: string): boolean {
  return name === 'br' || name === 'img';
}

/** Treats an address without a known scheme as a host name. */
export function toHref(href: string): string {
  return /^(?:(?:https?|ftp):\/\/|[/?#])/i.test(href) ? href : `http://${href}`;
}
