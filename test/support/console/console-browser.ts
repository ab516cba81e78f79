/** The HTTP of the console as its page sends it, with a cookie of its own. */
import { sessionCookieName } from '../../../core/contract.ts';
import { conforms } from '../clients/openapi-conformance.ts';

/** Own calls of the console that the OpenAPI document has. */
const DOCUMENTED =
  /^(GET session|GET sessions|DELETE sessions\/[^/]+|PUT password|PUT presence|DELETE presence\/[^/]+)$/;

/** Of services of tests, at `http://127.0.0.1`. */
export const SESSION_COOKIE = sessionCookieName('http://127.0.0.1');

export interface ConsoleAnswer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export class ConsoleBrowser {
  readonly #url: string;
  cookie: string | undefined;

  /** @param url of the service */
  constructor(url: string) {
    this.#url = url;
  }

  async request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ConsoleAnswer<Body>> {
    const response = await fetch(`${this.#url}/console/api/${path}`, {
      method,
      headers: {
        'x-headwater-console': '1',
        'sec-fetch-site': 'same-origin',
        ...(this.cookie !== undefined && { cookie: `${SESSION_COOKIE}=${this.cookie}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value = ''] = /^([^=]*)=([^;]*)/.exec(set) ?? [];
      if (name !== SESSION_COOKIE) continue;
      this.cookie = value === '' ? undefined : value;
    }
    const text = await response.text();
    if (DOCUMENTED.test(`${method} ${path}`))
      conforms(
        { method, url: response.url, status: response.status, headers: response.headers, body: text },
        'console',
      );
    return {
      status: response.status,
      headers: response.headers,
      // An archive is not read.
      body: (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined) as Body,
    };
  }
}
