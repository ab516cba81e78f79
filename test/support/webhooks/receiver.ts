import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  /** `/a` of the URL. */
  readonly path: string;
  readonly id: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  /** Milliseconds by `performance.now()`. */
  readonly at: number;
}

export type Behaviour = (received: Received, response: ServerResponse) => void;

export const answering =
  (status: number, body = '', headers: Record<string, string> = {}): Behaviour =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** A real server that records requests; the answer of each path can be changed at any time. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly record: readonly Received[];
  /** Requests to a path, in order. */
  at(path: string): readonly Received[];
  behave(path: string, behaviour: Behaviour): void;
  /** Resolves after `count` notifications in total. */
  until(count: number): Promise<void>;
  clear(): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const record: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const path = request.url ?? '';
      const received = {
        path,
        id: String(request.headers['x-svc-message-id']),
        body: Buffer.concat(chunks).toString(),
        headers: request.headers,
        at: performance.now(),
      };
      record.push(received);
      (behaviours.get(path) ?? answering(204))(received, response);
      for (const one of waiting.splice(0)) {
        if (record.length >= one.count) one.resolve();
        else waiting.push(one);
      }
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    record,
    at: (path) => record.filter((one) => one.path === path),
    behave: (path, behaviour) => behaviours.set(path, behaviour),
    until: (count) =>
      record.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    clear: () => record.splice(0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Plain HMAC over the received bytes. */
export function isSigned({ body, headers }: Received, secret: string): boolean {
  return headers['x-svc-signature'] === createHmac('sha256', secret).update(body).digest('base64');
}
