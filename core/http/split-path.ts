import { ServiceError } from '../errors.ts';

/** Decoded segments without empty ones (a doubled or trailing slash). */
export function splitPath(path: string): string[] {
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    throw new ServiceError('badRequest', 'The path is not valid percent-encoded UTF-8.');
  }
}
