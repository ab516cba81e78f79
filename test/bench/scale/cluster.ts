/** Core and gateways as processes of their own on this machine. */
import { join } from 'node:path';
import type { Dataset, Datasets } from '../datasets.ts';
import { ADMIN_TOKEN, type ManagedService, managed } from '../management/managed-service.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { freePort, type Service, serviceSettings, startProgram } from '../service.ts';

const INTERNAL_TOKEN = 'a-secret-for-the-benchmark-0123456789';

export interface Cluster {
  readonly core: Pick<Service, 'port' | 'pid' | 'end'>;
  readonly gateways: readonly Service[];
  /** The management API by the first gateway. */
  managed(): Promise<ManagedService>;
  /** Another gateway of the same core. */
  addGateway(): Promise<Service>;
}

export async function startCluster(
  datasets: Datasets,
  dataset: Dataset,
  options: { readonly gateways?: number; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<Cluster> {
  const settings = { INTERNAL_TOKEN, ADMIN_TOKEN, PIPELINE__OFF: 'rate-limit', ...options.settings };
  const corePort = await freePort();
  const core = await startProgram(
    dataset.checkout,
    serviceSettings(dataset.folder, corePort, { ...settings, ROLE: 'core', LISTEN: `127.0.0.1:${corePort}` }),
    corePort,
  );
  const folder = await datasets.folder(`gateways-${corePort}`);
  const gateways: Service[] = [];
  const addGateway = async (): Promise<Service> => {
    const port = await freePort();
    const own = serviceSettings(join(folder, String(port)), port, {
      ...settings,
      ROLE: 'gateway',
      CORES: `127.0.0.1:${corePort}`,
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
  return { core, gateways, managed: () => managed(gateways[0]!, dataset), addGateway };
}

/** CPU time of all processes of the cluster, in milliseconds. */
export function cpuOf({ core, gateways }: Pick<Cluster, 'core' | 'gateways'>): number {
  return [core, ...gateways].reduce((sum, { pid }) => sum + cpuMilliseconds(pid), 0);
}
