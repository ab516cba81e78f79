import type { Bench, Measure } from '../benchmark.ts';
import { type Child, startChild } from '../child.ts';
import type { RawOrder, RawReply } from '../raw-writer.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { LANGUAGE, startManaged, tenElements } from './managed-service.ts';

const ITEMS = 400;
const WRITERS = 8;
const UPSERTS = 1600;

/** Writing over HTTP against the database alone. */
export const upserts: Measure = {
  name: 'upserts',
  about:
    'upserts of a variant of ten elements by 8 writers: per second ÷ raw transactions of the same rows, 8 to a commit',
  async run({ datasets, load, rounds, requests }: Bench) {
    const dataset = await datasets.twin(await datasets.of(1000));
    const path = (number: string) => `/items/external-id/bench-${number}`;
    const body = JSON.stringify(tenElements());
    const making = await startManaged(dataset);
    for (let number = 0; number < ITEMS; number++) {
      await making.call('PUT', path(`${number}`), { name: `Bench ${number}`, type: { codename: 'article' } });
      await making.call('PUT', `${path(`${number}`)}/variants/${LANGUAGE}`, tenElements());
    }
    await making.end();
    const copy = await datasets.copy(dataset, 'raw');
    const service = await startManaged(dataset);
    const raw: Child<RawOrder, RawReply> = startChild('raw-writer.ts');
    await raw.ask({ do: 'open', folder: copy.folder, like: 'bench-%' });
    const count = requests(UPSERTS);
    const found = await takeTurns(rounds, {
      http: async () =>
        (
          await load.run({
            port: service.port,
            method: 'PUT',
            path: `${service.base}${path(`{n%${ITEMS}}`)}/variants/${LANGUAGE}`,
            headers: service.headers,
            body,
            connections: WRITERS,
            requests: count,
          })
        ).perSecond,
      raw: async () => (await raw.ask({ do: 'run', upserts: count, group: WRITERS })).perSecond,
    });
    return [
      {
        name: `upserts/s, ${WRITERS} writers ÷ raw`,
        ...compared(found.http, found.raw),
        unit: '×',
        target: { atLeast: 0.5 },
        detail: `${median(found.http).toFixed(0)} and ${median(found.raw).toFixed(0)} a second`,
      },
    ];
  },
};
