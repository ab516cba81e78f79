/** Types that a browser would run as a page of this origin; they are sent as downloads. */
const ACTIVE: ReadonlySet<string> = new Set([
  'text/html',
  'image/svg',
  'text/xsl',
  'application/x-shockwave-flash',
  'application/hta',
  'message/rfc822',
]);
/** JavaScript as in WHATWG MIME Sniffing, section 4.6; multipart; XML. */
const ACTIVE_KINDS = /(?:java|ecma|j|live)script|^multipart\/|[+/]xml$/;

/**
 * Whether a browser may run it, by its declared or its detected type: with `nosniff` browsers follow the first; older
 * ones, and programs that open a saved file, follow the second.
 */
export function isActive(declared: string, sniffed: string | null): boolean {
  const runs = (type: string) => ACTIVE.has(type) || ACTIVE_KINDS.test(type);
  return runs(declared.toLowerCase()) || (sniffed !== null && runs(sniffed));
}

/** `Content-Disposition` that saves a file under its name: plain for old clients, RFC 8187 for all others. */
export function attachment(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended(name)}`;
}

/** RFC 8187: `encodeURIComponent` leaves some characters that are not `attr-char`. */
function extended(name: string): string {
  return encodeURIComponent(name.replaceAll(/\p{Cs}/gu, '\ufffd')).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
