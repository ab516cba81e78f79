import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { StartError } from '../config/start-error.ts';

/**
 * The PEM of a setting `<section>.certificateAuthority`; undefined where it is not set.
 *
 * @throws StartError where the file cannot be read or holds no certificate
 */
export async function readAuthority(section: string, file: string | null): Promise<string | undefined> {
  if (file === null) return undefined;
  const name = `${section}.certificateAuthority: ${file}`;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${name} cannot be read (${error.code}).`, { cause: error });
  });
  try {
    new X509Certificate(text);
  } catch (error) {
    throw new StartError(`${name} holds no certificate.`, { cause: error });
  }
  return text;
}
