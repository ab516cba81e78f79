import type { Bench, Measure } from '../benchmark.ts';
import { FIRST_ROW, fetchListing } from '../delivery/listings.ts';
import { startLoadClient } from '../load-client.ts';
import { compared, median } from '../rounds.ts';
import { startImages } from './image-service.ts';
import { images } from './sources.ts';

const READERS = 4;
/** More than can be made, less than the queue holds: a host always has work. */
const STORM_CONNECTIONS = 24;

/** New sizes of images, as many as can be made: does the content API notice? */
export const storm: Measure = {
  name: 'storm',
  about: 'p99 of a delivery listing while images are made without a pause ÷ while none are',
  async run(bench: Bench) {
    const { read, inStorm } = await readers(bench);
    await read();
    const idle: number[] = [];
    const busy: number[] = [];
    for (let round = 0; round < bench.rounds; round++) {
      idle.push((await read()).p99);
      busy.push((await inStorm(read)).p99);
    }
    return [
      {
        name: `delivery p99 in the storm ÷ idle, ${READERS} connections`,
        ...compared(busy, idle),
        unit: '×' as const,
        target: { atMost: 3 },
        detail: `${median(busy).toFixed(1)} ms ÷ ${median(idle).toFixed(1)} ms`,
      },
    ];
  },

  async compare(bench: Bench) {
    const { read, inStorm } = await readers(bench);
    return {
      async 'delivery while images are made'() {
        const { p50, p99 } = await inStorm(read);
        return { p50, p99 };
      },
    };
  },
};

async function readers(bench: Bench) {
  const ours = await startImages(bench, await images(bench, 'storm'));
  const { path } = await fetchListing(ours, FIRST_ROW, 20);
  const other = startLoadClient();
  return {
    read: () =>
      bench.load.run({ port: ours.port, path, connections: READERS, requests: bench.requests(3000) }),
    /** Does the work while images are made without a pause. */
    async inStorm<Found>(work: () => Promise<Found>): Promise<Found> {
      let stormy = true;
      const order = {
        port: ours.port,
        path: ours.path('jpeg'),
        connections: STORM_CONNECTIONS,
        requests: 48,
      };
      const makes = async () => {
        while (stormy) await other.run(order);
      };
      const making = makes();
      // Until hosts are at work.
      await new Promise((resolve) => setTimeout(resolve, 700));
      try {
        return await work();
      } finally {
        stormy = false;
        await making;
      }
    },
  };
}
