import { lookup } from 'node:dns/promises';
import { parseCoreAddress } from '../../../config/core-address.ts';
import { urlHost } from '../../../config/url-host.ts';
import { LastingFailure } from '../../lasting-failure.ts';
import { type ConnectionOptions, CoreConnection } from './core-connection.ts';
import type { FeedLink, LinkReport } from './feed-link.ts';

const RESOLVE_MS = 5000;

export interface CoreListOptions extends ConnectionOptions {
  /** As the setting `cores` has them. */
  readonly cores: readonly string[];
  /** The addresses of a DNS name; the system's resolver unless given. */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
  /** Time between two resolutions. */
  readonly resolveMilliseconds?: number | undefined;
  readonly onUnresolved: (error: Error) => void;
  /** Follows the change feed of a core as long as it is listed. */
  readonly follow: (connection: CoreConnection) => FeedLink;
}

/** The cores of a gateway: those of its settings, or what a DNS name resolves to at the moment. */
export class CoreList {
  connections: readonly CoreConnection[] = [];
  readonly #options: CoreListOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #links = new Map<CoreConnection, FeedLink>();
  readonly #failure = new LastingFailure();
  #isResolving = false;
  /** Resolves when each core was greeted, or failed to answer. */
  readonly greeted: Promise<void>;
  isGreeted = false;

  constructor(options: CoreListOptions) {
    this.#options = options;
    const [first = ''] = options.cores;
    const address = parseCoreAddress(first);
    if (address?.kind === 'tcp' && address.every) {
      const { host, port } = address;
      const update = () => this.#resolve(host, port);
      this.greeted = update().then(() => this.#allGreeted());
      this.#timer = setInterval(update, options.resolveMilliseconds ?? RESOLVE_MS).unref();
    } else {
      this.#replace(options.cores);
      this.greeted = this.#allGreeted();
    }
  }

  link(connection: CoreConnection): LinkReport | undefined {
    return this.#links.get(connection)?.report;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#links.values()].map((link) => link.close()));
    await Promise.all(this.connections.map((one) => one.close()));
  }

  async #allGreeted(): Promise<void> {
    await Promise.all(this.connections.map(({ greeted }) => greeted));
    this.isGreeted = true;
  }

  /** The cores stay what they are while the name cannot be resolved. */
  async #resolve(host: string, port: number): Promise<void> {
    if (this.#isResolving) return;
    this.#isResolving = true;
    try {
      const found = await (this.#options.resolve ?? addressesOf)(host);
      this.#failure.end();
      this.#replace(found.map((one) => `${urlHost(one)}:${port}`));
    } catch (error) {
      if (this.#failure.begin()) this.#options.onUnresolved(error as Error);
    } finally {
      this.#isResolving = false;
    }
  }

  /** Connections to cores that are no longer listed end after their calls. */
  #replace(names: readonly string[]): void {
    const before = new Map(this.connections.map((one) => [one.name, one]));
    this.connections = [...new Set(names)].map((name) => before.get(name) ?? this.#add(name));
    for (const one of before.values()) if (!this.connections.includes(one)) this.#remove(one);
  }

  #add(name: string): CoreConnection {
    const connection = new CoreConnection(name, this.#options);
    this.#links.set(connection, this.#options.follow(connection));
    return connection;
  }

  async #remove(connection: CoreConnection): Promise<void> {
    await this.#links.get(connection)?.close();
    this.#links.delete(connection);
    await connection.retire();
  }
}

async function addressesOf(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}
