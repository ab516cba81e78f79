import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';

const REQUEST = Symbol('request');

type Stream = ServerHttp2Stream & { [REQUEST]?: StreamRequest };

/**
 * Request and response of an HTTP/2 stream. Node's own (Node 20.20) are two more streams with eleven listeners on the
 * first, which an answer from memory does not need: with 32 connections of 32 streams (`h2load`, 9 kB) a bare server
 * answers 45,300 requests a second without them, 30,100 with them. These have what the fast path uses, and make Node's
 * when anything else is asked of them.
 */
class StreamRequest {
  readonly stream: Stream;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly httpVersionMinor = 0;
  readonly rawHeaders: string[];
  #whole: Http2ServerRequest | undefined;

  /** Node's server calls it with the arguments for its own class. */
  constructor(stream: Stream, headers: IncomingHttpHeaders, _options: undefined, rawHeaders: string[]) {
    this.stream = stream;
    this.headers = headers;
    this.rawHeaders = rawHeaders;
    stream[REQUEST] = this;
    // Node's request has such a listener; without one an error of a stream would end the process.
    stream.on('error', ignore);
  }

  get method(): string {
    return this.headers[':method'] as string;
  }

  set method(method: string) {
    this.headers[':method'] = method;
  }

  get url(): string {
    return this.headers[':path'] as string;
  }

  set url(url: string) {
    this.headers[':path'] = url;
  }

  get whole(): Http2ServerRequest {
    this.#whole ??= new Http2ServerRequest(this.stream, this.headers, {}, this.rawHeaders);
    return this.#whole;
  }
}

class StreamResponse {
  readonly stream: Stream;
  #status = 200;
  #hasEnded = false;
  #whole: Http2ServerResponse | undefined;

  constructor(stream: Stream) {
    this.stream = stream;
  }

  get statusCode(): number {
    return this.#whole?.statusCode ?? this.#status;
  }

  set statusCode(status: number) {
    this.#status = status;
    if (this.#whole) this.#whole.statusCode = status;
  }

  get headersSent(): boolean {
    return this.stream.headersSent;
  }

  get writableEnded(): boolean {
    return this.#whole?.writableEnded ?? this.#hasEnded;
  }

  getHeaderNames(): string[] {
    return this.#whole?.getHeaderNames() ?? [];
  }

  end(...body: Parameters<Http2ServerResponse['end']>): this {
    const { stream } = this;
    // The stream would send a head of its own, with status 200.
    if (this.#whole || !stream.headersSent) {
      this.whole.end(...body);
    } else {
      this.#hasEnded = true;
      // `respond` has ended an answer without a body.
      if (!stream.writableEnded) stream.end(...body);
    }
    return this;
  }

  get whole(): Http2ServerResponse {
    if (this.#whole === undefined) {
      // Node's response takes its request from the stream.
      void this.stream[REQUEST]?.whole;
      this.#whole = new Http2ServerResponse(this.stream);
      this.#whole.statusCode = this.#status;
      if (this.#hasEnded) this.#whole.end();
    }
    return this.#whole;
  }
}

function ignore(): void {}

interface Partial {
  readonly whole: object;
}

/** What the class does not have itself is that of Node's message. */
function complete(prototype: Partial, node: object, ownNames: readonly string[]): void {
  const names = new Set<string | symbol>(ownNames);
  for (let from = node; from !== Object.prototype; from = Object.getPrototypeOf(from) as object) {
    for (const name of Reflect.ownKeys(from)) names.add(name);
  }
  for (const name of names) {
    if (name in prototype) continue;
    Object.defineProperty(prototype, name, {
      get(this: Partial) {
        const value: unknown = Reflect.get(this.whole, name);
        return typeof value === 'function' ? value.bind(this.whole) : value;
      },
      set(this: Partial, value: unknown) {
        Reflect.set(this.whole, name, value);
      },
    });
  }
}
complete(StreamRequest.prototype, Http2ServerRequest.prototype, []);
complete(StreamResponse.prototype, Http2ServerResponse.prototype, ['req', 'writable']);

/** Options of a server, which then makes these messages of each stream. */
export const HTTP2_MESSAGES = {
  Http2ServerRequest: StreamRequest as unknown as typeof Http2ServerRequest,
  Http2ServerResponse: StreamResponse as unknown as typeof Http2ServerResponse,
};

/** The stream of a request over HTTP/2. */
export function streamOf(request: IncomingMessage): ServerHttp2Stream | undefined {
  return request.httpVersionMajor === 2 ? (request as unknown as StreamRequest).stream : undefined;
}

/** Node's own message: for what streams from or to it. */
export function wholeRequest(request: IncomingMessage): IncomingMessage {
  return (request instanceof StreamRequest ? request.whole : request) as IncomingMessage;
}

/** See `wholeRequest`. */
export function wholeResponse(response: ServerResponse): ServerResponse {
  const own: object = response;
  return (own instanceof StreamResponse ? own.whole : response) as ServerResponse;
}
