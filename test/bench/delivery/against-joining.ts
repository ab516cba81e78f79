import { cut, startBare } from '../bare.ts';
import type { Bench, Figure, Target } from '../benchmark.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { median, ratio, takeTurns } from '../rounds.ts';
import type { Service } from '../service.ts';
import { kilobytes, type Listing } from './listings.ts';

/** A bare request costs far less CPU than the clock's ticks of 10 ms, so more of them make a round. */
const BARE_FACTOR = 4;

/**
 * Server CPU of a listing ÷ that of a bare Node server that joins ready fragments for every request: as many as
 * there are items, once with as many bytes as `items` holds, once with as many as the whole answer.
 */
export async function againstJoining(
  { load, rounds, requests }: Bench,
  service: Service,
  listing: Listing,
  options: { readonly name: string; readonly requests: number; readonly target?: Target },
): Promise<Figure[]> {
  const fragments = listing.items.length;
  const bare = await startBare([cut(listing.itemsPart, fragments), cut(listing.body, fragments)]);
  const cpu = (server: { port: number; pid: number }, path: string, count: number) => async () => {
    const before = cpuMilliseconds(server.pid);
    await load.run({ port: server.port, path, connections: 1, requests: count });
    return (cpuMilliseconds(server.pid) - before) / count;
  };
  const ours = requests(options.requests);
  const found = await takeTurns(rounds, {
    ours: cpu(service, listing.path, ours),
    items: cpu(bare, '/0', ours * BARE_FACTOR),
    whole: cpu(bare, '/1', ours * BARE_FACTOR),
  });
  await bare.end();
  const told = (side: 'items' | 'whole', bytes: number) =>
    `${median(found.ours).toFixed(3)} ms ÷ ${median(found[side]).toFixed(3)} ms for ${kilobytes(bytes)} in ${fragments}`;
  return [
    {
      name: `${options.name}: CPU ÷ joining the items`,
      value: ratio(found.ours, found.items),
      unit: '×',
      ...(options.target && { target: options.target }),
      detail: told('items', listing.itemsPart.length),
    },
    {
      name: `${options.name}: CPU ÷ joining the whole answer`,
      value: ratio(found.ours, found.whole),
      unit: '×',
      detail: `${told('whole', listing.body.length)}; ${listing.linked} linked${listing.total === undefined ? '' : `, total ${listing.total}`}`,
    },
  ];
}
