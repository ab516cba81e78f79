import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RewrittenAnswer {
  readonly status: number;
  /** `content-length` may be another one than that of the body. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

export interface Rewriting {
  /** Changes the body of a request on its way to the server. */
  request?: (call: string, body: Buffer) => Uint8Array;
  /** Changes an answer on its way to the client. */
  answer?: (call: string, answer: RewrittenAnswer) => RewrittenAnswer;
}

/** Passes HTTP requests to a server of this machine, and changes what a test wants changed. */
export interface RewritingProxy {
  readonly port: number;
  readonly endpoint: string;
  /** Method and path of every request so far: `GET /bucket/name`. */
  readonly calls: string[];
  rewriting: Rewriting;
  close(): Promise<void>;
}

/** @param target port of the server on 127.0.0.1 */
export async function startRewritingProxy(target: number): Promise<RewritingProxy> {
  const calls: string[] = [];
  const proxy = { calls, rewriting: {} as Rewriting };
  const server = createServer(async (incoming, outgoing) => {
    try {
      const call = `${incoming.method} ${incoming.url}`;
      calls.push(call);
      const sent = await buffer(incoming);
      const body = proxy.rewriting.request?.(call, sent) ?? sent;
      const upstream = send({
        port: target,
        host: '127.0.0.1',
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
        agent: false,
      });
      const answered = new Promise<RewrittenAnswer>((resolve, reject) => {
        upstream.once('error', reject);
        upstream.once('response', (response) =>
          buffer(response).then(
            (content) => resolve({ status: response.statusCode!, headers: response.headers, body: content }),
            reject,
          ),
        );
      });
      upstream.end(body);
      const original = await answered;
      const answer = proxy.rewriting.answer?.(call, original) ?? original;
      outgoing.writeHead(answer.status, answer.headers);
      outgoing.write(answer.body, () => {
        // Where bytes are missing, the connection ends.
        if (Number(answer.headers['content-length']) > answer.body.length && incoming.method !== 'HEAD')
          outgoing.destroy();
        else outgoing.end();
      });
      if (answer.body.length === 0) outgoing.end();
    } catch {
      outgoing.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, {
    port,
    endpoint: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
