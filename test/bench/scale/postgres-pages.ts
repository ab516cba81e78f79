import type { Bench, Figure, Measure } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { FIRST_ROW, fetchListing, queryOf } from '../delivery/listings.ts';
import { cpuMilliseconds } from '../process-usage.ts';
import { compared, median, takeTurns } from '../rounds.ts';
import { type Service, startService } from '../service.ts';
import type { BareClientOrder, BareClientReply } from './bare-client.ts';
import { startDatabases } from './databases.ts';

const CONNECTIONS = 12;
const SETTINGS = { PIPELINE__OFF: 'rate-limit,response-cache' };
/**
 * All elements of an item, and one that it lacks: documents are cached for each projection, so another projection each
 * time reads them from the database.
 */
const PROJECTION =
  'title,summary,body,rank,published_on,category,topics,related,slug,metadata__meta_title,metadata__meta_description,x';

/** What reads cost on PostgreSQL: CPU of the service and of the server together. */
export const postgresPages: Measure = {
  name: 'postgres-pages',
  about:
    'an uncached page of 20, known and new, and an uncached item, PostgreSQL ÷ SQLite: CPU; requests/s ÷ a bare pg client with the statements of a new one; p50 among many ÷ among 1,000',
  async run({ datasets, load, rounds, large, requests }: Bench) {
    const databases = await startDatabases(datasets, [1000, large]);
    const sqlite = await startService(await datasets.of(large), SETTINGS);
    const database = await databases.of(large);
    const postgres = await startService(database.dataset, { ...SETTINGS, ...database.settings });
    const fewItems = await databases.of(1000);
    const few = await startService(fewItems.dataset, { ...SETTINGS, ...fewItems.settings });
    const known = queryOf(FIRST_ROW);
    // Pages of queries that were asked before are remembered, on both databases.
    const page = `${known}&language=none-{n}`;
    const read = `${page}&elements=${PROJECTION}{n}`;
    const listing = await fetchListing(postgres, FIRST_ROW, 20);
    const { codename } = (listing.items[0] as { readonly system: { readonly codename: string } }).system;
    const item = (service: Service) => service.itemsPath('').replace('items?', `items/${codename}`);

    const turn =
      (service: Pick<Service, 'port' | 'pid'>, path: string, count: number, connections = CONNECTIONS) =>
      async () => {
        const before = cpuMilliseconds(service.pid) + databases.cpu();
        const order = { port: service.port, path, connections, requests: requests(count) };
        const { perSecond, p50 } = await load.run(order);
        const spent = cpuMilliseconds(service.pid) + databases.cpu() - before;
        return { perSecond, p50, cpu: spent / order.requests };
      };
    const bareClient = async (query: string, count: number) => {
      const child = startChild<BareClientOrder, BareClientReply>('scale/bare-client.ts');
      const folder = await datasets.folder('bare-client');
      const path = `/${database.dataset.project}/items?${query}`;
      const { statements } = await child.ask({ do: 'record', url: database.url, folder, path });
      const { port } = await child.ask({ do: 'serve', body: Uint8Array.from(listing.body) });
      return {
        statements,
        served: turn({ port, pid: child.pid }, '/', count),
        turn: async () => {
          const before = cpuMilliseconds(child.pid) + databases.cpu();
          const { perSecond } = await child.ask({ do: 'run', requests: requests(count) });
          const spent = cpuMilliseconds(child.pid) + databases.cpu() - before;
          return { perSecond, p50: 0, cpu: spent / requests(count) };
        },
      };
    };
    const bare = { page: await bareClient(page, 3000), read: await bareClient(read, 900) };
    const found = await takeTurns(rounds, {
      knownSqlite: turn(sqlite, sqlite.itemsPath(known), 1500),
      knownPostgres: turn(postgres, postgres.itemsPath(known), 1500),
      pageSqlite: turn(sqlite, sqlite.itemsPath(page), 1500),
      pagePostgres: turn(postgres, postgres.itemsPath(page), 1500),
      pageBare: bare.page.turn,
      pageServed: bare.page.served,
      readSqlite: turn(sqlite, sqlite.itemsPath(read), 300),
      readPostgres: turn(postgres, postgres.itemsPath(read), 300),
      readBare: bare.read.turn,
      itemSqlite: turn(sqlite, item(sqlite), 2000),
      itemPostgres: turn(postgres, item(postgres), 2000),
      many: turn(postgres, postgres.itemsPath(page), 600, 1),
      few: turn(few, few.itemsPath(page), 600, 1),
    });
    const cpu = (name: string, postgres: Turns, sqlite: Turns, atMost?: number): Figure => {
      const [above, below] = [postgres.map((one) => one.cpu), sqlite.map((one) => one.cpu)];
      return {
        name: `${name}, CPU ÷ SQLite`,
        ...compared(above, below),
        unit: '×',
        ...(atMost !== undefined && { target: { atMost } }),
        detail: `${median(above).toFixed(3)} ms ÷ ${median(below).toFixed(3)} ms`,
      };
    };
    const rate = (
      name: string,
      [other, client]: readonly [string, Turns],
      ours: Turns,
      statements: number,
      atLeast?: number,
    ): Figure => {
      const [above, below] = [ours.map((one) => one.perSecond), client.map((one) => one.perSecond)];
      const spent = median(client.map((one) => one.cpu)).toFixed(3);
      return {
        name: `${name}, requests/s ÷ ${other}`,
        ...compared(above, below),
        unit: '×',
        ...(atLeast !== undefined && { target: { atLeast } }),
        detail: `${median(above).toFixed(0)}/s ÷ ${median(below).toFixed(0)}/s of ${statements} statements, ${spent} ms CPU`,
      };
    };
    const p50 = (turns: Turns) => turns.map((one) => one.p50);
    const among = large.toLocaleString('en');
    const page20 = `page of 20 among ${among}`;
    const cold = 'the same, its documents not in memory';
    return [
      cpu(`${page20}, asked again`, found.knownPostgres, found.knownSqlite, 2.5),
      rate(
        `${page20}, asked again`,
        ['bare pg client of one asked first', found.pageBare],
        found.knownPostgres,
        bare.page.statements,
      ),
      cpu(page20, found.pagePostgres, found.pageSqlite, 2.5),
      cpu(cold, found.readPostgres, found.readSqlite),
      rate(page20, ['bare pg client', found.pageBare], found.pagePostgres, bare.page.statements, 0.5),
      rate(page20, ['bare HTTP server with it', found.pageServed], found.pagePostgres, bare.page.statements),
      rate(cold, ['bare pg client', found.readBare], found.readPostgres, bare.read.statements),
      cpu('one item', found.itemPostgres, found.itemSqlite, 2),
      {
        name: `page of 20, p50 at ${among} ÷ at 1,000 items`,
        ...compared(p50(found.many), p50(found.few)),
        unit: '×',
        target: { atMost: 1.5 },
        detail: `${median(p50(found.many)).toFixed(3)} ms ÷ ${median(p50(found.few)).toFixed(3)} ms`,
      },
    ];
  },
  compare: { leftOut: 'an earlier version has no PostgreSQL' },
};

type Turns = readonly { readonly perSecond: number; readonly p50: number; readonly cpu: number }[];
