import { chmod, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/**
 * @param address `host:port` or `unix:/path`; a socket that a process left behind is replaced
 * @returns the address, with the port that the system chose for port 0
 */
export async function listenAt(server: Server, address: string): Promise<string> {
  const path = address.startsWith('unix:') ? address.slice(5) : undefined;
  if (path !== undefined && !(await isAnswered(path))) await rm(path, { force: true });
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const target = path === undefined ? { host, port: Number(address.slice(colon + 1)) } : { path };
    server.listen(target, resolve);
  });
  if (path !== undefined) {
    await chmod(path, 0o600);
    return address;
  }
  return `${address.slice(0, colon)}:${(server.address() as AddressInfo).port}`;
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
