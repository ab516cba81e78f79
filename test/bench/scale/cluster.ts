/** Cores and gateways as processes of their own on this machine. */
import { join } from 'node:path';
import type { Dataset, Datasets } from '../datasets.ts';
import { ADMIN_TOKEN, type ManagedService, managed } from '../management/managed-service.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { freePort, type Service, serviceSettings, startProgram } from '../service.ts';

export const INTERNAL_TOKEN = 'a-secret-for-the-benchmark-0123456789';

export type Program = Pick<Service, 'port' | 'pid' | 'end'>;

export interface Cluster {
  readonly cores: readonly Program[];
  readonly gateways: readonly Service[];
  /** The management API by the first gateway. */
  managed(): Promise<ManagedService>;
  /** Another gateway of the same cores, or of some of them. */
  addGateway(cores?: readonly Program[]): Promise<Service>;
  /** Starts a core that has ended again, at its address and over its data folder. */
  restartCore(index: number): Promise<void>;
}

export interface ClusterOptions {
  readonly gateways?: number;
  /** More than one needs a database server. */
  readonly cores?: number;
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startCluster(
  datasets: Datasets,
  dataset: Dataset,
  options: ClusterOptions = {},
): Promise<Cluster> {
  const settings = { INTERNAL_TOKEN, ADMIN_TOKEN, PIPELINE__OFF: 'rate-limit', ...options.settings };
  const cores: Program[] = [];
  const startCore = (port: number, folder: string) => {
    const own = {
      ...settings,
      ROLE: 'core',
      LISTEN: `127.0.0.1:${port}`,
      ...(options.cores !== undefined && { FILES_DIR: join(dataset.folder, 'files') }),
    };
    return startProgram(dataset.checkout, serviceSettings(folder, port, own), port);
  };
  const folderOf = (index: number) => (index === 0 ? dataset.folder : `${dataset.folder}-core-${index}`);
  for (let index = 0; index < (options.cores ?? 1); index += 1)
    cores.push(await startCore(await freePort(), folderOf(index)));
  const folder = await datasets.folder(`gateways-${cores[0]!.port}`);
  const gateways: Service[] = [];
  const addGateway = async (of: readonly Program[] = cores): Promise<Service> => {
    const port = await freePort();
    const own = serviceSettings(join(folder, String(port)), port, {
      ...settings,
      ROLE: 'gateway',
      CORES: of.map((core) => `127.0.0.1:${core.port}`).join(),
    });
    const program = await startProgram(dataset.checkout, own, port);
    const gateway = {
      ...program,
      itemsPath: (query: string) => `/delivery/${dataset.project}/items?${query}`,
    };
    gateways.push(gateway);
    return gateway;
  };
  for (let count = 0; count < (options.gateways ?? 1); count += 1) await addGateway();
  return {
    cores,
    gateways,
    managed: () => managed(gateways[0]!, dataset),
    addGateway,
    async restartCore(index) {
      cores[index] = await startCore(cores[index]!.port, folderOf(index));
    },
  };
}

/** CPU time of all processes of the cluster, in milliseconds. */
export function cpuOf({ cores, gateways }: Pick<Cluster, 'cores' | 'gateways'>): number {
  return [...cores, ...gateways].reduce((sum, { pid }) => sum + cpuMilliseconds(pid), 0);
}
