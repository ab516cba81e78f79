import type { LookupAddress } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, type RequestOptions, request } from 'node:http';
import { Agent as HttpsAgent, request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';

/**
 * How long a connection waits for the next notification, ms. One that the receiver is about to close would cost the
 * notification behind it an attempt and a minute: Node's servers close after 5 s, some after 2.
 */
const IDLE = 1500;
/**
 * Before the next address of a host is tried, ms. Node's own 250 would give up a host on the other side of the world
 * whose IPv6 does not get through.
 */
const EACH_ADDRESS = 5000;
/** Waiting connections to one place: a lane has at most one, but many webhooks may lead to one host. */
const WAITING = 256;

interface Pinned {
  /** Part of the name that connections are kept under: one made to another address is not used again. */
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

/** Makes requests that go to checked addresses and nowhere else, whatever the environment says about proxies. */
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

  /** A POST to `url`, its host looked up nowhere but in `addresses`. Host and SNI stay those of the URL. */
  request(
    url: URL,
    addresses: readonly LookupAddress[],
    headers: Readonly<Record<string, string>>,
  ): ClientRequest {
    const secure = url.protocol === 'https:';
    // Ten fields instead of the fifty that got would hand over: a fifth of the CPU of a request.
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
