import { sniffFormat } from '../../workers/images/image-format.ts';

/** Inspected bytes at the start of a file, as in browsers; WHATWG MIME Sniffing, section 5.2. */
export const SNIFFED_BYTES = 1445;

const PDF = '%PDF-';

/** Tags by which a browser recognises HTML; WHATWG MIME Sniffing, section 7.1. */
const PAGE =
  /^<(?:!doctype|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|svg|!--)[\s>]/i;

/**
 * Detects the media type of images that can be transformed, and of content that a browser would execute; undefined
 * for any other.
 */
export function sniffType(head: Buffer): string | undefined {
  const format = sniffFormat(head);
  if (format) return `image/${format}`;
  if (head.toString('latin1', 0, PDF.length) === PDF) return 'application/pdf';
  const text = textOf(head.subarray(0, SNIFFED_BYTES)).replace(/^[\s\ufeff]+/, '');
  if (/<svg[\s/>]/i.test(text) && text.startsWith('<')) return 'image/svg+xml';
  if (/^<\?xml/i.test(text)) return /<html[\s>]/i.test(text) ? 'application/xhtml+xml' : 'text/xml';
  return PAGE.test(text) ? 'text/html' : undefined;
}

/** Byte order marks as browsers read them; everything else as if it were ASCII. */
function textOf(head: Buffer): string {
  if (head[0] === 0xff && head[1] === 0xfe) return head.toString('utf16le', 2);
  if (head[0] === 0xfe && head[1] === 0xff)
    return Buffer.from(head.subarray(2, head.length - (head.length % 2)))
      .swap16()
      .toString('utf16le');
  return head.toString('utf8');
}
