import type { Bench, Figure, Measure } from '../benchmark.ts';
import { loadTurn } from '../load-turn.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type Service, startService } from '../service.ts';
import { FIRST_ROW, fetchListing, kilobytes, type Listing } from './listings.ts';

/** Other pages than the plain one; a byte of them may cost twice a plain one's. */
export const variations: Measure = {
  name: 'variations',
  about:
    '100 items with three elements: time ÷ whole; in a project of 10 languages, with 50 components: time per byte ÷ plain',
  async run(bench: Bench) {
    const { datasets, large } = bench;
    const many = await startService(await datasets.of(large));
    const plain = await fetchListing(many, FIRST_ROW, 20);
    const [full, projected] = [
      await fetchListing(many, HUNDRED, 100),
      await fetchListing(many, { ...HUNDRED, ...THREE_ELEMENTS }, 100),
    ];
    const long = await fetchListing(many, { ...FIRST_ROW, 'system.type': 'landing_page' }, 20);
    const figures = [
      await timeOf(
        bench,
        'three elements of 100 items',
        { service: many, page: projected },
        { service: many, page: full },
      ),
      await perByteOf(
        bench,
        '50 components an item',
        { service: many, page: long },
        { service: many, page: plain },
      ),
    ];
    await many.end();
    const one = await startService(await datasets.of(5000));
    const ten = await startService(await datasets.of(5000, 10));
    const inOne = { service: one, page: await fetchListing(one, FIRST_ROW, 20) };
    for (const [name, more] of [
      ['10 languages, the default one', {}],
      ['10 languages, one that falls back for four items of ten', { language: 'language-5' }],
    ] as const) {
      const page = await fetchListing(ten, { ...FIRST_ROW, ...more }, 20);
      figures.push(await perByteOf(bench, name, { service: ten, page }, inOne));
    }
    return figures;
  },

  async compare(bench: Bench) {
    const turn = async (service: Service, query: Readonly<Record<string, string>>) => {
      const { path } = await fetchListing(service, { ...FIRST_ROW, ...query }, 20);
      return loadTurn(bench, service, 'p50', { path, connections: 1, requests: bench.requests(1000) });
    };
    const many = await startService(await bench.datasets.of(bench.large));
    const ten = await startService(await bench.datasets.of(1000, 10));
    return {
      'three elements': await turn(many, { ...THREE_ELEMENTS }),
      '50 components an item': await turn(many, { 'system.type': 'landing_page' }),
      '10 languages, the default one': await turn(ten, {}),
      '10 languages, one that falls back': await turn(ten, { language: 'language-5' }),
    };
  },
};

/** 100 items of the same listing. */
const HUNDRED = { ...FIRST_ROW, limit: '100' };
const THREE_ELEMENTS = { elements: 'title,category,rank' };

interface Side {
  readonly service: Service;
  readonly page: Listing;
}

async function timesOf({ load, rounds, requests }: Bench, varied: Side, plain: Side) {
  const p50 =
    ({ service, page }: Side) =>
    async () =>
      (await load.run({ port: service.port, path: page.path, connections: 1, requests: requests(1000) })).p50;
  const found = await takeTurns(rounds, { varied: p50(varied), plain: p50(plain) });
  const sizes = `${median(found.varied).toFixed(3)} ms for ${kilobytes(varied.page.body.length)}, plain ${median(found.plain).toFixed(3)} ms for ${kilobytes(plain.page.body.length)}`;
  return { times: compared(found.varied, found.plain), sizes };
}

async function timeOf(bench: Bench, name: string, varied: Side, plain: Side): Promise<Figure> {
  const { times, sizes } = await timesOf(bench, varied, plain);
  return {
    name: `${name}: time ÷ the full page`,
    ...times,
    unit: '×',
    target: { atMost: 0.5 },
    detail: sizes,
  };
}

async function perByteOf(bench: Bench, name: string, varied: Side, plain: Side): Promise<Figure> {
  const { times, sizes } = await timesOf(bench, varied, plain);
  const [bytes, plainBytes] = [varied.page.body.length, plain.page.body.length];
  const perByte = (time: number) => (time * plainBytes) / bytes;
  return {
    name: `${name}: time per byte ÷ plain`,
    value: perByte(times.value),
    spread: [perByte(times.spread[0]), perByte(times.spread[1])],
    unit: '×',
    target: { atMost: 2 },
    detail: `${sizes}: ${times.value.toFixed(2)} × the time`,
  };
}
