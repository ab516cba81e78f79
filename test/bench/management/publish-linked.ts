import type { Bench, Measure } from '../benchmark.ts';
import { compared, median, takeTurns, WARM_UP } from '../rounds.ts';
import { LANGUAGE, startManaged } from './managed-service.ts';

const LINKING = 1000;
const AT_ONCE = 8;

/** The cost of publishing an item that a thousand others link to. */
export const publishLinked: Measure = {
  name: 'publish-linked',
  about:
    'publish of an item that 1,000 documents link to ÷ of one that none does; all of them right from the answer on',
  async run(bench: Bench) {
    const turns = await prepare(bench);
    const found = await takeTurns(bench.rounds, turns);
    return [
      {
        name: `publish, linked to by ${LINKING} ÷ by none`,
        ...compared(found.linked, found.alone),
        unit: '×',
        target: { atMost: 1.5 },
        detail: `${median(found.linked).toFixed(1)} and ${median(found.alone).toFixed(1)} ms`,
      },
    ];
  },
  async compare(bench: Bench) {
    const { linked, alone } = await prepare(bench);
    return {
      [`linked to by ${LINKING}`]: async () => ({ milliseconds: await linked() }),
      'linked to by none': async () => ({ milliseconds: await alone() }),
    };
  },
};

/** Items for so many turns, because each is published for the first time once only. */
async function prepare({ datasets, rounds, progress }: Bench) {
  const dataset = await datasets.twin(await datasets.of(1000));
  const service = await startManaged(dataset);
  const make = async (name: string, elements: readonly object[]): Promise<string> => {
    const body = { name, type: { codename: 'article' } };
    const { id } = (await service.call('POST', '/items', body)) as { readonly id: string };
    await service.call('PUT', `/items/${id}/variants/${LANGUAGE}`, { elements });
    return id;
  };
  const title = (value: string) => ({ element: { codename: 'title' }, value });
  const publish = (id: string) => service.call('PUT', `/items/${id}/variants/${LANGUAGE}/publish`);
  const linked: string[] = [];
  const alone: string[] = [];
  for (let turn = 0; turn < rounds + WARM_UP; turn++) {
    linked.push(await make(`linked ${turn}`, [title('linked')]));
    alone.push(await make(`alone ${turn}`, [title('alone')]));
  }
  progress(`  making ${LINKING} items that link to each of ${linked.length}`);
  const body = linked.map((id) => `<p><a data-item-id="${id}">link</a></p>`).join('');
  let made = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (made < LINKING) {
        made += 1;
        const id = await make(`linking ${made}`, [
          title(`linking`),
          { element: { codename: 'body' }, value: body },
          { element: { codename: 'related' }, value: linked.map((to) => ({ id: to })) },
        ]);
        await publish(id);
      }
    }),
  );
  const timed = async (id: string | undefined): Promise<number> => {
    if (id === undefined) throw new Error('There are more turns than items.');
    // Work that the publish before started is not counted.
    await service.settled();
    const began = performance.now();
    await publish(id);
    return performance.now() - began;
  };
  const three = service.itemsPath('system.codename[in]=linking_1,linking_500,linking_1000');
  return {
    async linked() {
      const id = linked.pop();
      const took = await timed(id);
      const wrong = await linksWithout(service.port, three, id!);
      if (wrong > 0) throw new Error(`${wrong} documents do not know the published item.`);
      return took;
    },
    alone: () => timed(alone.pop()),
  };
}

/** How many of the items have no entry for the link. */
async function linksWithout(port: number, path: string, id: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  const { items } = (await answer.json()) as {
    items: readonly { elements: { body: { links: Record<string, unknown> } } }[];
  };
  if (items.length !== 3) throw new Error(`There are ${items.length} of 3 linking items.`);
  return items.filter(({ elements }) => elements.body.links[id] === undefined).length;
}
