import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from '../../config/start-error.ts';

/**
 * Why nothing listens at an address, and what to do.
 *
 * @param address `host:port`, or `unix:` and the path of a socket
 * @param setting gives another one: `HEADWATER_LISTEN`
 */
export function listenError(address: string, setting: string, cause: unknown): StartError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason =
    reasons(address)[code ?? ''] ?? `The service cannot listen at ${address} (${code ?? message});`;
  return new StartError(`${reason} set another address (${setting}).`, { cause });
}

function reasons(address: string): Readonly<Record<string, string>> {
  const foreign = `The address ${address} is not one of this machine;`;
  return {
    EADDRINUSE: `The address ${address} is taken by another program; stop that or`,
    EADDRNOTAVAIL: foreign,
    ENOTFOUND: foreign,
    EACCES: refused(address),
  };
}

function refused(address: string): string {
  if (!address.startsWith('unix:'))
    return `This user may not listen at ${address}; give it the right to ports below 1024 or`;
  // Node reports EACCES for a missing folder as well (Node 20.20).
  return existsSync(dirname(address.slice('unix:'.length)))
    ? `This user may not make the socket ${address}; allow it to write to the folder or`
    : `There is no folder for the socket ${address}; make it or`;
}
