import type { Bench, Figure, Measure } from '../benchmark.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type Service, startService } from '../service.ts';
import { FIRST_ROW, kilobytes, type Listing, lookAt } from './listings.ts';

/** What a client asks for beside the plain page; a byte of it may cost twice a plain one's. */
export const variations: Measure = {
  name: 'variations',
  about:
    'the same page projected, in a project of 10 languages, with 50 components an item: time per byte ÷ plain',
  async run(bench: Bench) {
    const { datasets, large } = bench;
    const many = await startService(await datasets.of(large));
    const plain = await lookAt(many, FIRST_ROW, 20);
    const projected = await lookAt(many, { ...FIRST_ROW, elements: 'title,category,rank' }, 20);
    const long = await lookAt(many, { ...FIRST_ROW, 'system.type': 'landing_page' }, 20);
    const figures = [
      await compare(
        bench,
        'three elements',
        { service: many, page: projected },
        { service: many, page: plain },
      ),
      await compare(
        bench,
        '50 components an item',
        { service: many, page: long },
        { service: many, page: plain },
      ),
    ];
    await many.end();
    const one = await startService(await datasets.of(5000));
    const ten = await startService(await datasets.of(5000, 10));
    const inOne = { service: one, page: await lookAt(one, FIRST_ROW, 20) };
    for (const [name, more] of [
      ['10 languages, the default one', {}],
      ['10 languages, one that falls back for four items of ten', { language: 'language-5' }],
    ] as const) {
      const page = await lookAt(ten, { ...FIRST_ROW, ...more }, 20);
      figures.push(await compare(bench, name, { service: ten, page }, inOne));
    }
    return figures;
  },
};

interface Side {
  readonly service: Service;
  readonly page: Listing;
}

async function compare(
  { load, rounds, requests }: Bench,
  name: string,
  varied: Side,
  plain: Side,
): Promise<Figure> {
  const p50 =
    ({ service, page }: Side) =>
    async () =>
      (await load.run({ port: service.port, path: page.path, connections: 1, requests: requests(1000) })).p50;
  const found = await takeTurns(rounds, { varied: p50(varied), plain: p50(plain) });
  const times = compared(found.varied, found.plain);
  const [bytes, plainBytes] = [varied.page.body.length, plain.page.body.length];
  const perByte = (time: number) => (time * plainBytes) / bytes;
  return {
    name: `${name}: time per byte ÷ plain`,
    value: perByte(times.value),
    spread: [perByte(times.spread[0]), perByte(times.spread[1])],
    unit: '×',
    target: { atMost: 2 },
    detail: `${median(found.varied).toFixed(3)} ms for ${kilobytes(bytes)}, plain ${median(found.plain).toFixed(3)} ms for ${kilobytes(plainBytes)}: ${times.value.toFixed(2)} × the time`,
  };
}
