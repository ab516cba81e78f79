import { z } from 'zod';

const file = z.string().min(1).nullable().default(null);

/**
 * Files of a certificate and its key.
 * @param without what happens without them
 */
export function certificateFiles(without: string) {
  return {
    certificate: file.meta({
      path: true,
      description: `PEM file with the certificate chain; null = ${without}.`,
    }),
    key: file.meta({ path: true, description: 'PEM file with the private key of that certificate.' }),
  };
}

interface Pair {
  readonly certificate: string | null;
  readonly key: string | null;
}

/** Both files, or neither. */
export function checkPair(name: string): z.core.CheckFn<Pair> {
  return ({ value, issues }) => {
    if ((value.certificate === null) === (value.key === null)) return;
    const [missing, other] = value.key === null ? ['key', 'certificate'] : ['certificate', 'key'];
    const message = `must be given too, since ${name}.${other} is`;
    issues.push({ code: 'custom', path: [missing], message, input: null });
  };
}
