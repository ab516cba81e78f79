import { StartError } from '../../config/start-error.ts';

/** Why nothing listens at an address (`host:port` or the path of a socket), in one sentence. */
export function listenError(address: string, cause: unknown): StartError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new StartError(sentence(address, code, message), { cause });
}

function sentence(address: string, code: string | undefined, message: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `The address ${address} is taken by another program; stop that or set another address.`;
    case 'EACCES':
      return `This user may not listen at ${address}; ports below 1024 need more rights.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `The address ${address} is not one of this machine.`;
    case 'ENOENT':
      return `There is no folder for the socket ${address}.`;
    default:
      return `The service cannot listen at ${address}: ${code ?? message}.`;
  }
}
