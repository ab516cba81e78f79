/**
 * Small client for API tests: real calls over a socket, every answer checked against the OpenAPI document
 * before the test sees it.
 */
import { SURFACES } from '../../../config/surface-settings.ts';
import { conforms, type DocumentedSurface } from './openapi-conformance.ts';

export interface ApiAnswer<Body = Record<string, unknown>> {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed body; undefined when the answer is not JSON. */
  readonly body: Body;
}

/** Of a buffer that no thread shares, as `fetch` wants them. */
export function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface ApiClient {
  readonly baseUrl: string;
  /** Sent with every call. */
  readonly headers: Readonly<Record<string, string>>;
  get<Body = Record<string, unknown>>(path: string, options?: CallOptions): Promise<ApiAnswer<Body>>;
  request<Body = Record<string, unknown>>(
    method: string,
    path: string,
    options?: CallOptions,
  ): Promise<ApiAnswer<Body>>;
}

/**
 * @param baseUrl of a surface, such as `http://127.0.0.1:8080/delivery`
 * @param options `surface` is read from the last part of the base URL when not given; `headers` go with every call
 */
export function createApiClient(
  baseUrl: string,
  options: { readonly surface?: DocumentedSurface; readonly headers?: Readonly<Record<string, string>> } = {},
): ApiClient {
  const base = baseUrl.replace(/\/$/, '');
  const surface = options.surface ?? surfaceOf(base);

  async function request<Body>(
    method: string,
    path: string,
    call: CallOptions = {},
  ): Promise<ApiAnswer<Body>> {
    const url = path.startsWith('http') ? path : `${base}${path}`;
    const response = await fetch(url, {
      method,
      headers: { ...options.headers, ...call.headers },
      redirect: 'manual',
      ...(call.body !== undefined && { body: call.body }),
    });
    const text = await response.text();
    conforms({ method, url, status: response.status, headers: response.headers, body: text }, surface);
    const isJson = text !== '' && (response.headers.get('content-type') ?? '').startsWith('application/json');
    return {
      url,
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as Body,
    };
  }

  return {
    baseUrl: base,
    headers: options.headers ?? {},
    request,
    get: (path, call) => request('GET', path, call),
  };
}

function surfaceOf(base: string): DocumentedSurface {
  const last = new URL(base).pathname.split('/').pop() ?? '';
  return SURFACES.find((surface) => surface === last) ?? 'none';
}
