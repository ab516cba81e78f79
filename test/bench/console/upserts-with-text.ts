import type { Bench, Measure } from '../benchmark.ts';
import { startManaged } from '../management/managed-service.ts';
import { makeItems, upsertOf, WRITERS } from '../management/upserts.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { openRawSqlite } from '../raw-database.ts';
import { compared, median, takeTurns } from '../rounds.ts';

const UPSERTS = 800;

/** A table that takes words and stores nothing. */
const NO_TEXT = [
  'DROP TABLE full_text',
  `CREATE VIEW full_text AS SELECT 0 AS rowid, '' AS name, '' AS words WHERE false`,
  'CREATE TRIGGER no_text_insert INSTEAD OF INSERT ON full_text BEGIN SELECT 1; END',
  'CREATE TRIGGER no_text_delete INSTEAD OF DELETE ON full_text BEGIN SELECT 1; END',
];

/** What full text costs writers. */
export const upsertsWithText: Measure = {
  name: 'upserts-with-text',
  about: `upserts of a variant of ten elements by ${WRITERS} writers, SQLite: per second with the index of full text ÷ without`,
  async run({ datasets, load, rounds, requests }: Bench) {
    const dataset = await datasets.copy(await datasets.of(1000), 'with-text');
    const making = await startManaged(dataset);
    await makeItems(making);
    await making.end();
    const without = await datasets.copy(dataset, 'without-text');
    const database = await openRawSqlite(without.folder);
    for (const statement of NO_TEXT) await database.run(statement);
    const count = requests(UPSERTS);
    const turn = (service: Awaited<ReturnType<typeof startManaged>>) => async () => {
      const before = cpuMilliseconds(service.pid);
      const { perSecond } = await load.run({ port: service.port, ...upsertOf(service), requests: count });
      return { perSecond, cpu: (cpuMilliseconds(service.pid) - before) / count };
    };
    const found = await takeTurns(rounds, {
      with: turn(await startManaged(dataset)),
      without: turn(await startManaged(without)),
    });
    const of = (side: keyof typeof found, what: 'perSecond' | 'cpu') => found[side].map((one) => one[what]);
    const detail = (what: 'perSecond' | 'cpu', digits: number) =>
      `${median(of('with', what)).toFixed(digits)} and ${median(of('without', what)).toFixed(digits)}`;
    return [
      {
        name: `upserts/s, ${WRITERS} writers, with full text ÷ without`,
        ...compared(of('with', 'perSecond'), of('without', 'perSecond')),
        unit: '×',
        target: { atLeast: 0.9 },
        detail: `${detail('perSecond', 0)} a second`,
      },
      {
        name: 'CPU of an upsert, without full text ÷ with',
        ...compared(of('without', 'cpu'), of('with', 'cpu')),
        unit: '×',
        detail: `with and without: ${detail('cpu', 2)} ms`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no full text' },
};
