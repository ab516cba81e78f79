import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Bench, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { listingPath } from '../gateway/cached-service.ts';
import type { FastOrder, FastResult } from '../gateway/fast-load.ts';
import { cleanEnvironment, start } from '../processes.ts';
import { median, takeTurns } from '../rounds.ts';
import { freePort, ready } from '../service.ts';
import { startCluster } from './cluster.ts';

const CONNECTIONS = 64;
const POLL_MS = 50;
/** Two gateways, the load, and the rest of the machine. */
const CPUS_NEEDED = 4;

/** What a second process gains, against what it gains for a bare server. */
export const gatewayProcesses: Measure = {
  name: 'gateway-processes',
  about: 'a cached listing: (2 gateway processes ÷ 1) ÷ (2 bare servers ÷ 1)',
  async run({ datasets, rounds, requests }: Bench) {
    const dataset = await datasets.of(1000);
    const one = await startCluster(datasets, await datasets.copy(dataset, 'scale-one-process'));
    const two = await startCluster(datasets, await datasets.copy(dataset, 'scale-two-processes'), {
      settings: { GATEWAY__PROCESSES: '2' },
    });
    const path = await listingPath(one.gateways[0]!);
    const { length } = await (await fetch(`http://127.0.0.1:${one.gateways[0]!.port}${path}`)).text();
    await warmUp(`http://127.0.0.1:${one.gateways[0]!.port}${path}`, 1);
    await warmUp(`http://127.0.0.1:${two.gateways[0]!.port}${path}`, 2);
    const load = startChild<FastOrder, FastResult>('gateway/fast-load.ts');
    const rate = (port: number) => async () =>
      (
        await load.ask({
          port,
          path,
          headers: { 'Accept-Encoding': 'identity' },
          connections: CONNECTIONS,
          requests: requests(30_000),
        })
      ).perSecond;
    const found = await takeTurns(rounds, {
      one: rate(one.gateways[0]!.port),
      two: rate(two.gateways[0]!.port),
      bareOne: rate(await startBare(1, length)),
      bareTwo: rate(await startBare(2, length)),
    });
    const gains = found.two.map((perSecond, round) => {
      const bare = found.bareTwo[round]! / found.bareOne[round]!;
      return perSecond / found.one[round]! / bare;
    });
    const hasCpus = availableParallelism() >= CPUS_NEEDED;
    const rates = [found.two, found.one, found.bareTwo, found.bareOne].map((each) => median(each).toFixed(0));
    return [
      {
        name: 'gain of a second process ÷ gain of a second bare server',
        value: median(gains),
        spread: [Math.min(...gains), Math.max(...gains)],
        unit: '×',
        ...(hasCpus && { target: { atLeast: 0.9 } }),
        detail: `(${rates[0]}/s ÷ ${rates[1]}/s) ÷ (${rates[2]}/s ÷ ${rates[3]}/s)${hasCpus ? '' : `; no verdict below ${CPUS_NEEDED} CPUs`}`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no separate gateway' },
};

/** Until each process has answered, and then once more: each caches the listing for itself. */
async function warmUp(url: string, processes: number): Promise<void> {
  const answered = new Set<string>();
  for (let further = 0; further < 2 * processes; ) {
    // A connection of its own: they are passed to the processes in turns.
    const request = get(url, { agent: false, headers: { 'accept-encoding': 'identity' } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await buffer(response);
    // The ids of a process begin alike.
    answered.add(String(response.headers['x-request-id']).slice(0, -4));
    if (answered.size === processes) further += 1;
    else await setTimeout(POLL_MS);
  }
}

async function startBare(processes: number, bytes: number): Promise<number> {
  const port = await freePort();
  const script = join(import.meta.dirname, 'bare-cluster.mjs');
  start(process.execPath, [script, String(port), String(processes), String(bytes)], {
    stdio: 'ignore',
    env: cleanEnvironment(),
  });
  await ready(port);
  return port;
}
