import type { Attrs } from 'prosemirror-model';

/** What a link leads to: an address, or the id of an item or asset, or a mail address. */
export type LinkKind = 'web' | 'item' | 'asset' | 'mail';

export interface LinkAttributes extends Attrs {
  readonly kind: LinkKind;
  readonly target: string;
  /** Of a mail. */
  readonly subject: string | null;
  readonly newWindow: string | null;
  readonly title: string | null;
}

/** The attributes of the tag, in the order in which the service writes them. */
export function linkAttributes({
  kind,
  target,
  subject,
  newWindow,
  title,
}: LinkAttributes): readonly (readonly [string, string | null])[] {
  const rest = [
    ['data-new-window', newWindow],
    ['title', title],
  ] as const;
  switch (kind) {
    case 'web':
      return [['href', target], ...rest];
    case 'item':
      return [['data-item-id', target], ['href', ''], ...rest];
    case 'asset':
      return [['data-asset-id', target], ['href', ''], ...rest];
    case 'mail':
      return [['data-email-address', target], ['data-email-subject', subject], ['href', ''], ...rest];
  }
}

export function linkOf(attributes: Readonly<Record<string, string>>): LinkAttributes {
  const {
    'data-item-id': item,
    'data-asset-id': asset,
    'data-email-address': mail,
    'data-email-subject': subject = null,
    'data-new-window': newWindow = null,
    title = null,
  } = attributes;
  const rest = { subject, newWindow, title };
  if (item !== undefined) return { kind: 'item', target: item, ...rest };
  if (asset !== undefined) return { kind: 'asset', target: asset, ...rest };
  if (mail !== undefined) return { kind: 'mail', target: mail, ...rest };
  return { kind: 'web', target: attributes['href'] ?? '', ...rest };
}

/** What a person typed as the address of a page; without a scheme, it is one of the web. */
export function webAddress(typed: string): string {
  const [, host = ''] = /^([^:/?#]+):\d/.exec(typed) ?? [];
  const isHostWithPort = host.includes('.') || host.toLowerCase() === 'localhost';
  return !isHostWithPort && /^(?:[a-z][a-z0-9+.-]*:|[/?#])/i.test(typed) ? typed : `https://${typed}`;
}
