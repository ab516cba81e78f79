import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes bytes between clients and a server of this machine, until a test disturbs it. */
export interface Relay {
  readonly port: number;
  /** Bytes that the server sent so far. */
  readonly received: number;
  /** Resets all connections; later ones pass again. */
  cut(): void;
  /** Passes no more bytes in either direction and accepts connections all the same, as a network does that lost its route. */
  hold(): void;
  /** The same for connections over which a client sends a request that begins so, for example `POST /feed`. */
  holdRequests(beginning: string): void;
  /** Passes so many bytes a second, of each connection and direction. */
  slow(bytesPerSecond: number): void;
  /** Ends each connection in order, as if it were complete, after so many more bytes of the server. */
  truncate(bytes: number): void;
  /** Passes what was held back, and everything after it. */
  release(): void;
  close(): Promise<void>;
}

/**
 * @param target port of the server on 127.0.0.1
 * @param port of a relay that was closed, as if its server were there again
 */
export async function startRelay(target: number, port = 0): Promise<Relay> {
  const sockets = new Set<Socket>();
  /** What clients sent last. */
  const requests = new Map<Socket, Buffer>();
  let isHeld = false;
  let received = 0;
  let held: string | undefined;
  let rate: number | undefined;
  let remaining: WeakMap<Socket, number> | undefined;
  let most = 0;
  /** Passes the last bytes of a socket that are passed later. */
  const delayed = new Map<Socket, () => void>();
  const isRequestHeld = (client: Socket) =>
    held !== undefined && requests.get(client)?.toString('latin1', 0, held.length) === held;
  const join = (from: Socket, to: Socket, client: Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (from === client) requests.set(client, bytes);
      else received += bytes.length;
      if (isRequestHeld(client)) {
        from.pause();
        from.unshift(bytes);
        return;
      }
      if (from !== client && remaining !== undefined) {
        const left = (remaining.get(from) ?? most) - bytes.length;
        remaining.set(from, left);
        if (left <= 0) {
          to.end(bytes.subarray(0, bytes.length + left));
          from.destroy();
          return;
        }
      }
      if (rate !== undefined) {
        from.pause();
        const pass = () => {
          clearTimeout(later);
          delayed.delete(from);
          to.write(bytes);
          if (!isHeld) from.resume();
        };
        const later = setTimeout(pass, (bytes.length / rate) * 1000);
        delayed.set(from, pass);
        return;
      }
      if (!to.write(bytes)) from.pause();
    });
    to.on('drain', () => {
      if (!isHeld && !delayed.has(from)) from.resume();
    });
    from.on('end', () => to.end());
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      requests.delete(from);
      // What was written last is still sent.
      if (to.writableEnded) to.destroySoon();
      else to.destroy();
    });
    if (isHeld) from.pause();
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    join(client, upstream, client);
    join(upstream, client, client);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get received() {
      return received;
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    holdRequests(beginning) {
      held = beginning;
    },
    slow(bytesPerSecond) {
      rate = bytesPerSecond;
    },
    truncate(bytes) {
      most = bytes;
      remaining = new WeakMap();
    },
    release() {
      isHeld = false;
      held = undefined;
      rate = undefined;
      remaining = undefined;
      for (const pass of [...delayed.values()]) pass();
      for (const socket of sockets) socket.resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
