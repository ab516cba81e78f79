import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The first bytes of a request. */
const REQUEST = /^[A-Z]+ \S+ HTTP\/1\.1\r\n/;

export interface AlternatingRelay {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Passes bytes between clients and several servers. Each request goes to the next server, also the requests of one
 * connection, which a client sends once it has an answer.
 *
 * @param ports of the servers on 127.0.0.1
 * @param before is awaited before each request
 */
export async function startAlternatingRelay(
  ports: readonly number[],
  before: () => Promise<void>,
): Promise<AlternatingRelay> {
  const clients = new Set<Socket>();
  let requests = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client);
    let upstream: Socket | undefined;
    let isAnswered = true;
    const next = (): Socket => {
      const socket = connect({
        port: ports[requests++ % ports.length] ?? 0,
        host: '127.0.0.1',
        noDelay: true,
      });
      socket.on('data', (bytes) => {
        if (socket !== upstream) return;
        isAnswered = true;
        if (!client.write(bytes)) socket.pause();
      });
      socket.on('drain', () => client.resume());
      socket.on('end', () => {
        if (socket === upstream) client.end();
      });
      socket.on('error', () => {
        if (socket === upstream) client.destroy();
      });
      socket.on('close', () => {
        if (socket === upstream) client.end();
      });
      return socket;
    };
    client.on('data', async (bytes) => {
      if (isAnswered && (upstream === undefined || REQUEST.test(bytes.toString('latin1', 0, 20_000)))) {
        isAnswered = false;
        client.pause();
        const last = upstream;
        upstream = undefined;
        last?.end();
        await before();
        if (client.destroyed) return;
        upstream = next();
        client.resume();
        upstream.write(bytes);
        return;
      }
      if (upstream?.write(bytes) === false) client.pause();
    });
    client.on('drain', () => upstream?.resume());
    client.on('end', () => upstream?.end());
    client.on('error', () => upstream?.destroy());
    client.on('close', () => {
      clients.delete(client);
      upstream?.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of clients) client.destroy();
      }),
  };
}
