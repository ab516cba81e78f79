import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { FIRST_ROW, fetchListing } from '../delivery/listings.ts';
import { listingPath, startCached } from '../gateway/cached-service.ts';
import type { FastOrder, FastResult } from '../gateway/fast-load.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { startService } from '../service.ts';
import { cpuOf, startCluster } from './cluster.ts';

const CONNECTIONS = 12;

/** What a gateway and a core in two processes cost against both in one. */
export const coreOverHttp: Measure = {
  name: 'core-over-http',
  about: 'a cached listing, an uncached page of 20 and an uncached item: core over HTTP ÷ in process',
  async run({ datasets, rounds, requests, large, load }: Bench): Promise<readonly Figure[]> {
    const small = await datasets.of(1000);
    const cachedInline = await startCached(await datasets.copy(small, 'scale-cached-inline'));
    const cachedRemote = await startCluster(datasets, await datasets.copy(small, 'scale-cached-remote'));
    const path = await listingPath(cachedInline);
    const [cachedGateway] = cachedRemote.gateways;
    const fast = startChild<FastOrder, FastResult>('gateway/fast-load.ts');
    const headers = { 'Accept-Encoding': 'identity' };
    const cached = (port: number) => async () =>
      (await fast.ask({ port, path, headers, connections: 32, requests: requests(30_000) })).perSecond;
    for (const { port } of [cachedInline, cachedGateway!]) {
      await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).arrayBuffer();
    }
    const hits = await takeTurns(rounds, {
      inline: cached(cachedInline.port),
      remote: cached(cachedGateway!.port),
    });

    const dataset = await datasets.of(large);
    const off = { PIPELINE__OFF: 'rate-limit,response-cache' };
    const inline = await startService(await datasets.copy(dataset, 'scale-inline'));
    const remote = await startCluster(datasets, await datasets.copy(dataset, 'scale-remote'), {
      settings: off,
    });
    const [gateway] = remote.gateways;
    const page = await fetchListing(inline, FIRST_ROW, 20);
    const item = `/delivery/${dataset.project}/items/${codenameOf(page.items[0])}`;
    const uncached = (port: number, at: string, count: number, cpu: () => number) => async () => {
      const before = cpu();
      const order = { port, path: at, connections: CONNECTIONS, requests: requests(count) };
      const { perSecond } = await load.run(order);
      return { perSecond, cpu: (cpu() - before) / requests(count) };
    };
    const cpuInline = () => cpuMilliseconds(inline.pid);
    const cpuRemote = () => cpuOf(remote);
    const found = await takeTurns(rounds, {
      pageInline: uncached(inline.port, page.path, 3000, cpuInline),
      pageRemote: uncached(gateway!.port, page.path, 3000, cpuRemote),
      itemInline: uncached(inline.port, item, 6000, cpuInline),
      itemRemote: uncached(gateway!.port, item, 6000, cpuRemote),
    });
    return [
      {
        name: 'cached listing, requests/s',
        ...compared(hits.remote, hits.inline),
        unit: '×',
        target: { atLeast: 0.97 },
        detail: `${median(hits.remote).toFixed(0)}/s ÷ ${median(hits.inline).toFixed(0)}/s`,
      },
      ...pair('uncached page of 20', found.pageRemote, found.pageInline, true),
      ...pair('uncached item', found.itemRemote, found.itemInline, false),
    ];
  },

  async compare({ datasets, requests, large, load }: Bench) {
    const dataset = await datasets.copy(await datasets.of(large), 'scale-remote');
    const cluster = await startCluster(datasets, dataset, {
      settings: { PIPELINE__OFF: 'rate-limit,response-cache' },
    });
    const [gateway] = cluster.gateways;
    const page = await fetchListing(gateway!, FIRST_ROW, 20);
    return {
      async 'an uncached page of 20 by gateway and core'() {
        const before = cpuOf(cluster);
        const order = {
          port: gateway!.port,
          path: page.path,
          connections: CONNECTIONS,
          requests: requests(3000),
        };
        const { perSecond } = await load.run(order);
        return { perSecond, cpu: (cpuOf(cluster) - before) / order.requests };
      },
    };
  },
};

type Turns = readonly { readonly perSecond: number; readonly cpu: number }[];

function pair(name: string, remote: Turns, inline: Turns, hasTarget: boolean): Figure[] {
  const rate = (turns: Turns) => turns.map(({ perSecond }) => perSecond);
  const cpu = (turns: Turns) => turns.map((turn) => turn.cpu);
  return [
    {
      name: `${name}, requests/s`,
      ...compared(rate(remote), rate(inline)),
      unit: '×',
      ...(hasTarget && { target: { atLeast: 0.5 } }),
      detail: `${median(rate(remote)).toFixed(0)}/s ÷ ${median(rate(inline)).toFixed(0)}/s`,
    },
    {
      name: `${name}, CPU of both processes`,
      ...compared(cpu(remote), cpu(inline)),
      unit: '×',
      ...(hasTarget && { target: { atMost: 1.6 } }),
      detail: `${median(cpu(remote)).toFixed(3)} ms ÷ ${median(cpu(inline)).toFixed(3)} ms`,
    },
  ];
}

function codenameOf(item: unknown): string {
  return (item as { readonly system: { readonly codename: string } }).system.codename;
}
