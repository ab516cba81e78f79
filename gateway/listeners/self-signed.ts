import { generateKeyPair } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';

/** Of `subjectAltName` (RFC 5280, 4.2.1.6). */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/**
 * A certificate for a server (RFC 5280) with an RSA key of 2048 bits. A signature takes 256 µs of CPU, one with P-256
 * 27 µs, but node-forge makes no certificates for such keys.
 *
 * @param names host names and addresses; one with a zone has no place in a certificate (RFC 5280, 4.2.1.6)
 * @returns both as PEM
 */
export async function createSelfSigned(
  names: readonly string[],
  validity: { readonly from: Date; readonly until: Date },
): Promise<{ readonly cert: string; readonly key: string }> {
  // Later starts read the certificate from its file.
  const { default: forge } = await import('node-forge');
  // Node's threads take a tenth of the time of the library's own arithmetic.
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // Positive: the first byte is 40 to 4f.
  certificate.serialNumber = `4${forge.util.bytesToHex(forge.random.getBytesSync(16)).slice(1)}`;
  certificate.validity.notBefore = validity.from;
  certificate.validity.notAfter = validity.until;
  const subject = [{ name: 'commonName', value: 'Headwater (self-signed)' }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectAltName', altNames: [...new Set(names)].filter(hasNoZone).map(alternative) },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate).replaceAll('\r', ''), key: privateKey };
}

function hasNoZone(name: string): boolean {
  return !name.includes('%');
}

function alternative(name: string) {
  const family = isIP(name);
  if (family === 0) return { type: DNS_NAME, value: name };
  // The URL parser writes the last two groups of an address in hexadecimal too.
  return { type: IP_ADDRESS, ip: family === 6 ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name };
}
