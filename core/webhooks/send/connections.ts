import type { LookupAddress } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, type RequestOptions, request } from 'node:http';
import { Agent as HttpsAgent, request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';

/**
 * How long an idle connection stays open, ms. A connection that the receiver is about to close would cost the next
 * notification an attempt and a minute: Node's servers close after 5 s, some after 2.
 */
const IDLE = 1500;
/** Time per address of a host, ms. Node's own 250 ms would abandon a distant host whose IPv6 does not work. */
const EACH_ADDRESS = 5000;
/** Idle connections per target: a queue has at most one, but many webhooks may share a host. */
const WAITING = 256;

interface Pinned {
  /** Part of the agent's key: a connection to another address is not reused. */
  readonly pinned: string;
}

class PinnedHttpAgent extends HttpAgent {
  override getName(options?: RequestOptions & Partial<Pinned>): string {
    return `${super.getName(options)}:${options?.pinned}`;
  }
}

class PinnedHttpsAgent extends HttpsAgent {
  override getName(options?: RequestOptions & Partial<Pinned>): string {
    return `${super.getName(options)}:${options?.pinned}`;
  }
}

/** Opens connections to checked addresses only, whatever proxies the environment names. */
export class Connections {
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  /** @param authority PEM of certificate authorities that are trusted beside the usual ones */
  constructor(authority?: string) {
    const options = { keepAlive: true, scheduling: 'lifo', timeout: IDLE, maxFreeSockets: WAITING } as const;
    this.#http = new PinnedHttpAgent(options);
    this.#https = new PinnedHttpsAgent({
      ...options,
      rejectUnauthorized: true,
      // Read once: reading all authorities for each connection took 17 ms of CPU.
      ...(authority !== undefined && {
        secureContext: createSecureContext({ ca: [...rootCertificates, authority] }),
      }),
    });
  }

  /** A POST to `url` that resolves its host only to `addresses`. Host header and SNI stay those of the URL. */
  request(
    url: URL,
    addresses: readonly LookupAddress[],
    headers: Readonly<Record<string, string>>,
  ): ClientRequest {
    const secure = url.protocol === 'https:';
    // Ten fields instead of the fifty that got would pass: a fifth of the CPU of a request.
    const options: RequestOptions & Pinned & { readonly autoSelectFamilyAttemptTimeout: number } = {
      protocol: url.protocol,
      hostname: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers,
      agent: secure ? this.#https : this.#http,
      lookup: onlyAmong(addresses),
      autoSelectFamilyAttemptTimeout: EACH_ADDRESS,
      pinned: addresses.length === 1 ? addresses[0]!.address : addresses.map(({ address }) => address).join(),
    };
    return secure ? secureRequest(options) : request(options);
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

function onlyAmong(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}
