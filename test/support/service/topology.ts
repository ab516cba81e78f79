/** Which processes a service consists of, as HEADWATER_TEST_TOPOLOGY says. */
export interface Topology {
  readonly gateways: number;
  readonly cores: number;
  /** Of the role `worker`; 0 = each core has its own. */
  readonly workers: number;
  /** A Redis for limits and the change feed, and a bucket for the files of assets. */
  readonly hasEngines: boolean;
}

export const HTTP: Topology = { gateways: 1, cores: 1, workers: 0, hasEngines: false };

const TOPOLOGIES: Readonly<Record<string, Topology | undefined>> = {
  all: undefined,
  http: HTTP,
  cluster: { gateways: 2, cores: 2, workers: 0, hasEngines: false },
  full: { gateways: 2, cores: 2, workers: 2, hasEngines: true },
};

/** Undefined = one process of the role `all`. */
export function testTopology(): Topology | undefined {
  const name = process.env['HEADWATER_TEST_TOPOLOGY'] ?? 'all';
  if (!(name in TOPOLOGIES))
    throw new Error(`HEADWATER_TEST_TOPOLOGY is ${name}: use ${Object.keys(TOPOLOGIES).join(', ')}.`);
  const topology = TOPOLOGIES[name];
  if (topology && topology.cores > 1 && process.env['HEADWATER_TEST_DATABASE'] !== 'postgres')
    throw new Error(`HEADWATER_TEST_TOPOLOGY=${name} needs HEADWATER_TEST_DATABASE=postgres.`);
  return topology;
}
