import { lstat, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { parseCoreAddress } from '../../../config/core-address.ts';

/**
 * @param address `host:port` or `unix:/path`, checked by the schema of the settings; a socket that a process left behind is replaced
 * @returns the address, with the port that the system chose for port 0
 */
export async function listenAt(server: Server, address: string): Promise<string> {
  const target = parseCoreAddress(address)!;
  const isSocket = target.kind === 'unix';
  if (isSocket && (await isLeftBehind(target.path))) await rm(target.path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // From its first moment the socket is its owner's only.
    const before = isSocket ? process.umask(0o177) : undefined;
    server.listen(isSocket ? { path: target.path } : { host: target.host, port: target.port }, resolve);
    if (before !== undefined) process.umask(before);
  });
  return isSocket ? address : address.replace(/\d{1,5}$/, String((server.address() as AddressInfo).port));
}

async function isLeftBehind(path: string): Promise<boolean> {
  const isSocket = await lstat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
  return isSocket && !(await isAnswered(path));
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
