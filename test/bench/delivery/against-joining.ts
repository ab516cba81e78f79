import { cut, startBare } from '../bare.ts';
import type { Bench, Figure, Target } from '../benchmark.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import type { Service } from '../service.ts';
import { kilobytes, type Listing } from './listings.ts';

/** A bare request costs so little that more of them make a round: the CPU clock ticks every 10 ms. */
const BARE_FACTOR = 12;

/**
 * Server CPU of a listing ÷ that of a bare Node server that joins ready fragments for every request, as many as
 * there are items: buffers with as many bytes as `items` holds, buffers with as many as the whole answer, and the
 * latter as strings, which is how most servers hold their JSON.
 */
export async function againstJoining(
  { load, rounds, requests }: Bench,
  service: Service,
  listing: Listing,
  options: {
    readonly name: string;
    readonly requests: number;
    readonly items?: Target;
    readonly whole?: Target;
  },
): Promise<Figure[]> {
  const fragments = listing.items.length;
  const whole = cut(listing.body, fragments);
  const strings = whole.map((bytes) => Buffer.from(bytes).toString());
  const bare = await startBare([cut(listing.itemsPart, fragments), whole, strings]);
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
    strings: cpu(bare, '/2', ours * 2),
  });
  await bare.end();
  const figure = (
    side: 'items' | 'whole' | 'strings',
    what: string,
    bytes: number,
    target?: Target,
  ): Figure => ({
    name: `${options.name}: CPU ÷ joining ${what}`,
    ...compared(found.ours, found[side]),
    unit: '×',
    ...(target && { target }),
    detail: `${median(found.ours).toFixed(3)} ms ÷ ${median(found[side]).toFixed(3)} ms for ${kilobytes(bytes)} in ${fragments}`,
  });
  const items = figure('items', 'the items', listing.itemsPart.length, options.items);
  const total = listing.total === undefined ? '' : `, total ${listing.total}`;
  return [
    { ...items, detail: `${items.detail}; ${listing.linked} in modular_content${total}` },
    figure('whole', 'the whole answer', listing.body.length, options.whole),
    figure('strings', 'it as strings', listing.body.length),
  ];
}
