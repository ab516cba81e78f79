/**
 * The path of a request as received, for logs: no query, and no authority where the request line holds a whole
 * URL (RFC 9112 section 3.2.2), because it may contain keys and passwords. Never throws, unlike Koa's `ctx.path`,
 * which parses an absolute URL.
 */
export function requestPath(url: string): string {
  const from =
    url.charCodeAt(0) === 0x2f ? 0 : (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0].length ?? 0);
  const mark = url.indexOf('?', from);
  return url.slice(from, mark === -1 ? undefined : mark) || '/';
}
