/** The `__Secure-` prefix: a browser keeps it only with `Secure`, also where a page on plain HTTP sets it (RFC 6265bis, 4.1.3). */
export const SESSION_COOKIE = '__Secure-headwater-session';

/** @param console base URL of the console: the cookie is sent there only */
export function sessionCookie(token: string, console: string): string {
  return `${SESSION_COOKIE}=${token}; ${attributes(console)}`;
}

/** Makes the browser forget the session. */
export function endedCookie(console: string): string {
  return `${SESSION_COOKIE}=; Max-Age=0; ${attributes(console)}`;
}

function attributes(console: string): string {
  return `Path=${new URL(console).pathname}; Secure; HttpOnly; SameSite=Strict`;
}
