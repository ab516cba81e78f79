import type { Bench, Measure } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import type { LoadOrder } from '../load-client.ts';
import { loadTurn } from '../load-turn.ts';
import type { RawOrder, RawReply } from '../raw-writer.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { LANGUAGE, type ManagedService, startManaged, tenElements } from './managed-service.ts';

const ITEMS = 400;
export const WRITERS = 8;
/** External ids of what is written. */
export const BENCH_ITEMS = 'bench-%';
const UPSERTS = 1600;

/** Writing over HTTP against the database alone. */
export const upserts: Measure = {
  name: 'upserts',
  about:
    'upserts of a variant of ten elements by 8 writers: per second ÷ raw transactions of the same rows, 8 to a commit',
  async run({ datasets, load, rounds, requests }: Bench) {
    const dataset = await datasets.twin(await datasets.of(1000));
    const making = await startManaged(dataset);
    await makeItems(making);
    await making.end();
    const copy = await datasets.copy(dataset, 'raw');
    const service = await startManaged(dataset);
    const raw: Child<RawOrder, RawReply> = startChild('raw-writer.ts');
    await raw.ask({ do: 'open', over: copy, like: BENCH_ITEMS });
    const count = requests(UPSERTS);
    const found = await takeTurns(rounds, {
      http: async () =>
        (await load.run({ port: service.port, ...upsertOf(service), requests: count })).perSecond,
      raw: async () => (await raw.ask({ do: 'run', upserts: count, group: WRITERS })).perSecond,
    });
    return [
      {
        name: `upserts/s, ${WRITERS} writers ÷ raw`,
        ...compared(found.http, found.raw),
        unit: '×',
        target: { atLeast: 0.75 },
        detail: `${median(found.http).toFixed(0)} and ${median(found.raw).toFixed(0)} a second`,
      },
    ];
  },

  async compare(bench: Bench) {
    const dataset = await bench.datasets.twin(await bench.datasets.of(1000));
    const service = await startManaged(dataset);
    await makeItems(service);
    const order = { ...upsertOf(service), requests: bench.requests(UPSERTS) };
    return { [`${WRITERS} writers`]: loadTurn(bench, service, 'perSecond', order) };
  },
};

const pathOf = (number: string) => `/items/external-id/bench-${number}`;

export async function makeItems({ call }: ManagedService): Promise<void> {
  for (let number = 0; number < ITEMS; number++) {
    const path = pathOf(`${number}`);
    await call('PUT', path, { name: `Bench ${number}`, type: { codename: 'article' } });
    await call('PUT', `${path}/variants/${LANGUAGE}`, tenElements());
  }
}

/** Load of all writers on all items in turn. */
export function upsertOf({ base, headers }: ManagedService): Omit<LoadOrder, 'port' | 'requests'> {
  return {
    method: 'PUT',
    path: `${base}${pathOf(`{n%${ITEMS}}`)}/variants/${LANGUAGE}`,
    headers,
    body: JSON.stringify(tenElements()),
    connections: WRITERS,
  };
}
