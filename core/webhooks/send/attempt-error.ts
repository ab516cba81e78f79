import { RefusedTarget } from './address-guard.ts';

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the answer was complete.',
  EPIPE: 'The connection was closed before the answer was complete.',
  ETIMEDOUT: 'The host could not be reached.',
  EHOSTUNREACH: 'The host could not be reached.',
  ENETUNREACH: 'The host could not be reached.',
  EADDRNOTAVAIL: 'The host could not be reached.',
  ENOTFOUND: 'The name of the host is not known.',
  ENODATA: 'The name of the host is not known.',
  EBADNAME: 'The name of the host is not known.',
  EAI_AGAIN: 'The name servers gave no answer.',
  ESERVFAIL: 'The name servers gave no answer.',
  ETIMEOUT: 'The name servers gave no answer.',
  EMFILE: 'This service has no file descriptor left.',
  ERR_INVALID_URL: 'The URL is not valid.',
};

/** The delivery log's sentence about an attempt without an answer; it reveals nothing about this machine. */
export function attemptError(error: unknown): string {
  if (error instanceof RefusedTarget) return error.message;
  const code = codeOf(error);
  const known = TEXTS[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'The answer is not HTTP.';
  if (code.includes('CERT') || code.includes('SIGNATURE') || code.includes('ISSUER'))
    return `The certificate of the host is not valid (${code}).`;
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO')
    return `The TLS connection failed (${code}).`;
  return code === '' ? 'The request failed.' : `The request failed (${code}).`;
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  // Several addresses were tried; got overwrites the codes of the errors it wraps.
  if (Array.isArray(errors) && errors.length > 0) return codeOf(errors[0]);
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : '';
}
