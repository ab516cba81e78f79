/** Gateways in the process of the test, and cores in processes of their own, which the test kills. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../../config/load-config.ts';
import type { RunningGatewayRole } from '../../../gateway/roles/gateway.ts';
import { plugins } from '../../../plugins/registry.ts';
import { HEADWATER_INTERNAL_TOKEN, startGateways } from '../service/start-separately.ts';
import type { Topology } from '../service/topology.ts';

const PROGRAM = join(import.meta.dirname, 'killed-core.mjs');

export interface KilledCoresOptions {
  readonly topology: Topology;
  /** Core `n` has its data in `core-<n>` of it. */
  readonly folder: string;
  /** null = SQLite in the data folder of the only core. */
  readonly databaseUrl: string | null;
  /** Settings of Redis and the bucket. */
  readonly engines: Readonly<Record<string, string>>;
  readonly seed: number;
}

export class KilledCores {
  readonly #options: KilledCoresOptions;
  readonly #cores: (ChildProcess | undefined)[];
  #gateways: readonly RunningGatewayRole[] = [];
  readonly #origin = Date.now();
  #starts = 0;

  private constructor(options: KilledCoresOptions) {
    this.#options = options;
    this.#cores = Array.from({ length: options.topology.cores });
  }

  static async start(options: KilledCoresOptions): Promise<KilledCores> {
    const killed = new KilledCores(options);
    try {
      await Promise.all(killed.#cores.map((_, core) => killed.startCore(core)));
      killed.#gateways = await killed.#startGateways();
    } catch (error) {
      await killed.close();
      throw error;
    }
    return killed;
  }

  /** Of the gateways. */
  get urls(): readonly string[] {
    return this.#gateways.map(({ urls }) => urls.http);
  }

  /** Resolves when gateways can reach it. */
  async startCore(core: number): Promise<void> {
    const { databaseUrl, engines, seed } = this.#options;
    const words = [this.#folderOf(core), this.#addressOf(core), `${this.#starts++}`, `${seed}`];
    if (this.#cores.length > 1) words.push(`${this.#origin}`);
    const child = spawn(process.execPath, [PROGRAM, ...words], {
      env: {
        ...process.env,
        ...engines,
        HEADWATER_ROLE: 'core',
        HEADWATER_DATA_DIR: this.#folderOf(core),
        HEADWATER_INTERNAL_TOKEN,
        ...(databaseUrl !== null && { HEADWATER_DATABASE_URL: databaseUrl }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#cores[core] = child;
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`Core ${core} ended with ${code} before it was ready.`);
      }),
    ]);
  }

  /** Resolves when the process is gone. */
  async killCore(core: number): Promise<void> {
    const child = this.#cores[core];
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async close(): Promise<void> {
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
    await Promise.all(this.#cores.map((_, core) => this.killCore(core)));
  }

  async #startGateways(): Promise<RunningGatewayRole[]> {
    const { topology, folder, engines } = this.#options;
    const schemas = Object.fromEntries(plugins.map(({ name, settings }) => [name, settings]));
    await mkdir(folder, { recursive: true });
    const environment = {
      HEADWATER_DATA_DIR: folder,
      HEADWATER_PORT: '0',
      HEADWATER_TLS_PORT: '0',
      HEADWATER_LOG_LEVEL: 'silent',
      HEADWATER_DRAIN_SECONDS: '1',
      HEADWATER_PIPELINE__OFF: 'rate-limit',
      HEADWATER_PLUGINS__ACCESS_LOG__FILE: join(folder, 'access.log'),
      ...engines,
    };
    return startGateways(
      topology.gateways,
      this.#cores.map((_, core) => this.#addressOf(core)),
      (more) => loadConfig({ environment: { ...environment, ...more } }, schemas),
      folder,
    );
  }

  #folderOf(core: number): string {
    return join(this.#options.folder, `core-${core}`);
  }

  #addressOf(core: number): string {
    return `unix:${join(this.#options.folder, `core-${core}.sock`)}`;
  }
}
