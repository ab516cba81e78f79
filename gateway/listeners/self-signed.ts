import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** Tags of DER (ITU-T X.690). */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** Of the context: tagged fields of a structure. */
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

/** Object identifiers, encoded. */
const ID = {
  ecdsaWithSha256: oid('2a8648ce3d040302'),
  commonName: oid('550403'),
  keyUsage: oid('551d0f'),
  subjectAltName: oid('551d11'),
  basicConstraints: oid('551d13'),
  extKeyUsage: oid('551d25'),
  serverAuth: oid('2b06010505070301'),
};

/** Times from this year on are written with four digits (RFC 5280, 4.1.2.5). */
const FOUR_DIGITS = 2050;

/**
 * A certificate for a server (RFC 5280) with a key on the curve P-256. Node has no call for it, and the libraries that
 * have one bring 22 packages.
 *
 * @param names host names and addresses
 * @returns both as PEM
 */
export function createSelfSigned(
  names: readonly string[],
  validity: { readonly from: Date; readonly until: Date },
): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(TAG.sequence, ID.ecdsaWithSha256);
  const name = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, ID.commonName, der(TAG.utf8, Buffer.from('Headwater (self-signed)')))),
  );
  const serial = randomBytes(16);
  // Positive, and never zero.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const content = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.of(2))),
    der(TAG.integer, serial),
    algorithm,
    name,
    der(TAG.sequence, time(validity.from), time(validity.until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      TAG.extensions,
      der(
        TAG.sequence,
        critical(ID.basicConstraints, der(TAG.sequence)),
        // The first bit: digitalSignature.
        critical(ID.keyUsage, der(TAG.bits, Buffer.of(7, 0x80))),
        extension(ID.extKeyUsage, der(TAG.sequence, ID.serverAuth)),
        extension(ID.subjectAltName, der(TAG.sequence, ...[...new Set(names)].map(alternative))),
      ),
    ),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = der(TAG.sequence, content, algorithm, der(TAG.bits, Buffer.of(0), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function oid(hex: string): Buffer {
  return Buffer.concat([Buffer.of(0x06, hex.length / 2), Buffer.from(hex, 'hex')]);
}

function critical(id: Buffer, value: Buffer): Buffer {
  return der(TAG.sequence, id, der(TAG.boolean, Buffer.of(0xff)), der(TAG.octets, value));
}

function extension(id: Buffer, value: Buffer): Buffer {
  return der(TAG.sequence, id, der(TAG.octets, value));
}

function time(at: Date): Buffer {
  const digits = `${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return at.getUTCFullYear() < FOUR_DIGITS
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits));
}

function alternative(name: string): Buffer {
  const family = isIP(name);
  if (family === 0) return der(TAG.dnsName, Buffer.from(name, 'latin1'));
  return der(TAG.ipAddress, family === 4 ? Buffer.from(name.split('.').map(Number)) : ipv6(name));
}

function ipv6(address: string): Buffer {
  // The URL parser writes the last two groups in hexadecimal too.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text = '') => (text === '' ? [] : text.split(':'));
  const [first, last] = [groups(before), groups(after)];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  return Buffer.from([...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
