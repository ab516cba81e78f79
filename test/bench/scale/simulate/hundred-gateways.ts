import type { Bench, Figure, Measure } from '../../benchmark.ts';
import { simulateGateway } from './simulate-gateway.ts';

const GATEWAYS = 100;
/** The rest are like these: the same commits, other readers. */
const SIMULATED = 5;
const CORES = 2;
const READS_PER_SECOND = 100;
const SECONDS = 900;
const PUBLISHES: Readonly<Record<string, number>> = {
  'a publish a minute': 1 / 60,
  'a publish a second': 1,
  '10 publishes a second': 10,
};

/** Many gateways of one installation; what is simulated is in `config/README.md`, "How far it scales". */
export const hundredGateways: Measure = {
  name: 'hundred-gateways',
  about: `${GATEWAYS} gateways (${SIMULATED} of them are simulated, the rest counted alike) with ${READS_PER_SECOND} reads/s each of 20,000 items and 1,000 listings, Zipf-distributed, in simulated time: hit rate, calls of core, traffic of the change feed`,
  async run({ progress }: Bench): Promise<readonly Figure[]> {
    const seconds = SECONDS;
    const counted = (seconds * 2) / 3 / (GATEWAYS / SIMULATED);
    const figures: Figure[] = [];
    for (const [name, publishesPerSecond] of Object.entries(PUBLISHES)) {
      const sum = { reads: 0, hits: 0, unchanged: 0, items: 0, listings: 0, feedBytes: 0 };
      for (let gateway = 0; gateway < SIMULATED; gateway += 1) {
        const found = await simulateGateway(
          { readsPerSecond: READS_PER_SECOND, publishesPerSecond, seconds },
          gateway + 1,
        );
        for (const part of Object.keys(sum) as (keyof typeof sum)[]) sum[part] += found[part];
      }
      const perSecond = (count: number) => Math.round(count / counted);
      progress(`  ${name}: ${sum.reads} reads`);
      figures.push(
        {
          name: `${name}: answered from the cache`,
          value: sum.hits / sum.reads,
          unit: '×',
          detail: `of ${perSecond(sum.reads)} reads/s; core gets ${perSecond(sum.items)} items, ${perSecond(sum.listings)} listings and ${perSecond(sum.unchanged)} checks (304) a second`,
        },
        {
          name: `${name}: change feed, all links`,
          value: (sum.feedBytes * CORES) / counted / 1e6,
          unit: 'MB',
          detail: `a second; ${GATEWAYS} × ${CORES} links`,
        },
      );
    }
    return figures;
  },
  compare: { leftOut: 'it counts in simulated time, and measures none' },
};
