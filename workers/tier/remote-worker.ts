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
  return {
    ...(await handshake(channel, (nonce) => proofOf(token, nonce))),
    pid: null,
    isRemote: true,
    onClose: (listener) => channel.onClose(listener),
    end: () => channel.close(),
  };
}
