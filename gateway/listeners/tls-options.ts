import type { SecureContextOptions } from 'node:tls';
import type { Certificate } from './certificate.ts';

/**
 * The "intermediate" list of Mozilla's guideline for servers (version 5.7) without its suites on finite-field
 * Diffie-Hellman: forward secrecy and authenticated encryption only, for every client of the last ten years.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

export function tlsOptions({ cert, key }: Certificate): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: CIPHERS.join(':'),
    // A client prefers the suite that its machine computes faster, AES or ChaCha20 (the same guideline).
    honorCipherOrder: false,
  };
}
