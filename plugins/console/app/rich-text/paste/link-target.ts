import { type LinkAttributes, linkOf } from '../link.ts';
import type { Element } from './html-tree.ts';

/** The link that a tag means; undefined where rich text has none like it. */
export function linkTarget(attributes: Element['attributes']): LinkAttributes | undefined {
  const rest = {
    subject: null,
    newWindow: attributes['target'] === '_blank' ? 'true' : null,
    title: attributes['title'] || null,
  };
  if (attributes['data-item-id'] || attributes['data-asset-id'] || attributes['data-email-address'])
    return linkOf(attributes);
  const href = unwrapped((attributes['href'] ?? '').trim());
  const mail = /^mailto:([^?]+)(?:\?(.*))?$/i.exec(href);
  if (mail) {
    const [, address = '', query] = mail;
    const subject = new URLSearchParams(query ?? '').get('subject');
    return { kind: 'mail', ...rest, target: decoded(address), subject };
  }
  return /^(?:https?|ftp):\/\/./i.test(href) ? { kind: 'web', target: href, ...rest } : undefined;
}

/** Google Docs leads links through an address of its own. */
function unwrapped(href: string): string {
  if (!/^https:\/\/www\.google\.[a-z.]+\/url\?/.test(href)) return href;
  return new URLSearchParams(href.slice(href.indexOf('?'))).get('q') ?? href;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
