import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { StartError } from '../../config/start-error.ts';
import { createSelfSigned } from './self-signed.ts';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Files of the operator, both or neither. */
export interface CertificateFiles {
  readonly certificate: string | null;
  readonly key: string | null;
}

const YEARS_VALID = 10;
const HOUR_MS = 3600 * 1000;
const MONTH_MS = 30 * 24 * HOUR_MS;

/**
 * The configured certificate, or a self-signed one, which is created on the first start and again a month before it
 * expires.
 *
 * @param names host names and addresses of a self-signed certificate
 * @throws StartError where the files cannot be read or are no pair
 */
export async function loadCertificate(
  files: CertificateFiles,
  options: { readonly dataDir: string; readonly names: readonly string[]; readonly now: Date },
): Promise<Certificate> {
  const configured = await configuredCertificate(files);
  if (configured) return configured;
  const folder = join(options.dataDir, 'tls');
  const paths = { cert: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') };
  const stored = await readPair(paths);
  if (stored !== undefined && isUsable(stored.cert, options.now)) {
    check(stored.cert, stored.key, paths.cert, paths.key);
    return stored;
  }
  const until = new Date(options.now);
  until.setUTCFullYear(until.getUTCFullYear() + YEARS_VALID);
  // A client's clock may be a little behind.
  const from = new Date(options.now.getTime() - HOUR_MS);
  const created = await createSelfSigned(options.names, { from, until });
  await store(folder, paths, created);
  return created;
}

/**
 * Undefined where no files are configured.
 *
 * @throws StartError where the files cannot be read or are no pair
 */
export async function configuredCertificate(files: CertificateFiles): Promise<Certificate | undefined> {
  if (files.certificate === null || files.key === null) return undefined;
  // One after the other: where both are missing, the message is the same each time.
  const cert = await read(files.certificate);
  const key = await read(files.key);
  check(cert, key, files.certificate, files.key);
  return { cert, key };
}

/** The key first, and each file by rename: an interrupted start leaves no mismatched pair. */
async function store(folder: string, paths: Certificate, { cert, key }: Certificate): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await rm(paths.cert, { force: true });
    for (const [path, text, mode] of [
      [paths.key, key, 0o600],
      [paths.cert, cert, 0o644],
    ] as const) {
      await writeFile(`${path}.new`, text, { mode });
      await rename(`${path}.new`, path);
    }
  } catch (cause) {
    throw new StartError(`The self-signed certificate cannot be written to ${folder}: ${codeOf(cause)}.`, {
      cause,
    });
  }
}

async function readPair(paths: Certificate): Promise<Certificate | undefined> {
  const [cert, key] = await Promise.all(
    [paths.cert, paths.key].map((path) =>
      readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'ENOENT') return undefined;
        throw new StartError(`${path} cannot be read: ${codeOf(cause)}.`, { cause });
      }),
    ),
  );
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

function isUsable(cert: string, now: Date): boolean {
  try {
    return Date.parse(new X509Certificate(cert).validTo) - now.getTime() > MONTH_MS;
  } catch {
    return false;
  }
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new StartError(`The TLS file ${path} cannot be read: ${codeOf(cause)}.`, { cause });
  }
}

function check(cert: string, key: string, certPath: string, keyPath: string): void {
  const parsed = attempt(() => new X509Certificate(cert), `${certPath} holds no PEM certificate.`);
  const privateKey = attempt(
    () => createPrivateKey(key),
    `${keyPath} holds no PEM private key without passphrase.`,
  );
  if (!parsed.checkPrivateKey(privateKey)) {
    throw new StartError(`The key in ${keyPath} is not the one of the certificate in ${certPath}.`);
  }
  // TLS itself checks the rest: the length of the key, the chain.
  attempt(() => createSecureContext({ cert, key }), `The certificate in ${certPath} cannot be used for TLS.`);
}

function attempt<T>(work: () => T, sentence: string): T {
  try {
    return work();
  } catch (cause) {
    throw new StartError(sentence, { cause });
  }
}

function codeOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such file' : (code ?? message);
}
