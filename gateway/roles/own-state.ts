import { configDigest } from '../../config/config-digest.ts';
import type { Config } from '../../config/load-config.ts';
import type { ProcessIdentity, ProcessState } from '../../core/contract.ts';
import { processIdentity } from '../process-identity.ts';
import type { Reloads } from './reload.ts';

/** What this process reports of itself. */
export class OwnState {
  readonly identity: ProcessIdentity;
  /** Null as long as it does not listen. */
  address: string | null = null;
  /** Undefined as long as no reload is possible. */
  reloads: Pick<Reloads, 'digest'> | undefined;
  readonly #config: Config;
  readonly #protocol: number | null;

  /** @param protocol null in the role `all` */
  constructor(config: Config, protocol: number | null) {
    this.identity = processIdentity(config.settings);
    this.#config = config;
    this.#protocol = protocol;
  }

  readonly report = (): ProcessState => ({
    ...this.identity,
    address: this.address,
    configuration: this.reloads?.digest ?? configDigest(this.#config),
    protocol: this.#protocol,
  });
}
