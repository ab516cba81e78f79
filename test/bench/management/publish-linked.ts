import type { Bench, Measure } from '../benchmark.ts';
import { compared, median } from '../rounds.ts';
import { LANGUAGE, startManaged } from './managed-service.ts';

const LINKING = 1000;
const AT_ONCE = 8;

/** What an item is worth that a thousand others link to. */
export const publishLinked: Measure = {
  name: 'publish-linked',
  about:
    'publish of an item that 1,000 documents link to ÷ of one that none does; all of them right from the answer on',
  async run({ datasets, rounds, progress }: Bench) {
    const dataset = await datasets.twin(await datasets.of(1000));
    const service = await startManaged(dataset);
    // Each item is published for the first time once only.
    const turns = rounds + 2;
    const make = async (name: string, elements: readonly object[]): Promise<string> => {
      const item = (await service.call('POST', '/items', { name, type: { codename: 'article' } })) as {
        id: string;
      };
      await service.call('PUT', `/items/${item.id}/variants/${LANGUAGE}`, { elements });
      return item.id;
    };
    const title = (value: string) => ({ element: { codename: 'title' }, value });
    const publish = (id: string) => service.call('PUT', `/items/${id}/variants/${LANGUAGE}/publish`);
    const linked: string[] = [];
    const alone: string[] = [];
    for (let turn = 0; turn < turns; turn++) {
      linked.push(await make(`linked ${turn}`, [title('linked')]));
      alone.push(await make(`alone ${turn}`, [title('alone')]));
    }
    progress(`  making ${LINKING} items that link to each of ${turns}`);
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
    const timed = async (id: string): Promise<number> => {
      // What the publish before set going is not this one's.
      await service.settled();
      const began = performance.now();
      await publish(id);
      return performance.now() - began;
    };
    const found = { linked: [] as number[], alone: [] as number[] };
    for (let turn = 0; turn < turns; turn++) {
      const ofLinked = await timed(linked[turn]!);
      const wrong = await linksWithout(
        service.port,
        service.itemsPath('system.codename[in]=linking_1,linking_500,linking_1000'),
        linked[turn]!,
      );
      if (wrong > 0) throw new Error(`${wrong} documents do not know the published item.`);
      const ofAlone = await timed(alone[turn]!);
      if (turn < 2) continue;
      found.linked.push(ofLinked);
      found.alone.push(ofAlone);
    }
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
};

/** How many of the items have no entry for the link. */
async function linksWithout(port: number, path: string, id: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  const { items } = (await answer.json()) as {
    items: readonly { elements: { body: { links: Record<string, unknown> } } }[];
  };
  if (items.length !== 3) throw new Error(`There are ${items.length} of 3 linking items.`);
  return items.filter(({ elements }) => elements.body.links[id] === undefined).length;
}
