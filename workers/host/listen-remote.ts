import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TaskName, type Tasks, WorkerError, type Workers } from '../contract.ts';
import { ENCODER_VERSION } from '../images/encoder-version.ts';
import { Channel } from '../protocol/channel.ts';
import { PROTOCOL } from '../protocol/messages.ts';
import { isProof } from '../protocol/proof.ts';
import { serveRequests } from '../protocol/serve-requests.ts';
import { TASKS } from '../tasks/task-list.ts';

const HANDSHAKE_TIMEOUT_MS = 5000;
/**
 * One connection per client core, and spare ones so that a reconnect need not wait for the end of the old connection.
 */
const MOST_CONNECTIONS = 64;

export interface RemoteListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Lets processes that know the token run tasks here, over TCP. */
export async function listenRemote(options: {
  readonly workers: Workers;
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** Tasks this machine runs at a time. */
  readonly concurrency: number;
  readonly log: { debug(fields: object, text: string): void };
}): Promise<RemoteListener> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    acceptRemote(socket, options);
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function acceptRemote(
  socket: Socket,
  { workers, token, concurrency, log }: Omit<Parameters<typeof listenRemote>[0], 'host' | 'port'>,
): void {
  const nonce = randomBytes(32).toString('hex');
  const handshakeTimer = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS);
  const channel = new Channel(socket);
  channel.onClose(() => clearTimeout(handshakeTimer));
  serveRequests(channel, {
    greeting: { kind: 'greeting', protocol: PROTOCOL, encoder: ENCODER_VERSION, slots: concurrency, nonce },
    isAuthenticated({ proof }) {
      const isValid = isProof(proof, token, nonce);
      if (isValid) clearTimeout(handshakeTimer);
      return isValid;
    },
    async run(task, input, { milliseconds: deadline, origin, isLarge }) {
      const began = performance.now();
      let failure: string | undefined;
      try {
        if (!isPortable(task, input))
          throw new WorkerError('refused', 'The input names a file instead of holding its bytes.');
        return await workers.run(task, input, { deadline, origin, isLarge });
      } catch (error) {
        failure = (error as Error).message;
        throw error;
      } finally {
        log.debug(
          { task, ...origin, ms: Math.round(performance.now() - began), failure },
          'A task has ended.',
        );
      }
    },
  });
}

/** A remote client must not name files of this machine. */
function isPortable<Name extends TaskName>(task: Name, input: Tasks[Name]['input']): boolean {
  return TASKS[task].isPortable?.(input) ?? true;
}
