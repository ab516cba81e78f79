import { lstat, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/**
 * @param address `host:port` or `unix:/path`; a socket that a process left behind is replaced
 * @returns the address, with the port that the system chose for port 0
 */
export async function listenAt(server: Server, address: string): Promise<string> {
  const path = address.startsWith('unix:') ? address.slice(5) : undefined;
  if (path !== undefined && (await isLeftBehind(path))) await rm(path, { force: true });
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const target = path === undefined ? { host, port: Number(address.slice(colon + 1)) } : { path };
    // From its first moment the socket is its owner's only.
    const before = path === undefined ? undefined : process.umask(0o177);
    server.listen(target, resolve);
    if (before !== undefined) process.umask(before);
  });
  if (path !== undefined) return address;
  return `${address.slice(0, colon)}:${(server.address() as AddressInfo).port}`;
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
