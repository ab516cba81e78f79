import { connect } from 'node:net';
import { Channel } from '../protocol/channel.ts';
import { proofOf } from '../protocol/proof.ts';
import { type Connection, handshake } from './connection.ts';

/** Address of a remote worker and the shared secret. */
export interface RemoteAddress {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

export async function connectRemoteWorker({ host, port, token }: RemoteAddress): Promise<Connection> {
  const socket = connect({ host, port, noDelay: true, keepAlive: true });
  const channel = new Channel(socket);
  const { slots: concurrency } = await handshake(channel, (nonce) => proofOf(token, nonce));
  return {
    concurrency,
    pid: null,
    isRemote: true,
    send: (request, bytes) => channel.send(request, bytes),
    onAnswer: (listener) =>
      channel.onMessage((message, bytes) => {
        if (message.kind === 'result' || message.kind === 'failure') listener(message, bytes);
      }),
    onClose: (listener) => channel.onClose(listener),
    end: () => channel.close(),
  };
}
