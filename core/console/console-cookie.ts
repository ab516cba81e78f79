/** The machine of the browser itself: what is sent there crosses no network. */
const THIS_MACHINE = /^http:\/\/(localhost|[\w.-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/;

const SESSION = 'headwater-session';

/**
 * The name of a cookie of the console. With the `__Secure-` prefix a browser keeps it only with `Secure`, also where a page on
 * plain HTTP sets it (RFC 6265bis, 4.1.3). On this machine it has neither: Safari keeps no such cookie over plain HTTP, other
 * browsers do.
 *
 * @param console base URL of the console
 */
export function cookieName(name: string, console: string): string {
  return THIS_MACHINE.test(console) ? name : `__Secure-${name}`;
}

/** What `Set-Cookie` has behind the value. @param path of the console that it is sent to */
export function cookieAttributes(console: string, path: string, sameSite: 'Strict' | 'Lax'): string {
  const secure = THIS_MACHINE.test(console) ? '' : 'Secure; ';
  return `Path=${path}; ${secure}HttpOnly; SameSite=${sameSite}`;
}

export function sessionCookieName(console: string): string {
  return cookieName(SESSION, console);
}

/** @param console its base URL: the cookie is sent there only */
export function sessionCookie(token: string, console: string): string {
  return `${sessionCookieName(console)}=${token}; ${attributes(console)}`;
}

/** Makes the browser forget the session. */
export function endedCookie(console: string): string {
  return `${sessionCookieName(console)}=; Max-Age=0; ${attributes(console)}`;
}

function attributes(console: string): string {
  return cookieAttributes(console, new URL(console).pathname, 'Strict');
}
