import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { isPublicAddress } from './address-ranges.ts';
import type { ResolveHost } from './resolve-host.ts';

/** Most addresses tried per host. */
const MOST_ADDRESSES = 8;
/** Most addresses whose result is cached. */
const CACHED_ADDRESSES = 1000;

/** A refused target; the delivery log shows the message. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';
}

/**
 * Decides which addresses notifications may be sent to, so that a registered webhook cannot reach what only this
 * machine or its network reaches.
 *
 * `pin` resolves the host and checks every address; the connection then uses one of exactly these, so a name that
 * changes its address in between has no effect. Every attempt calls it again.
 */
export class AddressGuard {
  readonly #resolve: ResolveHost;
  readonly #hosts = new Set<string>();
  readonly #domains: string[] = [];
  readonly #ranges = new BlockList();
  /** The result for an address never changes; a check costs 5 µs. */
  readonly #verified = new Map<string, boolean>();

  /** @param allow addresses, ranges (`10.0.0.0/8`), hosts and `*.domain` that the operator permits */
  constructor(allow: readonly string[], resolve: ResolveHost) {
    this.#resolve = resolve;
    for (const entry of allow) {
      const [address = '', prefix] = entry.split('/');
      const family = isIPv6(address) ? 'ipv6' : 'ipv4';
      if (isIP(address) === 0) {
        if (entry.startsWith('*.')) this.#domains.push(entry.slice(1).toLowerCase());
        else this.#hosts.add(entry.toLowerCase());
      } else if (prefix === undefined) this.#ranges.addAddress(address, family);
      else this.#ranges.addSubnet(address, Number(prefix), family);
    }
  }

  /**
   * The addresses to connect to, at least one.
   * @throws RefusedTarget; whatever the resolver throws
   */
  async pin(url: URL): Promise<readonly LookupAddress[]> {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new RefusedTarget('The URL must begin with https:// or http://.');
    if (url.username !== '' || url.password !== '')
      throw new RefusedTarget('The URL must not hold a user name or password.');
    // The URL parser has normalised every notation of an address (octal, hexadecimal, short, full-width …).
    const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
    const family = isIP(host);
    if (family !== 0) {
      if (!this.#allows(host)) throw new RefusedTarget(`${host} is not on the public internet. ${ADVICE}`);
      return [{ address: host, family }];
    }
    const name = host.endsWith('.') ? host.slice(0, -1) : host;
    if (name === '') throw new RefusedTarget('The URL has no host.');
    const addresses = (await this.#resolve(name)).slice(0, MOST_ADDRESSES);
    if (addresses.length === 0) throw new RefusedTarget(`${name} has no address.`);
    if (this.#hosts.has(name) || this.#domains.some((domain) => name.endsWith(domain))) return addresses;
    // One refused address refuses the host: legitimate hosts do not mix, and the connection may use any of them.
    const refused = addresses.find(({ address }) => !this.#allows(address));
    if (refused)
      throw new RefusedTarget(
        `${name} has the address ${refused.address}, which is not on the public internet. ${ADVICE}`,
      );
    return addresses;
  }

  #allows(zoned: string): boolean {
    const known = this.#verified.get(zoned);
    if (known !== undefined) return known;
    if (this.#verified.size >= CACHED_ADDRESSES) this.#verified.clear();
    const allowed = this.#isPermitted(zoned.split('%')[0] ?? '');
    this.#verified.set(zoned, allowed);
    return allowed;
  }

  #isPermitted(address: string): boolean {
    if (isIP(address) === 0) return false;
    return isPublicAddress(address) || this.#ranges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}

const ADVICE = 'To send there, add the host, address or range to the setting webhooks.allow.';
