import type { IncomingHttpHeaders } from 'node:http2';
import { isIP } from 'node:net';
import { ServiceError } from '../../core/contract.ts';
import { type ClientFacet, definePlugin, SURFACES, type SurfaceFacet } from '../contract.ts';
import { settings } from './schema.ts';

const HSTS = 'strict-transport-security';

/**
 * Refuses requests that crossed a network unencrypted: headers hold keys. No redirect, because the key has been sent
 * unencrypted by then and the client would not notice. Health probes have no key and pass.
 */
export const plugin = definePlugin({
  name: 'https-only',
  phase: 'edge',
  after: ['cors'],
  surfaces: SURFACES,
  settings,
  setup({ required, hsts }) {
    const policy = policyOf(hsts);
    /** Most requests name the same host. */
    let last = { authority: '', isPublic: false };
    const isPublic = (authority: string) => {
      if (last.authority !== authority) last = { authority, isPublic: isPublicName(authority) };
      return last.isPublic;
    };
    return {
      onRequest(exchange) {
        const { req, state } = exchange;
        const { client, surface } = state;
        if (client.scheme === 'https') {
          const headers: IncomingHttpHeaders = req.headers;
          if (policy !== undefined && isPublic(headers[':authority'] ?? headers.host ?? ''))
            exchange.set(HSTS, policy);
        } else if (required && !client.loopback && !isProbe(surface)) {
          throw new ServiceError('forbiddenTransport', sentenceFor(client));
        }
        return 'next';
      },
    };
  },
});

function policyOf(hsts: {
  readonly maxAgeSeconds: number;
  readonly includeSubDomains: boolean;
  readonly preload: boolean;
}): string | undefined {
  if (hsts.maxAgeSeconds === 0) return undefined;
  const more = (hsts.includeSubDomains ? '; includeSubDomains' : '') + (hsts.preload ? '; preload' : '');
  return `max-age=${hsts.maxAgeSeconds}${more}`;
}

function isProbe({ name, path }: SurfaceFacet): boolean {
  return name === 'health' && (path === '/live' || path === '/ready');
}

/** An address cannot have a policy (RFC 6797 section 8.1.1), and that of a loopback name would apply to every program there. */
function isPublicName(authority: string): boolean {
  const name = authority
    .toLowerCase()
    // Browsers drop a dot at the end of a name.
    .replace(/\.?(?::\d*)?$/, '');
  if (name === '' || name.startsWith('[') || isIP(name) !== 0) return false;
  return name !== 'localhost' && !name.endsWith('.localhost');
}

function sentenceFor({ viaTrustedProxy, address }: ClientFacet): string {
  const rest =
    'The operator of the service can allow plain HTTP with required: false in plugins/https-only.yaml ' +
    '(HEADWATER_PLUGINS__HTTPS_ONLY__REQUIRED=false).';
  if (viaTrustedProxy) {
    return `Use HTTPS: the proxy does not send 'X-Forwarded-Proto: https' with this request. ${rest}`;
  }
  if (address === '::1' || address.startsWith('127.')) {
    return (
      'Use HTTPS: this request was forwarded by a proxy on this machine that is not one of the trustedProxies ' +
      `of the service (HEADWATER_TRUSTED_PROXIES=${address}). ${rest}`
    );
  }
  return `Use HTTPS: plain HTTP is answered on the machine of the service and behind a trusted proxy only. ${rest}`;
}
