import { startBare } from '../bare.ts';
import type { Bench, Figure, Measure } from '../benchmark.ts';
import { cpuOfTree } from '../process-usage.ts';
import { median, takeTurns } from '../rounds.ts';
import { checked } from './check.ts';
import type { Product, Read } from './product.ts';
import { startProducts } from './products.ts';

const READS: Readonly<Record<Read, string>> = {
  hundred: '100 items, two links each, total',
  slug: 'item by slug, two links',
  filtered: '25 of one category by title',
  deep: `25 at skip 4,725 by title`,
};

/** Requests of a turn; the others take up to a hundred times as long. */
const OURS = 900;
const THEIRS = 90;
const WRITES = 60;

interface Turn {
  readonly cpu: number;
  readonly perSecond: number;
}

export const sideBySide: Measure = {
  name: 'side-by-side',
  about: 'five requests, uncached: CPU of the server and of all it started, beside ours and a bare server',
  async run(bench: Bench) {
    const { rounds, requests, progress } = bench;
    const { products, figure } = await startProducts(bench);
    const figures: Figure[] = [figure];
    for (const [read, what] of Object.entries(READS) as [Read, string][]) {
      progress(what);
      const bodies = new Map<Product, Buffer>();
      for (const product of products) bodies.set(product, await checked(product, read));
      const bare = await startBare([[Uint8Array.from(bodies.get(products[0]!)!)]]);
      const turn = (pid: number, port: number, path: string, count: number) => () =>
        timed(pid, count, () => request(`http://127.0.0.1:${port}${path}`));
      const found = await takeTurns(rounds, {
        ...Object.fromEntries(
          products.map(({ name, pid, port, reads }) => [
            name,
            turn(pid, port, reads[read].path, requests(name === 'ours' ? OURS : THEIRS)),
          ]),
        ),
        'a bare server': turn(bare.pid, bare.port, '/0', requests(OURS)),
      });
      await bare.end();
      figures.push(...figuresOf(what, found));
    }
    progress('writes');
    let changes = 0;
    const write = (product: Product) => async (): Promise<Turn> => {
      let summary = '';
      const turn = await timed(product.pid, requests(WRITES), () => {
        summary = `Changed ${++changes} times.`;
        return product.write(summary);
      });
      const readers = await product.written();
      if (readers !== summary) throw new Error(`${product.name} shows '${readers}' after '${summary}'.`);
      return turn;
    };
    const writes = await takeTurns(
      rounds,
      Object.fromEntries(products.map((product) => [product.name, write(product)])),
    );
    return [...figures, ...figuresOf('an item changed and published', writes)];
  },
  compare: { leftOut: 'it compares with other products' },
};

/** One call after the other. The client of the other benchmarks reads no chunked answers, which Payload sends. */
async function timed(pid: number, count: number, call: () => Promise<void>): Promise<Turn> {
  const before = cpuOfTree(pid);
  const began = performance.now();
  for (let done = 0; done < count; done += 1) await call();
  const seconds = (performance.now() - began) / 1000;
  return { cpu: (cpuOfTree(pid) - before) / count, perSecond: count / seconds };
}

let number = 0;

/** The next of the addresses that the path stands for. */
async function request(path: string): Promise<void> {
  const answer = await fetch(path.replace('{n%5000}', `${++number % 5000}`), {
    headers: { 'accept-encoding': 'identity' },
  });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}.`);
}

function figuresOf(what: string, found: Readonly<Record<string, readonly Turn[]>>): Figure[] {
  const ours = median(found['ours']!.map(({ cpu }) => cpu));
  return Object.entries(found).map(([name, turns]) => {
    const cpu = turns.map((turn) => turn.cpu);
    const perSecond = median(turns.map((turn) => turn.perSecond));
    return {
      name: `${what}: ${name}`,
      value: median(cpu),
      unit: 'ms CPU',
      spread: [Math.min(...cpu), Math.max(...cpu)],
      detail: `${(median(cpu) / ours).toPrecision(3)} × ours; ${perSecond.toFixed(0)}/s, one connection`,
    };
  });
}
